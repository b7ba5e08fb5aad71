// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_guide.h"

#include <QLocale>

#include "shell.h"

namespace arenascope::app {

using namespace views;

namespace {
constexpr int kPatience = 60'000;  // ms for a model to be there
}

LessonGuide::LessonGuide(Shell& shell, LessonPanel* panel) : QObject(shell.window), shell_(shell), panel_(panel) {
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
  if (planning_ && shell_.document().replanning()->busy()) return false;
  if (opening_.isEmpty()) return true;
  const RunController* controller = shell_.document().runner();
  if (controller->spec() != opening_ || shell_.document().axis()->steps() == 0 ||
      shell_.document().source()->graph() == nullptr)
    return false;
  if (controller->state() == RunState::Recording) return true;  // it cannot be run
  const auto& runs = shell_.document().source()->snapshot()->runs;
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
  if (shell_.document().runner()->spec() != spec || shell_.document().runner()->state() == RunState::Empty)
    shell_.open(spec);
  else
    shell_.document().source()->show_plan(nullptr);
  return {};
}

QString LessonGuide::act(const LessonAction& action) {
  const QString argument = action.arguments.value(0);
  const auto run = [this](const char* id) { shell_.actions->find(QString::fromLatin1(id))->trigger(); };
  if (action.verb == u"open") return open(argument);
  if (action.verb == u"graph") return open(QStringLiteral("lesson:") + lesson_);
  if (action.verb == u"layout") shell_.layouts->apply(argument);
  if (action.verb == u"show") {
    if (shell_.panels->dock(argument) == nullptr) return tr("There is no panel %1.").arg(argument);
    shell_.panels->raise(argument);
  }
  if (action.verb == u"select") {
    const trace::GraphInfo* graph = shell_.document().source()->graph();
    for (size_t i = 0; graph && i < graph->nodes.size() + graph->leafs.size(); ++i) {
      const bool node = i < graph->nodes.size();
      const trace::TensorInfo& t = node ? graph->nodes[i] : graph->leafs[i - graph->nodes.size()];
      if (t.name != argument.toStdString()) continue;
      const trace::TensorRef ref =
          node ? trace::TensorRef::node(NodeId(i)) : trace::TensorRef::leaf(LeafId(i - graph->nodes.size()));
      shell_.document().selection()->select(NodeSelection{graph->id, ref});
      return {};
    }
    return tr("There is no tensor %1 in what is open.").arg(argument);
  }
  if (action.verb == u"clear") shell_.document().selection()->clear();
  if (action.verb == u"step") {
    const int step = argument == u"peak" ? shell_.playback->slider()->peak_step() : argument.toInt();
    shell_.document().axis()->set_current(Step(step));
  }
  if (action.verb == u"axis") shell_.document().axis()->set_mode(argument == u"time" ? AxisMode::Time : AxisMode::Step);
  if (action.verb == u"all") shell_.document().axis()->frame_all();
  if (action.verb == u"plan") {
    ReplanWish wish;
    wish.planner = argument;
    wish.order = action.arguments.value(1);
    wish.budget_seconds = 1;
    shell_.document().replanning()->plan(wish);
    planning_ = true;
  }
  if (action.verb == u"plan_all") {
    shell_.document().replanning()->plan_all();
    planning_ = true;
  }
  if (action.verb == u"run") shell_.document().runner()->run_once();
  if (action.verb == u"node") run("run.step");
  if (action.verb == u"expand") run("graph.expand");
  return {};
}

}  // namespace arenascope::app
