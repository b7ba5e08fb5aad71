// SPDX-License-Identifier: GPL-3.0-or-later
// The window: a shell around the document at hand. It puts menus, panels, tabs and bars together and hands them
// another document when another tab is chosen; what belongs to a document is the document's.
#pragma once
#include <QMainWindow>

#include "shell.h"

class QToolBar;

namespace arenascope::app {

class DocumentTabs;
class Headline;
class LessonGuide;
class MessageBar;
class RecentPictures;
class StatusCorner;
class WelcomePage;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  void open(const QString& spec) { shell_.open(spec); }  // a model, zoo:NAME or a recording: into a tab of its own
  void open_all(const QStringList& specs) { documents_.open_all(specs, shell_.preferences.run); }
  void compare_with(const QString& spec);                             // a recording or a model; read in the background
  void keep_no_copies() { shell_.preferences.run.autosave = false; }  // of what is recorded
  void offer_left_behind();                                           // recordings of a program that was killed
  void apply_preferences(const Preferences& preferences);

  Document& document() { return documents_.at_hand(); }
  Documents* documents() { return &documents_; }
  Shell& shell() { return shell_; }
  views::Theme* theme() { return &theme_; }
  MessageBar* message_bar() const { return message_bar_; }
  DocumentTabs* tabs() const { return tabs_; }
  LessonGuide* lesson_guide() const { return guide_; }

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
  void show_document();  // the one at hand is another
  void follow_document();
  void take_opened(Document* document);
  void activate(const QString& panel, int row);
  void show_plan_of_row(int row);
  void show_menu(const QString& panel, const QPoint& global);
  void show_breakpoints();
  void update_title();
  void update_actions() { shell_.actions->update(); }
  void retranslate();

  views::Theme theme_;
  Documents documents_{&theme_};
  Shell shell_;
  PanelOutput output_{nullptr};
  views::ContextBond bond_;
  DocumentTabs* tabs_ = nullptr;
  MessageBar* message_bar_ = nullptr;
  StatusCorner* status_ = nullptr;
  ReplanDesk* replan_desk_ = nullptr;
  Headline* headline_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  RecentPictures* pictures_ = nullptr;
  LessonGuide* guide_ = nullptr;
};

}  // namespace arenascope::app
