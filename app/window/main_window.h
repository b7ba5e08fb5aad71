// SPDX-License-Identifier: GPL-3.0-or-later
// The window: owns the one selection, the one x axis, the theme and the run controller, and puts the views into docks.
#pragma once
#include <views/graph/graph_view.h>
#include <views/inspector/breadcrumbs.h>
#include <views/inspector/inspector_view.h>
#include <views/tables/objects_view.h>
#include <views/tables/table_panel.h>
#include <views/tensor/tensor_view.h>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QTabBar>
#include <QTimer>

#include "actions.h"
#include "breakpoint_panel.h"
#include "command_palette.h"
#include "document.h"
#include "message_bar.h"
#include "playback_bar.h"
#include "run_controller.h"
#include "settings.h"
#include "ui_watch.h"
#include "view_history.h"

namespace arenascope::views {
class FindingsView;
class LessonPanel;
class PlotView;
}  // namespace arenascope::views

namespace arenascope::app {

class CompareLoader;
class LessonGuide;
class ReplanDesk;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  void open(const QString& spec);           // a model, zoo:NAME or a recording: into a tab of its own
  void open_all(const QStringList& specs);  // one after the other
  void show_session(std::shared_ptr<trace::Session> session, const QString& title);
  void show_document(size_t index);
  void close_document(int index);
  void next_document(int direction);
  void keep_no_copies() { preferences_.run.autosave = false; }  // of what is recorded: nothing here is to be kept
  void offer_left_behind();                                     // recordings of a program that was killed
  size_t document_count() const { return documents_.size(); }
  QTabBar* tabs() const { return tabs_; }
  void compare_with(const QString& spec);  // a recording or a model; read in the background

  views::SessionSource* source() { return &source_; }
  views::SelectionModel* selection() { return &selection_; }
  views::SharedAxis* axis() { return &axis_; }
  views::Theme* theme() { return &theme_; }
  RunController* controller() { return controller_; }  // of the tab at hand
  ActionRegistry* actions() { return actions_; }
  MessageBar* messages() { return messages_; }
  PlaybackBar* playback() { return playback_; }
  CommandPalette* palette_of_commands() { return palette_; }
  views::GraphView* graph_view() { return graph_; }
  views::PlotView* plot_view(const QString& id) const { return plots_.value(id); }
  views::TablePanel* table(const QString& id) const { return tables_.value(id); }
  views::InspectorView* inspector() { return inspector_; }
  views::Breadcrumbs* breadcrumbs() { return breadcrumbs_; }
  views::ObjectsView* objects_view() { return objects_; }
  QDockWidget* dock(const QString& id) const { return docks_.value(id); }
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  BreakpointPanel* breakpoint_panel() const { return break_panel_; }
  ReplanDesk* replan_desk() const { return replan_desk_; }
  views::FindingsView* findings() const { return findings_; }
  views::LessonPanel* lesson() const { return lesson_; }
  LessonGuide* lesson_guide() const { return guide_; }
  CompareLoader* compare_loader() const { return loader_; }

  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  void apply_preferences(const Preferences& preferences);
  const Preferences& preferences() const { return preferences_; }
  void apply_layout(const QString& name);  // "default", "graph", "memory", "time"
  QStringList own_layouts() const;         // saved under names of the user's own
  void save_layout(const QString& name);
  // Where the file dialogs' answers come from; tests put their own here.
  std::function<QString(bool save, const QString& title, const QString& filter)> ask_file;

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  // main_window_docks.cpp
  void make_docks();
  QDockWidget* add_dock(const char* id, const char* title, QWidget* widget);
  void add_table(const char* id, const char* title, views::TablePanel::Maker maker);
  void save_state();
  void restore_state();
  // main_window_actions.cpp
  void make_actions();
  void make_file_actions();
  void make_view_actions();
  void make_run_actions();
  void make_help_actions();
  void update_actions();
  // main_window_dialogs.cpp
  void show_about();
  void show_keys();
  void show_manual();
  void show_frame_times(bool on);
  void show_preferences();
  void show_zoo();
  // main_window_save.cpp
  QString panel_at_hand() const;
  views::Paintable* picture_of(const QString& id, QSize* size) const;
  views::TablePanel* table_of(const QString& id) const;
  QString csv_of(const QString& panel) const;
  void save_picture();
  void copy_picture();
  void save_table();
  void copy_table();
  void toggle_table();
  void panel_menu(const QString& id, const QPoint& global);
  // main_window_debug.cpp
  void take_breakpoints();
  void toggle_breakpoint();
  void show_breakpoints();
  void show_breakpoint(int row);
  bool live() const;  // a model, that can be run; else what was recorded is walked through
  void play(int direction);
  void stop_playing();
  void play_on();
  int32_t next_break(int32_t from, int direction) const;
  void go_to_break(int32_t step);
  void run_recorded(int direction);
  void run_to_cursor();
  void run_to_end_of_layer();
  std::vector<trace::SpanRef> parts_of(NodeId node) const;
  void step_part(int direction);
  void show_timeline_of(NodeId node);
  // main_window_view.cpp
  ViewState view_state() const;
  void connect_history();
  void note_view();
  void go_to_view(int direction);  // -1 undo, 1 redo
  void ask_layout_name();
  void restore_layout(const QString& name);
  void update_layouts();
  // main_window_desks.cpp
  void make_desks();
  void make_desk_actions();
  void update_desk_actions();
  void use_shown_plan();
  void replan(const QString& planner, const QString& order);
  void show_comparison(std::shared_ptr<const views::Other> other);
  void compare_with_tab();
  void show_panel(const char* id);
  // main_window_documents.cpp
  void make_tabs();
  void update_tabs();
  void take_document(Document* document, const QString& title);
  void leave_document();
  void open_next();
  void go_to_first_peak();
  void retire(std::unique_ptr<Document> document);
  // main_window.cpp
  void connect_controller(Document* document);
  void retranslate();
  void update_status();
  void update_recent();
  void ask_values();
  void no_values(const QString& why);
  void show_title_bars(bool on);
  void fail(const QString& sentence) { messages_->say(MessageKind::Error, sentence); }
  void show_plan_of_row(int row);
  void frame_selection();
  NodeId selected_node() const;
  int32_t step_of(NodeId node) const;
  bool graph_has_focus() const;

  views::SessionSource source_;
  views::SelectionModel selection_;
  views::SharedAxis axis_{&source_};
  views::Theme theme_;
  std::vector<std::unique_ptr<Document>> documents_;  // at least one
  std::unique_ptr<Document> opening_;                 // not there yet
  QStringList to_open_;                               // behind that one
  size_t at_ = 0;                                     // the tab at hand
  RunController* controller_ = nullptr;               // of that tab
  Preferences preferences_;
  std::vector<Breakpoint> breakpoints_;
  std::set<int32_t> break_steps_;  // of the plan at hand
  int play_direction_ = 1, play_stride_ = 1;
  std::shared_ptr<const trace::PlanInfo> plan_before_;  // to be drawn under the one that is being made

  ActionRegistry* actions_ = nullptr;
  MessageBar* messages_ = nullptr;
  PlaybackBar* playback_ = nullptr;
  CommandPalette* palette_ = nullptr;
  views::GraphView* graph_ = nullptr;
  views::InspectorView* inspector_ = nullptr;
  views::ObjectsView* objects_ = nullptr;
  views::Breadcrumbs* breadcrumbs_ = nullptr;
  views::TensorView* values_ = nullptr;
  BreakpointPanel* break_panel_ = nullptr;
  views::FindingsView* findings_ = nullptr;
  views::LessonPanel* lesson_ = nullptr;
  LessonGuide* guide_ = nullptr;
  ReplanDesk* replan_desk_ = nullptr;
  CompareLoader* loader_ = nullptr;
  QMap<QString, views::PlotView*> plots_;
  QMap<QString, views::TablePanel*> tables_;
  QMap<QString, QDockWidget*> docks_;
  QMap<QString, const char*> dock_titles_;
  QTabBar* tabs_ = nullptr;
  QToolBar* tab_strip_ = nullptr;
  QMenu* recent_menu_ = nullptr;
  QMenu* layouts_menu_ = nullptr;
  QMenu* recover_menu_ = nullptr;
  UiWatch* watch_ = nullptr;
  FrameOverlay* frames_ = nullptr;
  QString last_panel_ = QStringLiteral("graph");
  QMenu* panels_menu_ = nullptr;
  QLabel *live_ = nullptr, *lost_ = nullptr, *progress_ = nullptr;
  QTimer play_timer_, settle_timer_, note_timer_;
  ViewHistory history_;
  QByteArray panels_;  // how they stood when they were noted last
  bool panels_moved_ = false, restoring_ = false, fresh_view_ = false;
  QString title_, paused_before_;
};

}  // namespace arenascope::app
