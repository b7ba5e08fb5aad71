// SPDX-License-Identifier: GPL-3.0-or-later
// What the actions of the window work on: its parts, put together by the main window, which owns them.
#pragma once
#include <QCoreApplication>

#include "actions/actions.h"
#include "document/documents.h"
#include "panels/layouts.h"
#include "panels/panel_output.h"
#include "panels/view_undo.h"
#include "playback_bar.h"
#include "settings.h"

namespace arenascope::app {

class CommandPalette;
class LessonGuide;
class ReplanDesk;

struct Shell {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Shell)

 public:
  QMainWindow* window = nullptr;
  views::Theme* theme = nullptr;
  Documents* documents = nullptr;
  ActionRegistry* actions = nullptr;
  Panels* panels = nullptr;
  Layouts* layouts = nullptr;
  PanelOutput* output = nullptr;
  ViewUndo* undo = nullptr;
  PlaybackBar* playback = nullptr;
  CommandPalette* palette = nullptr;
  LessonGuide* guide = nullptr;
  Preferences preferences;
  std::function<void(const Preferences&)> apply_preferences;
  // Where the file dialogs' answers come from; tests put their own here.
  std::function<QString(bool save, const QString& title, const QString& filter)> ask_file;

  Document& document() const { return documents->at_hand(); }
  Messages& messages() const { return *document().messages(); }
  void open(const QString& spec) const { documents->open(spec, preferences.run); }
  // Says why not, or `done`.
  void tell(const Status& status, const QString& done = {}) const {
    if (!status)
      messages().fail(QString::fromStdString(status.error().message));
    else
      messages().note(done);
  }
  void show_panel(const char* id) const { panels->show(QString::fromLatin1(id)); }
};

// Shows what is selected, in the graph and as large as possible in the first plot that is seen.
void frame_selection(const Shell& shell);

// The actions of each menu, into the registry.
void add_file_actions(Shell& shell);
void add_edit_actions(Shell& shell);
void add_view_actions(Shell& shell);
void add_graph_actions(Shell& shell);
void add_memory_actions(Shell& shell);
void add_run_actions(Shell& shell);
void add_compare_actions(Shell& shell);
void add_lesson_actions(Shell& shell);
void add_help_actions(Shell& shell);
// Which of them can be used now.
void add_action_states(Shell& shell);

}  // namespace arenascope::app
