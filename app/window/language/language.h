// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: English in the source, others from built-in translations.
#pragma once
#include <QStringList>

namespace arenascope::app {

QStringList languages();                            // "en", "zh_CN", …
QString own_name_of_language(const QString& code);  // native name, such as "English"
QString current_language();                         // one of languages()
// Installs the translation and Qt's own, if available; "" follows the system, kPseudoLocale installs the
// pseudo-locale. Widgets retranslate themselves.
void set_language(const QString& language);

}  // namespace arenascope::app
