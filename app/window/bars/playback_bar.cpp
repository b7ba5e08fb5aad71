// SPDX-License-Identifier: GPL-3.0-or-later
#include "playback_bar.h"
#include <arenascope/base/step_number.h>

#include <QButtonGroup>
#include <QHBoxLayout>

#include "app/window/style/icons.h"
#include "views/common/choice_names.h"
#include "views/common/format.h"
#include "views/common/shown_graph.h"

namespace arenascope::app {

using namespace views;

PlaybackBar::PlaybackBar(ActionRegistry* actions, const ViewContext& context, QWidget* parent)
    : QToolBar(parent), actions_(actions), context_(context) {
  setObjectName(QStringLiteral("playback"));
  setMovable(false);
  setIconSize(QSize(18, 18));
  for (const char* id : {"run.run", "run.pause", "run.step", "run.stop"})
    playback_ << actions_->find(QString::fromLatin1(id));
  auto* separator = new QAction(this);
  separator->setSeparator(true);
  playback_ << separator;
  for (const char* id : {"run.first", "run.back", "run.play", "run.forward", "run.next_peak"})
    playback_ << actions_->find(QString::fromLatin1(id));
  addActions(playback_);
  slider_ = new StepSlider(context.source, context.axis, context.theme, this);
  slider_action_ = addWidget(slider_);
  auto* rest = new QWidget(this);
  auto* row = new QHBoxLayout(rest);
  row->setContentsMargins(6, 0, 4, 0);
  row->setSpacing(4);
  step_ = new QLabel(rest);
  step_->setMinimumWidth(step_->fontMetrics().horizontalAdvance(QStringLiteral("step 88888/88888")));
  x_label_ = new QLabel(rest);
  auto* group = new QButtonGroup(this);
  for (QToolButton** button : {&by_step_, &by_time_, &by_runs_}) {
    *button = new QToolButton(rest);
    (*button)->setCheckable(true);
    (*button)->setAutoRaise(true);
    group->addButton(*button);
  }
  graph_ = new QComboBox(rest);
  graph_->setObjectName(QStringLiteral("shown_graph"));
  graph_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(graph_, &QComboBox::activated, this,
          [this] { context_.source->choose_graph(trace::GraphId(graph_->currentData().toInt())); });
  planner_ = new QComboBox(rest);
  order_ = new QComboBox(rest);
  for (QComboBox* box : {planner_, order_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(box, &QComboBox::activated, this,
            [this] { Q_EMIT plan_requested(planner_->currentData().toString(), order_->currentData().toString()); });
  }
  row->addWidget(step_);
  row->addWidget(graph_);
  row->addWidget(runs_ = make_runs(rest));
  row->addSpacing(6);
  for (QWidget* part : std::initializer_list<QWidget*>{x_label_, by_step_, by_time_, by_runs_}) row->addWidget(part);
  row->addSpacing(6);
  row->addWidget(planner_);
  row->addWidget(order_);
  addWidget(rest);
  connect(by_step_, &QToolButton::clicked, this, [this] { context_.axis->set_mode(AxisMode::Step); });
  connect(by_time_, &QToolButton::clicked, this, [this] { context_.axis->set_mode(AxisMode::Time); });
  connect(by_runs_, &QToolButton::clicked, this, [this] { context_.axis->set_mode(AxisMode::Time, true); });
  connect(context_.theme, &Theme::changed, this, &PlaybackBar::set_icons);
  listen();
  set_icons();
  retranslate();
}

QWidget* PlaybackBar::make_runs(QWidget* parent) {
  auto* runs = new QWidget(parent);
  auto* row = new QHBoxLayout(runs);
  row->setContentsMargins(6, 0, 0, 0);
  row->setSpacing(0);
  run_ = new QLabel(runs);
  const auto button = [&](const char* id, Qt::ArrowType arrow) {
    QAction* const action = actions_->find(QString::fromLatin1(id));
    auto* made = new QToolButton(runs);
    made->setAutoRaise(true);
    made->setArrowType(arrow);
    const auto follow = [made, action] {
      made->setEnabled(action->isEnabled());
      made->setToolTip(action->toolTip());
      made->setAccessibleName(action->iconText());
    };
    follow();
    connect(action, &QAction::changed, made, follow);
    connect(made, &QToolButton::clicked, action, &QAction::trigger);
    row->addWidget(made);
  };
  button("run.run_before", Qt::LeftArrow);
  row->addWidget(run_);
  button("run.run_behind", Qt::RightArrow);
  return runs;
}

// The shown run of the recording.
void PlaybackBar::update_run() {
  const size_t runs = context_.source->snapshot()->runs.size();
  const trace::RunId shown = context_.source->run();
  runs_->setVisible(runs > 1 && shown.valid() && !runs_hidden_);
  if (!runs_->isHidden())
    run_->setText(
        tr("run %1/%2")
            .arg(format_count(static_cast<int64_t>(shown.index()) + 1), format_count(static_cast<int64_t>(runs))));
}

void PlaybackBar::hide_runs(bool on) {
  runs_hidden_ = on;
  update_run();
}

// The graphs of the file by their names; unnamed ones by their numbers, from 1.
void PlaybackBar::update_graphs() {
  const trace::Snapshot& snapshot = *context_.source->snapshot();
  const bool choice = has_graph_choice(snapshot);
  graph_->setVisible(choice);
  QStringList names;
  for (size_t i = 0; choice && i < snapshot.graphs.size(); ++i) {
    const std::string& name = snapshot.graphs[i]->model;
    names << (name.empty() ? tr("graph %1").arg(i + 1) : QString::fromStdString(name));
  }
  if (std::exchange(graph_names_, names) != names) {
    graph_->clear();
    for (qsizetype i = 0; i < names.size(); ++i) graph_->addItem(names[i], static_cast<int>(i));
  }
  graph_->setCurrentIndex(choice ? context_.source->graph_id().value : -1);
}

void PlaybackBar::listen() {
  QObject* bond = bond_.reset();
  connect(context_.axis, &SharedAxis::mode_changed, bond, [this] { update_step(); });
  connect(context_.axis, &SharedAxis::current_changed, bond, [this] { update_step(); });
  connect(context_.axis, &SharedAxis::mapping_changed, bond, [this] { update_step(); });
  connect(context_.source, &SessionSource::changed, bond, [this] { update_step(); });
}

void PlaybackBar::set_context(const ViewContext& context) {
  context_ = context;
  listen();
  slider_->set_context(context);
  update_step();
}

void PlaybackBar::set_icons() {
  const QColor text = context_.theme->colours().text, work = context_.theme->colours()[Role::Allocation],
               stop = context_.theme->colours().category(5);
  auto set = [&](const char* id, Glyph glyph, const QColor& colour) {
    actions_->find(QString::fromLatin1(id))->setIcon(glyph_icon(glyph, colour));
  };
  set("run.run", Glyph::Run, work);
  set("run.pause", Glyph::Pause, text);
  set("run.step", Glyph::StepNode, text);
  set("run.stop", Glyph::Stop, stop);
  set("run.first", Glyph::First, text);
  set("run.back", Glyph::Back, text);
  set("run.play", playing_ ? Glyph::Pause : Glyph::Play, text);
  set("run.forward", Glyph::Forward, text);
  set("run.next_peak", Glyph::NextPeak, text);
}

void PlaybackBar::show_playing(bool playing) {
  if (std::exchange(playing_, playing) == playing) return;
  set_icons();
  const auto [text, tip] = play_texts(playing);
  actions_->rename(QStringLiteral("run.play"), text, tip);
}

void PlaybackBar::set_planners(const QStringList& planners, const QStringList& orders) {
  planner_->clear();
  order_->clear();
  for (const QString& name : planners) planner_->addItem(planner_text(name.toStdString()), name);
  for (const QString& name : orders) order_->addItem(order_text(name.toStdString()), name);
}

void PlaybackBar::show_choice(const QString& planner, const QString& order) {
  planner_->setCurrentIndex(planner_->findData(planner));
  order_->setCurrentIndex(order_->findData(order));
}

// The actions belong to menus as well, so they are removed and not hidden.
void PlaybackBar::show_playback(bool shown) {
  for (QAction* action : playback_) shown ? insertAction(slider_action_, action) : removeAction(action);
  slider_action_->setVisible(shown);
  step_->setVisible(shown);
}

void PlaybackBar::set_content(const DocumentContent& content) {
  content_ = content;
  const bool playback = !content.open || content.steps || content.role.runnable;
  const bool plans = !content.open || content.plannable;
  if (playback != slider_action_->isVisible()) show_playback(playback);
  planner_->setVisible(plans);
  order_->setVisible(plans);
  update_step();
  setVisible(playback || plans || !x_label_->isHidden() || !graph_->isHidden() || !runs_->isHidden());
}

void PlaybackBar::update_step() {
  const int steps = context_.axis->steps();
  const QString now =
      context_.axis->current().valid() ? QString::number(step_number(context_.axis->current())) : QStringLiteral("–");
  step_->setText(steps > 0 ? tr("step %1/%2").arg(now).arg(steps) : tr("no steps"));
  by_step_->setChecked(context_.axis->mode() == AxisMode::Step);
  by_time_->setChecked(context_.axis->mode() == AxisMode::Time && !context_.axis->frame().by_runs());
  by_runs_->setChecked(context_.axis->frame().by_runs());
  by_step_->setEnabled(context_.axis->has_steps());
  by_time_->setEnabled(context_.axis->has_time());
  const bool modes = !content_.open || (content_.steps && context_.axis->has_time());
  for (QWidget* part : std::initializer_list<QWidget*>{x_label_, by_step_, by_time_}) part->setVisible(modes);
  by_runs_->setVisible(modes && context_.source->snapshot()->recorded_runs() > 1);
  update_run();
  update_graphs();
}

void PlaybackBar::retranslate() {
  setWindowTitle(tr("Playback"));
  x_label_->setText(tr("x:"));
  by_step_->setText(tr("Step"));
  by_time_->setText(tr("Time"));
  by_step_->setToolTip(tr("Show steps on the x axis (T)"));
  by_time_->setToolTip(tr("Show time on the x axis (T)"));
  by_runs_->setText(tr("Runs"));
  by_runs_->setToolTip(tr("Show the whole recording on the x axis, each run equally wide (Shift+T)"));
  for (int i = 0; i < planner_->count(); ++i)
    planner_->setItemText(i, planner_text(planner_->itemData(i).toString().toStdString()));
  for (int i = 0; i < order_->count(); ++i)
    order_->setItemText(i, order_text(order_->itemData(i).toString().toStdString()));
  graph_->setToolTip(tr("Shown graph of the file, such as a method of a program"));
  graph_->setAccessibleName(tr("Graph"));
  planner_->setToolTip(tr("Memory planner"));
  planner_->setAccessibleName(tr("Planner"));
  order_->setToolTip(tr("Execution order"));
  order_->setAccessibleName(tr("Order"));
  update_step();
}

}  // namespace arenascope::app
