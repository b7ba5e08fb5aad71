// SPDX-License-Identifier: GPL-3.0-or-later
// The toolbar: run, pause, step and stop; the current step; the shown graph of a file with several; the shown run if
// there are several (iterations of a loop, deferred subgraphs); x axis mode; planner and order. It triggers registered actions and does not access the
// engine.
#pragma once
#include <QComboBox>
#include <QLabel>
#include <QToolBar>
#include <QToolButton>

#include "app/window/actions/actions.h"
#include "app/window/document/document_content.h"
#include "step_slider.h"

namespace arenascope::app {

class PlaybackBar : public QToolBar {
  Q_OBJECT
 public:
  PlaybackBar(ActionRegistry* actions, const views::ViewContext& context, QWidget* parent = nullptr);
  void set_context(const views::ViewContext& context);  // context of another document; the theme is kept
  StepSlider* slider() const { return slider_; }
  QString step_text() const { return step_->text(); }
  QString run_text() const { return runs_->isHidden() ? QString() : run_->text(); }  // empty: at most one run
  void hide_runs(bool on);  // their number would reveal the answer to a question
  QComboBox* graph_box() const { return graph_; }
  QComboBox* planner_box() const { return planner_; }
  void set_planners(const QStringList& planners, const QStringList& orders);
  void show_choice(const QString& planner, const QString& order);
  void set_content(const DocumentContent& content);  // shows only what works on it; hidden if nothing does
  void retranslate();
  void show_playing(bool playing);  // turns Play into Pause
  void set_icons();

 Q_SIGNALS:
  void plan_requested(const QString& planner, const QString& order);

 private:
  void listen();
  void show_playback(bool shown);
  void update_step();
  void update_run();
  void update_graphs();
  QWidget* make_runs(QWidget* parent);

  ActionRegistry* actions_;
  views::ConnectionScope bond_;
  views::ViewContext context_;
  DocumentContent content_;
  QList<QAction*> playback_;  // actions that are also in menus, and separators
  QAction* slider_action_;
  StepSlider* slider_;
  QWidget* runs_;  // hidden unless there are several runs
  bool runs_hidden_ = false;
  QLabel *step_, *run_, *x_label_;
  QToolButton *by_step_, *by_time_, *by_runs_;
  QComboBox* graph_;  // hidden unless the file has several graphs
  QComboBox *planner_, *order_;
  QStringList graph_names_;  // in graph_
  bool playing_ = false;
};

}  // namespace arenascope::app
