// SPDX-License-Identifier: MIT
// The model or session that a lesson opens, and a stage that plays a lesson without a window, so that its claims can be
// checked.
#pragma once
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/lesson.h>
#include <arenascope/models/model.h>
#include <arenascope/run/runner.h>
#include <arenascope/schedule/frontier.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/session.h>

#include <functional>

namespace arenascope::lesson {

// The lesson's graph as a model (lesson.computes()). Errors: as the engine's, with file and line.
Result<models::Model> lesson_model(const Lesson& lesson);
// The lesson's buffers, described, and planned without any reuse; nothing runs. Errors as above.
Result<std::shared_ptr<trace::Session>> lesson_session(const Lesson& lesson);
RunnerOptions runner_options(const Settings& settings);
// The overhead of smaller arenas for the lesson's own graph, with its planner and order. Errors: as lesson_model()'s
// and memory_frontier()'s.
Result<std::vector<FrontierPoint>> lesson_frontier(const Lesson& lesson, std::stop_token stop = {});
// The path that a lesson opens by that name: a file in the lesson's folder, or else the name itself.
std::string opened_by(const Lesson& lesson, const std::string& name);

// The arguments of `! generate N TOKENS`. Errors: N or a token is not a number, or no tokens are given.
struct GenerateRequest {
  int tokens = 0;
  std::vector<int32_t> prompt;
};
Result<GenerateRequest> parse_generate_request(const Action& action);

// The elements of tensors of a model (`spec` as for models::open_model(), or "" for the lesson's own graph), from one
// run without memory reuse. Errors: no such tensor, a type other than f32.
Result<std::map<std::string, std::vector<float>>> read_values(const Lesson& lesson, const std::string& spec,
                                                              const std::set<std::string>& tensors);

// The plan of the finding of a kind (as for the fact `saving`) that saves most for a tensor. Errors: there is none.
Result<std::shared_ptr<const trace::PlanInfo>> improved_plan(const Scene& scene, const std::string& kind,
                                                             const std::string& tensor);

// True if the action opens another model, graph or recording.
bool opens_something(const Action& action);

// The actions to do when a step is entered from any other step: first the actions of earlier steps that it depends on
// (the document opened last with the plan, selection and step shown since then, the axis, the panels and the
// experiment), then its own.
std::vector<Action> entering(const Lesson& lesson, size_t step);

// Tensors whose numbers a step's claims and question read.
std::set<std::string> tensors_read_by(const LessonStep& step);
// Evaluates all facts of a step's texts and question into scene.known; facts that are not available are skipped.
void evaluate_all(Scene& scene, const LessonStep& step);

class Stage {
 public:
  explicit Stage(const Lesson& lesson);
  ~Stage();

  // Performs the action. Actions that only a window can do (panels, axis) are validated and skipped. Errors: it cannot
  // be done now; the message has no file and line.
  Status act(const Action& action);
  // With the numbers of the tensors that the facts read.
  Result<Scene> scene(const std::set<std::string>& tensors = {});

 private:
  Status open(const std::string& name);
  Status open_graph();
  Status show(Result<std::shared_ptr<trace::Session>> session);
  Status run_model(Result<models::Model> model, const std::string& spec);
  Status find_frontier();
  Status show_lens(const Action& action);
  Status show_plan(const std::string& planner, const std::string& order);
  std::shared_ptr<const trace::GraphInfo> graph() const;

  const Lesson& lesson_;
  std::unique_ptr<trace::Recorder> recorder_;
  std::shared_ptr<trace::Session> session_;
  std::unique_ptr<Runner> runner_;
  std::string spec_;  // of what is open; "": the lesson's own graph
  bool open_ = false, has_model_ = false;
  std::vector<FrontierPlan> frontier_;
  std::shared_ptr<const std::vector<LensFrame>> lens_;
  std::shared_ptr<const trace::PlanInfo> shown_;  // in place of the run's
};

// The panels that a step shows, from top to bottom.
std::vector<std::string> panels_of(const Lesson& lesson, size_t step);
// Why a panel would be empty; "": it has content, or the lesson does not decide it.
std::string empty_panel(const std::string& panel, const Lesson& lesson, size_t step, const Scene& scene);

// Checks every claim, question and panel of a lesson. Returns the failures, each with file and line; empty: all hold.
// `visit` receives the scene of each step, with the values of its figures.
using VisitStep = std::function<void(size_t step, const Scene& scene)>;
std::vector<Error> check(const Lesson& lesson, const VisitStep& visit = nullptr);

}  // namespace arenascope::lesson
