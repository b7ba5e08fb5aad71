// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: English in the code, others from translations that are built in.
#pragma once
#include <QStringList>

namespace arenascope::app {

QStringList languages();  // "en", "zh_CN"
// Installs the translation, Qt's own too where it is there; "" follows the system. Widgets are told to retranslate.
void set_language(const QString& language);

}  // namespace arenascope::app
