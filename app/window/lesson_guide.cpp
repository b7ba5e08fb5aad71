// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_guide.h"

#include <QLocale>

#include "main_window.h"
#include "replan_desk.h"

namespace arenascope::app {

using namespace views;

namespace {
constexpr int kPatience = 60'000;  // ms for a model to be there
}

LessonGuide::LessonGuide(MainWindow* window, LessonPanel* panel) : QObject(window), window_(window), panel_(panel) {
  timer_.setInterval(30);
  connect(&timer_, &QTimer::timeout, this, &LessonGuide::go_on);
  connect(panel_, &LessonPanel::entered, this,
          [this](const QString& lesson, int, const std::vector<LessonAction>& actions) { begin(lesson, actions); });
}

void LessonGuide::load() {
  const QString language = QLocale().language() == QLocale::Chinese ? QStringLiteral("zh_CN") : QStringLiteral("en");
  std::vector<Lesson> list;
  QString problem;
  for (const QString& id : lessons()) {
    auto lesson = load_lesson(id, language);
    if (lesson)
      list.push_back(std::move(*lesson));
    else
      problem = QString::fromStdString(lesson.error().message);
  }
  panel_->set_lessons(std::move(list));
  if (!problem.isEmpty()) panel_->say(problem);
}

void LessonGuide::begin(const QString& lesson, const std::vector<LessonAction>& actions) {
  lesson_ = lesson;
  waiting_.assign(actions.begin(), actions.end());
  opening_.clear();
  planning_ = false;
  since_.start();
  timer_.start();
}

bool LessonGuide::ready() const {
  if (planning_ && window_->replan_desk()->replanner()->busy()) return false;
  if (opening_.isEmpty()) return true;
  const RunController* controller = window_->controller();
  if (controller->spec() != opening_ || window_->axis()->steps() == 0 || window_->source()->graph() == nullptr)
    return false;
  if (controller->state() == RunState::Recording) return true;  // it cannot be run
  const auto& runs = window_->source()->snapshot()->runs;
  return controller->state() != RunState::Opening && !runs.empty() && runs[0].finished;
}

void LessonGuide::go_on() {
  if (!ready()) {
    if (since_.elapsed() < kPatience) return;
    panel_->say(tr("The window is not ready for this step: %1 is missing.").arg(opening_));
    waiting_.clear();
  } else {
    opening_.clear();
    planning_ = false;
  }
  if (waiting_.empty()) {
    timer_.stop();
    Q_EMIT done();
    return;
  }
  const LessonAction action = waiting_.front();
  waiting_.pop_front();
  since_.restart();
  if (const QString problem = act(action); !problem.isEmpty()) panel_->say(problem);
}

QString LessonGuide::open(const QString& spec) {
  opening_ = spec;
  if (window_->controller()->spec() != spec || window_->controller()->state() == RunState::Empty)
    window_->open(spec);
  else
    window_->source()->show_plan(nullptr);
  return {};
}

QString LessonGuide::act(const LessonAction& action) {
  const QString argument = action.arguments.value(0);
  const auto run = [this](const char* id) { window_->actions()->find(QString::fromLatin1(id))->trigger(); };
  if (action.verb == u"open") return open(argument);
  if (action.verb == u"graph") return open(QStringLiteral("lesson:") + lesson_);
  if (action.verb == u"layout") window_->apply_layout(argument);
  if (action.verb == u"show") {
    QDockWidget* dock = window_->dock(argument);
    if (!dock) return tr("There is no panel %1.").arg(argument);
    dock->show();
    dock->raise();
  }
  if (action.verb == u"select") {
    const trace::GraphInfo* graph = window_->source()->graph();
    for (size_t i = 0; graph && i < graph->nodes.size() + graph->leafs.size(); ++i) {
      const bool node = i < graph->nodes.size();
      const trace::TensorInfo& t = node ? graph->nodes[i] : graph->leafs[i - graph->nodes.size()];
      if (t.name != argument.toStdString()) continue;
      const trace::TensorRef ref =
          node ? trace::TensorRef::node(NodeId(i)) : trace::TensorRef::leaf(LeafId(i - graph->nodes.size()));
      window_->selection()->select(NodeSelection{graph->id, ref});
      return {};
    }
    return tr("There is no tensor %1 in what is open.").arg(argument);
  }
  if (action.verb == u"clear") window_->selection()->clear();
  if (action.verb == u"step") {
    const int step = argument == u"peak" ? window_->playback()->slider()->peak_step() : argument.toInt();
    window_->axis()->set_current(Step(step));
  }
  if (action.verb == u"axis") window_->axis()->set_mode(argument == u"time" ? AxisMode::Time : AxisMode::Step);
  if (action.verb == u"all") window_->axis()->frame_all();
  if (action.verb == u"plan") {
    ReplanWish wish;
    wish.planner = argument;
    wish.order = action.arguments.value(1);
    wish.budget_seconds = 1;
    window_->replan_desk()->plan(wish);
    planning_ = true;
  }
  if (action.verb == u"plan_all") {
    window_->replan_desk()->plan_all();
    planning_ = true;
  }
  if (action.verb == u"run") window_->controller()->run_once();
  if (action.verb == u"node") run("run.step");
  if (action.verb == u"expand") run("graph.expand");
  return {};
}

}  // namespace arenascope::app
