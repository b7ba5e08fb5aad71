// SPDX-License-Identifier: GPL-3.0-or-later
// The main window. It owns menus, panels, tabs and bars and connects them to the current document, which owns its own
// state.
#pragma once
#include <QMainWindow>

#include "shell.h"

class QToolBar;

namespace arenascope::app {

class DocumentTabs;
class SummaryBar;
class LessonPlayer;
class MessageBar;
class RecentThumbnails;
class StatusWidget;
class WelcomePage;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  void open(const QString& spec) { shell_.open(spec); }  // opens a model, zoo:NAME or recording in a new tab
  void open_all(const QStringList& specs);
  void compare_with(const QString& spec);                             // a recording or model, loaded in the background
  void keep_no_copies() { shell_.preferences.run.autosave = false; }  // disables saving of live recordings
  void offer_recovery();                                              // offers recordings of a crashed program
  void apply_preferences(const Preferences& preferences);

  Document& document() { return documents_.current(); }
  Documents* documents() { return &documents_; }
  Shell& shell() { return shell_; }
  views::Theme* theme() { return &theme_; }
  DocumentTabs* tabs() const { return tabs_; }
  LessonPlayer* lesson_player() const { return guide_; }
  MessageBar* message_bar() const { return shell_.message_bar; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  void make_panels();
  void make_actions();
  void make_bars();
  void connect_parts();
  void show_document();  // after a change of the current document
  void follow_document();
  void follow_content();
  void update_bars();
  void on_opened(Document* document);
  void activate(PanelId panel, int row);
  void show_plan_of_row(int row);
  void show_plan_choice();
  void show_menu(PanelId panel, const QPoint& global);
  void show_breakpoints();
  void update_title();
  void update_actions() { shell_.actions->update(); }
  void retranslate();

  views::Theme theme_;
  Documents documents_{&theme_};
  Shell shell_;
  PanelOutput output_{nullptr};
  views::ConnectionScope bond_;
  DocumentTabs* tabs_ = nullptr;
  StatusWidget* status_ = nullptr;
  ReplanPresenter* replan_presenter_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  RecentThumbnails* pictures_ = nullptr;
  LessonPlayer* guide_ = nullptr;
  bool had_content_ = false;  // when the panels followed the document last
};

}  // namespace arenascope::app
