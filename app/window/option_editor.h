// SPDX-License-Identifier: GPL-3.0-or-later
// What an option is edited with, wherever the window shows one: made from its row of a table (app/common/option.h).
#pragma once
#include <QWidget>

#include <functional>
#include <string>

namespace arenascope::app {

struct OptionFace;

// `changed` is called when its value is another.
QWidget* make_option_editor(const OptionFace& option, QWidget* parent, const std::function<void()>& changed);
QString text_of_option_editor(const QWidget* editor);
void set_option_editor(QWidget* editor, const std::string& text);
// A title or a sentence of the table, translated.
QString option_text(const char* text);
// Its words for a screen reader, and the command line's name for it.
void name_option_editor(const OptionFace& option, QWidget* editor);

}  // namespace arenascope::app
