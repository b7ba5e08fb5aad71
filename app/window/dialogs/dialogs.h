// SPDX-License-Identifier: GPL-3.0-or-later
// The dialogs of the window. They are modeless, with at most one of each kind.
#pragma once
#include <QDialog>

namespace arenascope::app {

struct Shell;

QDialog* make_dialog(QWidget* parent, const char* name, const QString& title);

void show_about(QWidget* parent);
void show_attach(Shell& shell);
void show_keys(const Shell& shell);
void show_manual(QWidget* parent);
void show_preferences(Shell& shell);
void show_message_log(Shell& shell);
void show_zoo(Shell& shell);
void show_input_sizes(Shell& shell);

}  // namespace arenascope::app
