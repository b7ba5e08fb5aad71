// SPDX-License-Identifier: MIT
// The options of a question, and a correct answer to it.
#include <arenascope/lesson/question.h>
#include <arenascope/planner/check.h>
#include <arenascope/planner/planner.h>
#include <arenascope/planner/rule_planner.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/answers.h"
#include "engine/lesson/fact_table.h"

namespace arenascope::lesson {
namespace {

Result<planner::Problem> problem_of(const Scene& scene, const std::vector<std::string>& names) {
  planner::Problem problem;
  problem.alignment = scene.plan && scene.plan->alignment > 0 ? scene.plan->alignment : 1;
  for (const std::string& name : names) {
    auto slice = slice_of(scene, name);
    if (!slice) return slice.error();
    problem.intervals.push_back({(*slice)->first.value, (*slice)->last.value, (*slice)->size, 0, {}, {}});
    problem.ids.push_back(name);
  }
  return problem;
}

// All tensors of the plan that is shown.
Result<planner::Problem> whole_problem(const Scene& scene) {
  auto plan = plan_of(scene);
  if (!plan) return plan.error();
  planner::Problem problem;
  problem.alignment = std::max<Bytes>((*plan)->alignment, 1);
  for (const trace::SliceInfo& slice : (*plan)->slices)
    if (slice.size > 0 && slice.first < slice.last)
      problem.intervals.push_back({slice.first.value, slice.last.value, slice.size, 0, {}, {}});
  return problem;
}

}  // namespace

Result<Bytes> arena_by(const Scene& scene, const planner::Planner& planner) {
  auto problem = whole_problem(scene);
  if (!problem) return problem.error();
  planner::Options options;
  options.budget_steps = 2'000;  // the same result under any load
  auto plan = planner.plan(*problem, options);
  if (!plan) return plan.error();
  if (auto good = planner::check(*problem, *plan); !good) return good.error();
  return plan->arena_bytes;
}

Result<std::vector<PlannedArena>> compare_rule(const Scene& scene, const std::string& rule) {
  auto own = planner::rule_planner(rule);
  if (!own) return own.error();
  std::vector<PlannedArena> arenas;
  const auto add = [&](const planner::Planner& planner) -> Status {
    auto arena = arena_by(scene, planner);
    if (arena) arenas.push_back({std::string(planner.name()), *arena});
    return arena ? Status() : Status(arena.error());
  };
  if (auto done = add(**own); !done) return done.error();
  for (const planner::Planner* planner : planner::all_planners())
    if (auto done = add(*planner); !done) return done.error();
  std::ranges::stable_sort(arenas, {}, &PlannedArena::arena);
  return arenas;
}

Result<std::vector<Piece>> pieces_of(const Scene& scene, const Question& question) {
  std::vector<Piece> pieces;
  for (const std::string& name : question.names) {
    auto slice = slice_of(scene, name);
    if (!slice) return slice.error();
    pieces.push_back({name, (*slice)->size, (*slice)->first.value, (*slice)->last.value});
  }
  return pieces;
}

Result<Answer> solution(const Scene& scene, const Question& question) {
  Answer answer;
  if (question.kind == QuestionKind::Place) {
    auto problem = problem_of(scene, question.names);
    if (!problem) return problem.error();
    planner::Options options;
    options.budget_steps = 20'000;  // the proof of optimality ends it much earlier
    if (auto limit = evaluate(scene, question.fact); limit && limit->kind == Value::Kind::Number)
      problem->capacity = static_cast<Bytes>(limit->number);
    auto plan = planner::find_planner("search")->plan(*problem, options);
    if (!plan) return plan.error();
    for (size_t i = 0; i < question.names.size(); ++i) answer.placed.push_back({question.names[i], plan->offsets[i]});
    return answer;
  }
  if (question.kind == QuestionKind::Rule) {
    for (const planner::KnownRule& known : planner::known_rules()) {
      auto verdict = judge(scene, question, {std::string(known.rule), {}, {}});
      if (!verdict) return verdict.error();
      if (verdict->right) return Answer{std::string(known.rule), {}, {}};
    }
    return Error{fmt::format("no known rule reaches {}", question.fact)};
  }
  auto truth = evaluate(scene, question.fact);
  if (!truth) return truth.error();
  if (question.kind == QuestionKind::Choice) {
    for (const Option& option : question.options)
      if (matches(*truth, option.value)) answer.text = option.value;
    if (answer.text.empty()) return Error{fmt::format("no option is correct: {} is {}", question.fact, plain(*truth))};
  } else if (question.kind == QuestionKind::Order) {
    const Result<Value> order = truth->kind == Value::Kind::List ? truth : evaluate(scene, "order_of(search)");
    if (!order) return order.error();
    for (const std::string& name : order->list)
      if (contains(question.names, name)) answer.names.push_back(name);
  } else {
    const std::vector<std::string> good = accepted(*truth);
    if (good.empty()) return Error{fmt::format("the question has no answer: {} is empty", question.fact)};
    answer.text = good.front();
    if (question.kind == QuestionKind::Block) answer.names = {good.front()};
  }
  return answer;
}

}  // namespace arenascope::lesson
