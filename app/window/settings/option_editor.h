// SPDX-License-Identifier: GPL-3.0-or-later
// Creates the editor of an option from its row of a table (app/common/option.h).
#pragma once
#include <QWidget>

#include <functional>
#include <string>

namespace arenascope::app {

struct OptionDescriptor;

// `changed` is called when the value changes.
QWidget* make_option_editor(const OptionDescriptor& option, QWidget* parent, const std::function<void()>& changed);
QString text_of_option_editor(const QWidget* editor);
void set_option_editor(QWidget* editor, const std::string& text);
// A translated title or description of the table.
QString option_text(const char* text);
// Accessible text with the option name of the command line.
void name_option_editor(const OptionDescriptor& option, QWidget* editor);

}  // namespace arenascope::app
