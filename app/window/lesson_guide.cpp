// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_guide.h"

#include <arenascope/lesson/draft.h>
#include <arenascope/lesson/stage.h>
#include <views/common/background.h>
#include <views/lesson/lesson.h>

#include <QDockWidget>
#include <QFrame>
#include <QLocale>
#include <QPointer>
#include <QThreadPool>

#include "shell.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kPatience = 60'000;  // ms for a model to be there

size_t whole_runs(const trace::Snapshot& snapshot) {
  size_t n = 0;
  for (size_t i = 0; i < snapshot.runs.size(); ++i)
    n += snapshot.runs[i].finished && snapshot.runs[i].status == trace::RunStatus::Done ? 1 : 0;
  return n;
}

// What a selection names: a tensor, or the tensors of a block.
std::pair<std::string, std::vector<std::string>> named(const Selection& selection, const SessionSource& source) {
  const trace::GraphInfo* graph = source.graph();
  const auto name = [&](trace::TensorRef ref) {
    const trace::TensorInfo* tensor = graph ? source.snapshot()->tensor(graph->id, ref) : nullptr;
    return tensor ? tensor->name : std::string();
  };
  if (const auto* block = selection.get<BlockSelection>(); block && source.plan()) {
    std::vector<std::string> names;
    for (const trace::SliceInfo& slice : source.plan()->slices)
      if (slice.block == block->block) names.push_back(name(slice.tensor));
    return {"", names};
  }
  return {name(tensor_of(selection, *source.snapshot())), {}};
}

}  // namespace

RunSettings run_settings(const lesson::Settings& s) {
  RunSettings settings;
  settings.backend = text_of(s.backend);
  settings.threads = s.threads;
  settings.planner = text_of(s.planner);
  settings.order = text_of(s.order);
  settings.strategy = text_of(s.strategy);
  settings.fuse = s.fuse;
  settings.autosave = false;
  return settings;
}

LessonGuide::LessonGuide(Shell& shell, LessonPanel* panel) : QObject(shell.window), shell_(shell), panel_(panel) {
  timer_.setInterval(30);
  connect(&timer_, &QTimer::timeout, this, &LessonGuide::go_on);
  connect(panel_, &LessonPanel::entered, this, &LessonGuide::enter);
  connect(panel_, &LessonPanel::left, this, &LessonGuide::leave);
  connect(panel_, &LessonPanel::solved, this, [this] {
    if (const lesson::LessonStep* step = panel_->current(); step && step->question) begin(step->question->then, true);
  });
  connect(panel_, &LessonPanel::enlarged, this, [this](bool large) {
    if (!large && frame_) frame_->hide();
  });
}

void LessonGuide::load() {
  const QString language = QLocale().language() == QLocale::Chinese ? QStringLiteral("zh_CN") : QStringLiteral("en");
  std::vector<lesson::Lesson> list;
  QStringList problems;
  for (const QString& id : lessons() + own_lessons() + files_) {
    auto lesson = load_lesson(id, language);
    if (lesson)
      list.push_back(std::move(*lesson));
    else
      problems << QString::fromStdString(lesson.error().message);
  }
  panel_->set_lessons(std::move(list));
  if (!problems.isEmpty()) panel_->say(problems.join(u'\n'));
}

Status LessonGuide::play(const QString& path) {
  auto lesson = load_lesson(path, {});
  if (!lesson) return lesson.error();
  if (!files_.contains(path)) files_ << path;
  load();
  shell_.layouts->apply(QStringLiteral("lesson"));
  shell_.show_panel("lesson");
  panel_->begin(text_of(lesson->id));
  return {};
}

Result<std::string> LessonGuide::draft() const {
  return lesson::draft(scene(), shell_.document().spec().toStdString(), shell_.document().title().toStdString());
}

void LessonGuide::enter() {
  if (own_layout_.isEmpty()) own_layout_ = shell_.window->saveState();
  begin(panel_->current()->actions, false);
}

void LessonGuide::leave() {
  waiting_.clear();
  timer_.stop();
  if (frame_) frame_->hide();
  if (!own_layout_.isEmpty()) {
    shell_.window->restoreState(own_layout_);
    shell_.show_panel("lesson");
  }
  own_layout_.clear();
}

void LessonGuide::begin(const std::vector<lesson::Action>& actions, bool then) {
  waiting_.assign(actions.begin(), actions.end());
  opening_.clear();
  runs_ = 0;
  planning_ = stepping_ = stopping_ = reading_ = false;
  then_ = then;
  ++number_;
  since_.start();
  timer_.start();
}

bool LessonGuide::ready() const {
  Document& document = shell_.document();
  if (reading_ || (planning_ && document.replanning()->busy())) return false;
  const RunController* runner = document.runner();
  if (stepping_ && runner->state() == RunState::Running) return false;
  if (stopping_ && runner->state() != RunState::Ready) return false;
  if (whole_runs(*document.source()->snapshot()) < runs_) return false;
  if (opening_.isEmpty()) return true;
  if (runner->spec() != opening_) return false;
  if (runner->state() == RunState::Recording) return document.source()->session() != nullptr;  // it cannot be run
  return runner->state() != RunState::Opening && document.source()->graph() != nullptr &&
         document.axis()->steps() > 0 && whole_runs(*document.source()->snapshot()) > 0;
}

QString LessonGuide::at_line(int line, const QString& what) const {
  return text_of(lesson::error_at(*panel_->open_lesson(), line, what.toStdString()).message);
}

void LessonGuide::go_on() {
  if (panel_->current() == nullptr) return timer_.stop();
  if (!ready()) {
    if (since_.elapsed() < kPatience) return;
    panel_->say(
        at_line(panel_->current()->line, tr("the window is not ready for this step: %1 is missing").arg(opening_)));
    waiting_.clear();
  }
  opening_.clear();
  runs_ = 0;
  planning_ = stepping_ = stopping_ = false;
  if (waiting_.empty()) {
    timer_.stop();
    if (then_) {
      Q_EMIT done();
    } else {
      read_figures();
    }
    return;
  }
  const lesson::Action action = waiting_.front();
  waiting_.pop_front();
  since_.restart();
  if (const QString problem = act(action); !problem.isEmpty()) panel_->say(at_line(action.line, problem));
}

lesson::Scene LessonGuide::scene() const {
  Document& document = shell_.document();
  lesson::Scene scene;
  document.source()->refresh();
  scene.snapshot = document.source()->snapshot();
  scene.graph = document.replanning()->graph();
  scene.plan = document.replanning()->shown_plan();
  scene.run = document.source()->run();
  return scene;
}

// On another thread: some figures are plans, or runs.
void LessonGuide::read_figures() {
  reading_ = true;
  close_others();
  // Who answers by a click selects in the document at hand.
  connect(shell_.document().selection(), &SelectionModel::current_changed, this, &LessonGuide::take_selection,
          Qt::UniqueConnection);
  const QString spec = shell_.document().spec();
  long_jobs()->start([self = QPointer<LessonGuide>(this), number = number_, lesson = *panel_->open_lesson(),
                      at = panel_->step(),
                      spec = spec.startsWith(QStringLiteral("lesson:")) ? std::string() : spec.toStdString(),
                      scene = scene()]() mutable {
    const lesson::LessonStep& step = lesson.steps[static_cast<size_t>(at)];
    QString problem;
    auto values = lesson::read_values(lesson, spec, lesson::tensors_read_by(step));
    if (values)
      scene.values = std::move(*values);
    else
      problem = text_of(lesson::error_at(lesson, step.line, values.error().message).message);
    lesson::evaluate_all(scene, step);
    for (const lesson::Expectation& e : step.expects) {
      const auto known = scene.known.find(e.fact);
      if (problem.isEmpty() && known == scene.known.end())
        problem = text_of(lesson::error_at(lesson, e.line, e.fact + " cannot be had").message);
      else if (problem.isEmpty() && !lesson::matches(known->second, e.value))
        problem = text_of(
            lesson::error_at(lesson, e.line, e.fact + " is " + lesson::plain(known->second) + ", not " + e.value)
                .message);
    }
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, number, scene = std::move(scene), problem] {
          if (!self || number != self->number_) return;
          self->reading_ = false;
          self->panel_->set_scene(scene);
          if (!problem.isEmpty()) self->panel_->say(problem);
          Q_EMIT self->done();
        },
        Qt::QueuedConnection);
  });
}

void LessonGuide::take_selection() {
  if (busy() || panel_->current() == nullptr) return;
  const auto [tensor, block] = named(shell_.document().selection()->current(), *shell_.document().source());
  panel_->question()->take_click(tensor, block);
}

// What is at hand as another run or step left it is run anew.
QString LessonGuide::open(const QString& spec) {
  opening_ = spec;
  Document& document = shell_.document();
  RunController* runner = document.runner();
  const RunSettings wanted = run_settings(panel_->open_lesson()->settings);
  const bool there = runner->spec() == spec && runner->state() != RunState::Empty &&
                     (runner->state() == RunState::Recording || runner->settings() == wanted);
  if (!there) {
    opened_ << spec;
    shell_.documents->open(spec, wanted);
    return {};
  }
  document.source()->show_plan(nullptr);
  if (runner->state() == RunState::Paused || runner->state() == RunState::Running) {
    runner->stop();
    stopping_ = true;
    waiting_.push_front({"run", {}, panel_->current()->line});
  }
  return {};
}

// What lessons opened before needs no tab any more.
void LessonGuide::close_others() {
  Documents& all = *shell_.documents;
  for (size_t i = all.size(); i-- > 0;)
    if (i != all.index() && opened_.contains(all[i].spec())) all.close(i);
}

QString LessonGuide::select(const std::string& name) {
  const trace::GraphInfo* graph = shell_.document().source()->graph();
  for (size_t i = 0; graph && i < graph->nodes.size() + graph->leafs.size(); ++i) {
    const bool node = i < graph->nodes.size();
    const trace::TensorInfo& t = node ? graph->nodes[i] : graph->leafs[i - graph->nodes.size()];
    if (t.name != name) continue;
    const trace::TensorRef ref =
        node ? trace::TensorRef::node(NodeId(i)) : trace::TensorRef::leaf(LeafId(i - graph->nodes.size()));
    shell_.document().selection()->select(NodeSelection{graph->id, ref});
    return {};
  }
  return tr("there is no tensor %1 in what is open").arg(text_of(name));
}

// For a class: a frame around the panel that is spoken of.
void LessonGuide::point_at(const QString& panel) {
  QDockWidget* dock = shell_.panels->dock(panel);
  if (!panel_->large_button()->isChecked() || dock == nullptr) return;
  if (!frame_) {
    frame_ = new QFrame(shell_.window);
    frame_->setAttribute(Qt::WA_TransparentForMouseEvents);
    frame_->setFrameShape(QFrame::Box);
    frame_->setLineWidth(4);
    frame_->setObjectName(QStringLiteral("lesson_pointer"));
  }
  QPalette palette = frame_->palette();
  palette.setColor(QPalette::WindowText, ThemeColours::light()[Role::Wait]);
  frame_->setPalette(palette);
  frame_->setGeometry(QRect(dock->mapTo(shell_.window, QPoint(0, 0)), dock->size()));
  frame_->raise();
  frame_->show();
}

QString LessonGuide::trigger(const char* id) {
  QAction* found = shell_.actions->find(QString::fromLatin1(id));
  shell_.actions->update();
  if (!found->isEnabled()) return tr("%1 cannot be done now").arg(found->text().remove(u'&'));
  found->trigger();
  return {};
}

// A panel that is where it should be stays as wide as it is.
QString LessonGuide::lay_out(const QString& layout) {
  if (!Layouts::names().contains(layout)) return tr("there is no layout %1").arg(layout);
  if (layout != Layouts::last() || !shell_.panels->dock(QStringLiteral("lesson"))->isVisible())
    shell_.layouts->apply(layout);
  return {};
}

QString LessonGuide::plan(const QString& planner, const QString& order) {
  Replanning* replanning = shell_.document().replanning();
  if (shell_.document().source()->graph() == nullptr) return tr("there is no graph to plan");
  ReplanWish wish;
  wish.budget_seconds = planner.isEmpty() ? 0.1 : 1;  // for each of many, or for one
  if (planner.isEmpty()) {
    replanning->set_wish(wish);
    replanning->plan_all();
  } else {
    wish.planner = planner;
    wish.order = order;
    replanning->plan(wish);
  }
  planning_ = true;
  return {};
}

// What changes how the window looks at what is open.
QString LessonGuide::look(const lesson::Action& action, const QString& argument) {
  Document& document = shell_.document();
  if (action.verb == "layout") return lay_out(argument);
  if (action.verb == "show") {
    if (shell_.panels->dock(argument) == nullptr) return tr("there is no panel %1").arg(argument);
    shell_.panels->raise(argument);
    point_at(argument);
  } else if (action.verb == "select") {
    return select(action.arguments[0]);
  } else if (action.verb == "clear") {
    document.selection()->clear();
  } else if (action.verb == "step") {
    const int step = argument == u"peak" ? shell_.playback->slider()->peak_step() : argument.toInt();
    if (step < 0 || step >= document.axis()->steps()) return tr("there is no step %1").arg(argument);
    document.axis()->set_current(Step(step));
  } else if (action.verb == "axis") {
    document.axis()->set_mode(argument == u"time" ? AxisMode::Time : AxisMode::Step);
  } else if (action.verb == "all") {
    document.axis()->frame_all();
  } else if (action.verb == "expand") {
    return trigger("graph.expand");
  }
  return {};
}

QString LessonGuide::act(const lesson::Action& action) {
  const QString argument = action.arguments.empty() ? QString() : text_of(action.arguments[0]);
  if (action.verb == "open") return open(argument);
  if (action.verb == "graph") return open(QStringLiteral("lesson:") + text_of(panel_->open_lesson()->file));
  if (action.verb == "program") return open(QStringLiteral("program:") + argument);
  if (action.verb == "plan") return plan(argument, text_of(action.arguments[1]));
  if (action.verb == "plan_all") return plan({}, {});
  if (action.verb == "run") {
    if (!shell_.document().runner()->has_model()) return tr("what is open cannot be run");
    runs_ = whole_runs(*shell_.document().source()->snapshot()) + 1;
    shell_.document().runner()->run_once();
    return {};
  }
  if (action.verb == "node") {
    stepping_ = true;
    return trigger("run.step");
  }
  if (action.verb == "stop") {
    stopping_ = true;
    return trigger("run.stop");
  }
  return look(action, argument);
}

}  // namespace arenascope::app
