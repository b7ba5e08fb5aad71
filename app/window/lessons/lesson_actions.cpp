// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_actions.h"

#include <arenascope/base/step_number.h>
#include <arenascope/lesson/stage.h>
#include <views/bytes/byte_lens_view.h>
#include <views/lesson/lesson.h>

#include <QDockWidget>

#include "app/window/document/training_job.h"
#include "app/window/panels/text_panel.h"
#include "app/window/panels/training_panel.h"
#include "app/window/shell.h"
#include "panel_pointer.h"

namespace arenascope::app {

using namespace views;

namespace {

struct Driving {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::LessonPlayer)
};

constexpr double kAirAroundRuns = 0.02;  // at both sides of the runs, as a share of their time

size_t complete_runs(const trace::Snapshot& snapshot) {
  size_t n = 0;
  for (size_t i = snapshot.forgotten_runs; i < snapshot.runs.size(); ++i)
    n += snapshot.runs[i].finished && snapshot.runs[i].status == trace::RunStatus::Done ? 1 : 0;
  return n;
}

Selection tensor_named(const trace::GraphInfo* graph, const std::string& name) {
  for (size_t i = 0; graph && !name.empty() && i < graph->nodes.size() + graph->leafs.size(); ++i) {
    const bool node = i < graph->nodes.size();
    const trace::TensorInfo& t = node ? graph->nodes[i] : graph->leafs[i - graph->nodes.size()];
    if (t.name == name)
      return NodeSelection{graph->id, node ? trace::TensorRef::node(NodeId(i))
                                           : trace::TensorRef::leaf(LeafId(i - graph->nodes.size()))};
  }
  return {};
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
  settings.from_lesson = true;
  return settings;
}

LessonActions::LessonActions(Shell& shell, LessonPanel* panel) : shell_(shell), panel_(panel), stage_(shell) {
  QObject::connect(&improving_, &Background::done, panel_, [this](const std::shared_ptr<const void>& plan) {
    if (plan) shell_.document().jobs().replanning.show_plan(std::static_pointer_cast<const trace::PlanInfo>(plan));
  });
}

bool LessonActions::opened(Document& document) const { return document.runner()->settings().from_lesson; }

bool LessonActions::ready() const {
  Document& document = shell_.document();
  if (improving_.busy()) return false;
  if (lens_ && shell_.panels->widgets().bytes->busy()) return false;
  if (planning_ && document.jobs().replanning.busy()) return false;
  if (training_ && document.jobs().training.busy()) return false;
  if (generation_ && document.jobs().generation.busy()) return false;
  const RunController* runner = document.runner();
  if (stepping_ && runner->state() == RunState::Running) return false;
  if (stopping_ && runner->state() != RunState::Ready) return false;
  if (complete_runs(*document.source()->snapshot()) < runs_) return false;
  if (opening_.isEmpty()) return true;
  if (runner->spec() != opening_ || !opened(document)) return false;
  if (runner->state() == RunState::Recording) return document.source()->session() != nullptr;  // a recording
  return runner->state() != RunState::Opening && document.source()->graph() != nullptr &&
         document.axis()->steps() > 0 && complete_runs(*document.source()->snapshot()) > 0;
}

void LessonActions::settle() {
  opening_.clear();
  runs_ = 0;
  planning_ = training_ = generation_ = stepping_ = stopping_ = false;
}

bool LessonActions::stopped_a_run() { return std::exchange(rerun_, false); }

// Re-runs the current document if it is stopped or paused by an earlier step.
QString LessonActions::open(const QString& spec) {
  opening_ = spec;
  all_runs_ = false;
  Document& document = shell_.document();
  RunController* runner = document.runner();
  const RunSettings settings = run_settings(panel_->open_lesson()->settings);
  if (runner->spec() != spec || runner->state() == RunState::Empty || runner->settings() != settings) {
    shell_.documents->open(spec, settings);
    return {};
  }
  document.source()->show_plan(nullptr);
  if (runner->state() == RunState::Paused || runner->state() == RunState::Running) {
    runner->stop();
    stopping_ = rerun_ = true;
  }
  return {};
}

void LessonActions::close_others() {
  Documents& all = *shell_.documents;
  for (size_t i = all.size(); i-- > 0;)
    if (i != all.index() && opened(all[i])) all.close(i);
}

QString LessonActions::select(const std::string& name) {
  const Selection tensor = tensor_named(shell_.document().source()->graph(), name);
  if (tensor.empty()) return Driving::tr("the current document has no tensor %1").arg(text_of(name));
  shell_.document().selection()->select(tensor);
  return {};
}

void LessonActions::hover(const std::string& name) {
  shell_.document().selection()->hover(tensor_named(shell_.document().source()->graph(), name));
}

// In presentation mode a frame marks the panel.
void LessonActions::point_at(PanelId panel) {
  if (!panel_->widgets().large->isChecked()) return;
  if (!pointer_) pointer_ = new PanelPointer(shell_.window);
  pointer_->point_at(shell_.panels->dock(panel), shell_.theme->colours()[Role::Wait]);
}

void LessonActions::hide_pointer() {
  if (pointer_) pointer_->hide();
}

QString LessonActions::trigger(const char* id) {
  QAction* found = shell_.actions->find(QString::fromLatin1(id));
  shell_.actions->update();
  if (!found->isEnabled()) return Driving::tr("%1 is not available now").arg(found->text().remove(u'&'));
  found->trigger();
  return {};
}

QString LessonActions::show(const std::vector<std::string>& panels) {
  std::vector<PanelId> known;
  for (const std::string& panel : panels) {
    const auto id = panel_named(panel);
    if (!id) return Driving::tr("unknown panel %1").arg(text_of(panel));
    known.push_back(*id);
  }
  stage_.show(known);
  point_at(stage_.shown().front());
  return {};
}

// The time of the current run, or of all runs of a generation, without what opening the model took; else all of the axis.
void LessonActions::frame_runs() {
  SharedAxis* axis = shell_.document().axis();
  const auto& runs = shell_.document().source()->snapshot()->runs;
  const trace::RunId current = shell_.document().source()->run();
  if (axis->mode() != AxisMode::Time || !current.valid() || current.index() >= runs.size()) return axis->frame_all();
  const double lo = axis->frame().x_of_time(runs[all_runs_ ? 0 : current.index()].info.begin);
  const double hi = axis->frame().x_of_time(runs[all_runs_ ? runs.size() - 1 : current.index()].until());
  const double air = (hi - lo) * kAirAroundRuns;
  axis->set_range({lo - air, hi + air});
}

QString LessonActions::plan(const QString& planner, const QString& order) {
  Replanning* replanning = &shell_.document().jobs().replanning;
  if (shell_.document().source()->graph() == nullptr) return Driving::tr("no graph to plan");
  PlanRequest request;
  request.budget_seconds = planner.isEmpty() ? 0.1 : 1;  // per plan, or for a single plan
  if (planner.isEmpty()) {
    replanning->set_request(request);
    replanning->plan_all();
  } else {
    request.planner = planner;
    request.order = order;
    replanning->plan(request);
  }
  planning_ = true;
  return {};
}

// On another thread: several plans are tried.
QString LessonActions::improve(const std::string& finding, const std::string& tensor) {
  Document& document = shell_.document();
  if (document.source()->graph() == nullptr) return Driving::tr("no graph to plan");
  lesson::Scene scene;
  scene.snapshot = document.source()->snapshot();
  scene.graph = document.jobs().replanning.graph();
  scene.plan = document.jobs().replanning.shown_plan();
  scene.run = document.source()->run();
  improving_.request([scene = std::move(scene), finding, tensor](std::stop_token) -> Background::Result {
    auto plan = lesson::improved_plan(scene, finding, tensor);
    return plan ? *plan : nullptr;
  });
  return {};
}

QString LessonActions::run() {
  if (!shell_.document().runner()->has_model()) return Driving::tr("the current document cannot be run");
  runs_ = complete_runs(*shell_.document().source()->snapshot()) + 1;
  all_runs_ = false;
  shell_.document().runner()->run(false);
  return {};
}

// Through the panel, like a user.
QString LessonActions::generate(const lesson::Action& action) {
  const auto order = lesson::parse_generate_request(action);
  if (!order) return text_of(order.error().message);
  if (!shell_.document().runner()->has_model()) return Driving::tr("the current document cannot be run");
  auto* panel = shell_.panels->widgets().text;
  QStringList prompt;
  for (const int32_t id : order->prompt) prompt << QString::number(id);
  panel->prompt()->setText(prompt.join(u' '));
  panel->number()->setValue(order->tokens);
  panel->write();
  generation_ = all_runs_ = true;
  return {};
}

QString LessonActions::show_lens(const lesson::Action& action) {
  auto request = lesson::parse_lens_request(action.arguments);
  if (!request) return text_of(request.error().message);
  shell_.panels->widgets().bytes->show_experiment(text_of(request->experiment), request->input);
  lens_ = true;
  return {};
}

std::shared_ptr<const std::vector<lesson::LensFrame>> LessonActions::lens() const {
  if (!lens_) return nullptr;
  return std::make_shared<const std::vector<lesson::LensFrame>>(shell_.panels->widgets().bytes->frames());
}

QString LessonActions::find_frontier() {
  if (!shell_.document().runner()->has_model()) return Driving::tr("the current document cannot be run");
  shell_.panels->widgets().training->find_frontier();
  training_ = true;
  return {};
}

// Actions that change the view of the current document.
QString LessonActions::adjust_view(const lesson::Action& action, const QString& argument) {
  Document& document = shell_.document();
  if (action.verb == "show") return show(action.arguments);
  if (action.verb == "select") {
    return select(action.arguments[0]);
  } else if (action.verb == "clear") {
    document.selection()->clear();
  } else if (action.verb == "step") {
    const int64_t step = argument == u"peak" ? shell_.playback->slider()->peak_step() : step_index(argument.toInt());
    if (step < 0 || step >= document.axis()->steps()) return Driving::tr("no step %1").arg(argument);
    document.axis()->set_current(Step(static_cast<int32_t>(step)));
  } else if (action.verb == "axis") {
    document.axis()->set_mode(argument == u"time" ? AxisMode::Time : AxisMode::Step);
  } else if (action.verb == "all") {
    frame_runs();
  } else if (action.verb == "expand") {
    return trigger("graph.expand");
  }
  return {};
}

QString LessonActions::act(const lesson::Action& action) {
  const QString argument = action.arguments.empty() ? QString() : text_of(action.arguments[0]);
  if (action.verb == "open") return open(text_of(lesson::opened_by(*panel_->open_lesson(), argument.toStdString())));
  if (action.verb == "graph") return open(QStringLiteral("lesson:") + text_of(panel_->open_lesson()->file));
  if (action.verb == "program") return open(QStringLiteral("program:") + argument);
  if (action.verb == "plan") return plan(argument, text_of(action.arguments[1]));
  if (action.verb == "plan_all") return plan({}, {});
  if (action.verb == "improve") return improve(action.arguments[0], action.arguments[1]);
  if (action.verb == "frontier") return find_frontier();
  if (action.verb == "generate") return generate(action);
  if (action.verb == "run") return run();
  if (action.verb == "lens") return show_lens(action);
  if (action.verb == "node") {
    stepping_ = true;
    return trigger("run.step");
  }
  if (action.verb == "stop") {
    stopping_ = true;
    return trigger("run.stop");
  }
  return adjust_view(action, argument);
}

}  // namespace arenascope::app
