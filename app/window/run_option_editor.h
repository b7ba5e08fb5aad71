// SPDX-License-Identifier: GPL-3.0-or-later
// What an option of a run is edited with, wherever the window shows one: made from its row of the one table
// (app/common/run_options.h).
#pragma once
#include <QWidget>

#include <functional>
#include <string>

namespace arenascope::app {

struct RunOption;

// `changed` is called when its value is another.
QWidget* make_run_editor(const RunOption& option, QWidget* parent, const std::function<void()>& changed);
QString text_of_run_editor(const QWidget* editor);
void set_run_editor(QWidget* editor, const std::string& text);
// A title or a sentence of the table, translated.
QString run_option_text(const char* text);
// Its words for a screen reader, and the command line's name for it.
void name_run_editor(const RunOption& option, QWidget* editor);

}  // namespace arenascope::app
