// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: English in the code, others from translations that are built in.
#pragma once
#include <QStringList>

namespace arenascope::app {

QStringList languages();                            // "en", "zh_CN", …
QString own_name_of_language(const QString& code);  // "English", as those call it who speak it
QString language_at_hand();                         // of languages()
// Installs the translation, Qt's own too where it is there; "" follows the system, and kMadeUpLanguage is none. Widgets
// are told to retranslate.
void set_language(const QString& language);

}  // namespace arenascope::app
