// SPDX-License-Identifier: MIT
// What a lesson opens: its own graph as a model that runs or as a session of buffers, and a stage on which a lesson is
// played without a window, so that what it claims can be checked.
#pragma once
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/lesson.h>
#include <arenascope/models/model.h>
#include <arenascope/run/runner.h>
#include <arenascope/schedule/frontier.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/session.h>

namespace arenascope::lesson {

// The lesson's graph as a model (lesson.computes()). Errors: as the engine's, with file and line.
Result<models::Model> lesson_model(const Lesson& lesson);
// The lesson's buffers, described, and planned without any reuse; nothing runs. Errors as above.
Result<std::shared_ptr<trace::Session>> lesson_session(const Lesson& lesson);
RunnerOptions runner_options(const Settings& settings);
// What fewer bytes cost of the lesson's own graph, with its planner and order. Errors: as lesson_model()'s, memory_frontier()'s.
Result<std::vector<FrontierPoint>> lesson_frontier(const Lesson& lesson, std::stop_token stop = {});
// What a lesson opens by that name: a file that lies beside it, or else the name itself.
std::string opened_by(const Lesson& lesson, const std::string& name);

// What `! write N TOKENS` asks for. Errors: a number that is none, no tokens.
struct GenerateRequest {
  int tokens = 0;
  std::vector<int32_t> prompt;
};
Result<GenerateRequest> parse_generate_request(const Action& action);

// The numbers of tensors of a model (`spec` as models::open_model() takes it, or "" for the lesson's own graph): it is
// run once with a place of its own for each tensor. Errors: no such tensor, a type that is no f32.
Result<std::map<std::string, std::vector<float>>> read_values(const Lesson& lesson, const std::string& spec,
                                                              const std::set<std::string>& tensors);

// Whether another model, graph or recording is looked at behind it.
bool opens_something(const Action& action);

// What is to be done on entering a step, whichever step one comes from: before its own actions those of earlier steps that
// it stands on (what they opened last and the plan shown since then, layout, axis and panel).
std::vector<Action> entering(const Lesson& lesson, size_t step);

// Tensors whose numbers a step's claims and question read.
std::set<std::string> tensors_read_by(const LessonStep& step);
// Everything that a step's texts and question ask for, into scene.known; what cannot be had is left out.
void evaluate_all(Scene& scene, const LessonStep& step);

class Stage {
 public:
  explicit Stage(const Lesson& lesson);
  ~Stage();

  // Does what a step wants. What only a window has (panels, axis) is checked and passed over. Errors: it cannot be done
  // now; without file and line.
  Status act(const Action& action);
  // With the numbers of the tensors that the facts read.
  Result<Scene> scene(const std::set<std::string>& tensors = {});

 private:
  Status open(const std::string& name);
  Status open_graph();
  Status show(Result<std::shared_ptr<trace::Session>> session);
  Status run_model(Result<models::Model> model, const std::string& spec);
  Status find_frontier();
  Status show_plan(const std::string& planner, const std::string& order);
  std::shared_ptr<const trace::GraphInfo> graph() const;

  const Lesson& lesson_;
  std::unique_ptr<trace::Recorder> recorder_;
  std::shared_ptr<trace::Session> session_;
  std::unique_ptr<Runner> runner_;
  std::string spec_;  // of what is open; "": the lesson's own graph
  bool open_ = false, has_model_ = false;
  std::vector<FrontierPlan> frontier_;
  std::shared_ptr<const trace::PlanInfo> shown_;  // in place of the run's
};

// Checks every claim and question of a lesson. What is wrong, each with file and line; empty: it holds.
std::vector<Error> check(const Lesson& lesson);

}  // namespace arenascope::lesson
