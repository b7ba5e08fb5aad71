// SPDX-License-Identifier: GPL-3.0-or-later
// The window: owns the one selection, the one x axis, the theme and the run controller, and puts the views into docks.
#pragma once
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QTabBar>
#include <QTimer>
#include <views/graph/graph_view.h>
#include <views/inspector/inspector_view.h>
#include <views/tables/objects_view.h>
#include <views/tables/table_panel.h>
#include <views/tensor/tensor_view.h>

#include "actions.h"
#include "command_palette.h"
#include "document.h"
#include "message_bar.h"
#include "playback_bar.h"
#include "run_controller.h"
#include "settings.h"

namespace arenascope::views {
class PlotView;
}

namespace arenascope::app {

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  void open(const QString& spec);  // a model, zoo:NAME or a recording: into a tab of its own
  void show_session(std::shared_ptr<trace::Session> session, const QString& title);
  void show_document(size_t index);
  void close_document(int index);
  void next_document(int direction);
  size_t document_count() const { return documents_.size(); }
  QTabBar* tabs() const { return tabs_; }
  void compare_with(const QString& recording);

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
  views::ObjectsView* objects_view() { return objects_; }
  QDockWidget* dock(const QString& id) const { return docks_.value(id); }
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }

  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  void apply_preferences(const Preferences& preferences);
  const Preferences& preferences() const { return preferences_; }
  void apply_layout(const QString& name);  // "default", "graph", "memory", "time"
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
  void show_preferences();
  void show_breakpoints();
  void show_zoo();
  // main_window_documents.cpp
  void make_tabs();
  void update_tabs();
  void take_document(Document* document, const QString& title);
  void leave_document();
  void retire(std::unique_ptr<Document> document);
  // main_window.cpp
  void connect_controller(Document* document);
  void retranslate();
  void update_status();
  void update_recent();
  void take_breakpoints();
  void ask_values();
  void no_values(const QString& why);
  void show_title_bars(bool on);
  void toggle_breakpoint();
  void fail(const QString& sentence) { messages_->say(MessageKind::Error, sentence); }
  void show_plan_of_row(int row);
  void save_picture();
  void save_table();
  void frame_selection();
  void run_to_end_of_layer();
  NodeId selected_node() const;
  int32_t step_of(NodeId node) const;
  bool graph_has_focus() const;

  views::SessionSource source_;
  views::SelectionModel selection_;
  views::SharedAxis axis_{&source_};
  views::Theme theme_;
  std::vector<std::unique_ptr<Document>> documents_;  // at least one
  std::unique_ptr<Document> opening_;                 // not there yet
  size_t at_ = 0;                                     // the tab at hand
  RunController* controller_ = nullptr;               // of that tab
  Preferences preferences_;
  std::vector<Breakpoint> breakpoints_;
  std::shared_ptr<trace::Session> other_;  // compared with

  ActionRegistry* actions_ = nullptr;
  MessageBar* messages_ = nullptr;
  PlaybackBar* playback_ = nullptr;
  CommandPalette* palette_ = nullptr;
  views::GraphView* graph_ = nullptr;
  views::InspectorView* inspector_ = nullptr;
  views::ObjectsView* objects_ = nullptr;
  views::TensorView* values_ = nullptr;
  QMap<QString, views::PlotView*> plots_;
  QMap<QString, views::TablePanel*> tables_;
  QMap<QString, QDockWidget*> docks_;
  QMap<QString, const char*> dock_titles_;
  QTabBar* tabs_ = nullptr;
  QToolBar* tab_strip_ = nullptr;
  QMenu* recent_menu_ = nullptr;
  QMenu* panels_menu_ = nullptr;
  QLabel *live_ = nullptr, *lost_ = nullptr, *progress_ = nullptr;
  QTimer play_timer_, settle_timer_;
  QString title_;
};

}  // namespace arenascope::app
