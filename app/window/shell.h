// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the window that actions work on; owned by the main window.
#pragma once
#include <QCoreApplication>
#include <QPointer>

#include "actions/actions.h"
#include "app/window/bars/playback_bar.h"
#include "app/window/settings/settings.h"
#include "document/documents.h"
#include "panels/layouts.h"
#include "panels/panel_output.h"
#include "panels/view_undo.h"

namespace arenascope::app {

class CommandPalette;
class FrameOverlay;
class LessonPlayer;
class MessageBar;
class ReplanPresenter;
class SummaryBar;
class WindowSession;

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
  SummaryBar* summary = nullptr;
  CommandPalette* palette = nullptr;
  LessonPlayer* guide = nullptr;
  WindowSession* session = nullptr;
  MessageBar* message_bar = nullptr;
  QPointer<FrameOverlay> frames;  // null: frame times are not shown
  Preferences preferences;
  std::function<void(const Preferences&)> apply_preferences;
  // Shows a file dialog; replaced in tests.
  std::function<QString(bool save, const QString& title, const QString& filter)> ask_file;
  // The same, for a file that may exist and is not overwritten.
  std::function<QString(const QString& title, const QString& filter)> ask_file_to_append;

  Document& document() const { return documents->current(); }
  Messages& messages() const { return *document().messages(); }
  void open(const QString& spec) const { documents->open(spec, preferences.run); }
  // Shows the error, or `done`.
  void report(const Status& status, const QString& done = {}) const {
    if (!status)
      messages().fail(QString::fromStdString(status.error().message));
    else
      messages().note(done);
  }
  void show_panel(PanelId id) const { panels->show(id); }
};

// Zooms to the selection in the graph and in the first visible plot.
void frame_selection(const Shell& shell);

// Register the actions of each menu.
void add_file_actions(Shell& shell);
void add_edit_actions(Shell& shell);
void add_view_actions(Shell& shell);
void add_graph_actions(Shell& shell);
void add_memory_actions(Shell& shell);
void add_run_actions(Shell& shell);
void add_compare_actions(Shell& shell);
void add_lesson_actions(Shell& shell);
void add_help_actions(Shell& shell);
// Registers the conditions under which actions are enabled.
void add_action_states(Shell& shell);

}  // namespace arenascope::app
