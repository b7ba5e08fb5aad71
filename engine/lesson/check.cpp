// SPDX-License-Identifier: MIT
// Checks a lesson without a window: evaluates all claims and gives right and wrong answers to all questions.
#include <arenascope/lesson/question.h>
#include <arenascope/lesson/stage.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/lesson/check_text.h"
#include "engine/lesson/fact_table.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

class Checker {
 public:
  Checker(const Lesson& lesson, const VisitStep& visit) : lesson_(lesson), visit_(visit), stage_(lesson) {}

  std::vector<Error> run() {
    for (size_t i = 0; i < lesson_.steps.size(); ++i) check_step(i);
    if (std::ranges::none_of(lesson_.steps, [](const LessonStep& s) { return s.question.has_value(); }))
      say(1, "the lesson has no questions");
    return std::move(problems_);
  }

 private:
  void say(int line, const std::string& what) { problems_.push_back(error_at(lesson_, line, what)); }

  void check_step(size_t number) {
    const LessonStep& step = lesson_.steps[number];
    for (const Action& action : step.actions) {
      const bool opens = opens_something(action);
      if (broken_ && !opens) return;  // already reported: later checks would only report that nothing is open
      auto done = stage_.act(action);
      broken_ = opens && !done;
      if (!done) say(action.line, done.error().message);
    }
    if (broken_) return;
    if (step.expects.empty() && !step.question)
      say(step.line, "the step has no 'expect': nothing backs what it states");
    auto scene = stage_.scene(tensors_read_by(step));
    if (!scene) return say(step.line, scene.error().message);
    for (const Expectation& e : step.expects) {
      auto value = evaluate(*scene, e.fact);
      if (!value)
        say(e.line, value.error().message);
      else if (!matches(*value, e.value))
        say(e.line, fmt::format("{} is {}, not {}", e.fact, described(*value), e.value));
      if (value) expected_.push_back(std::move(*value));
      for (const std::string& argument : split(e.fact, "(), "))  // graph_overhead(4) is about four nodes
        if (const auto given = parse_integer(argument)) expected_.push_back(number_value(static_cast<double>(*given)));
    }
    evaluate_all(*scene, step);
    for (const std::string& problem : figure_problems(*scene, step)) say(step.line, problem);
    for (const std::string& problem : unbacked_words(step, expected_)) say(step.line, problem);
    check_panels(number, *scene);
    if (visit_) visit_(number, *scene);
    if (step.question) check_question(*scene, *step.question);
  }

  void check_panels(size_t number, const Scene& scene) {
    const LessonStep& step = lesson_.steps[number];
    const std::vector<std::string> panels = panels_of(lesson_, number);
    if (panels.empty()) say(step.line, "the step shows no panel");
    for (const std::string& panel : panels)
      if (const std::string why = empty_panel(panel, lesson_, number, scene); !why.empty())
        say(step.line, fmt::format("the panel '{}' is empty: {}", panel, why));
    if (std::ranges::find(panels, "occupancy") != panels.end() && shows_own_graph(number)) check_peak(step, scene);
    if (!step.question) return;
    for (const std::string& panel : step.question->read)
      if (std::ranges::find(panels, panel) == panels.end())
        say(step.question->line, fmt::format("the answer is read from '{}', which the step does not show", panel));
  }

  bool shows_own_graph(size_t number) const {
    bool own = false;
    for (const Action& action : entering(lesson_, number))
      if (opens_something(action)) own = action.verb == "graph";
    return own;
  }

  // Sizes are aligned in the lower bound but not in the peak, which then looks wrong.
  void check_peak(const LessonStep& step, const Scene& scene) {
    const std::vector<Bytes> live = scene.plan ? trace::Snapshot::occupancy(*scene.plan) : std::vector<Bytes>();
    if (live.empty() || scene.plan->lower_bound_bytes <= std::ranges::max(live)) return;
    say(step.line,
        fmt::format("the panel 'occupancy' shows a peak of {} below the lower bound of {}: use sizes that are "
                    "multiples of {}",
                    shown(bytes_value(std::ranges::max(live))), shown(bytes_value(scene.plan->lower_bound_bytes)),
                    shown(bytes_value(scene.plan->alignment))));
  }

  void check_question(const Scene& scene, const Question& q) {
    auto answer = solution(scene, q);
    if (!answer) return say(q.line, answer.error().message);
    auto verdict = judge(scene, q, *answer);
    if (!verdict)
      say(q.line, verdict.error().message);
    else if (!verdict->right)
      say(q.line, q.kind == QuestionKind::Place
                      ? fmt::format("the tensors do not fit into {} ({} bytes): the best known placement takes {}",
                                    q.fact, verdict->limit, verdict->bytes)
                      : "the answer that would be revealed is wrong");
    int right = 0;
    for (const Option& option : q.options) {
      auto judged = judge(scene, q, Answer{option.value, {}, {}});
      right += judged && judged->right ? 1 : 0;
      if (judged && !judged->right && option.why.empty())
        say(q.line, fmt::format("the wrong option '{}' has no explanation", option.text));
    }
    if (q.kind == QuestionKind::Choice && right != 1)
      say(q.line, fmt::format("{} options are correct, expected 1", right));
    for (const WrongAnswer& wrong : q.wrong) {
      auto value = evaluate(scene, wrong.fact);
      if (!value) {
        say(q.line, value.error().message);
        continue;
      }
      for (const std::string& given :
           value->kind == Value::Kind::List ? value->list : std::vector<std::string>{plain(*value)}) {
        auto judged = judge(scene, q, Answer{given, {}, {}});
        if (judged && !judged->right && judged->text == wrong.text) continue;
        say(q.line, fmt::format("the answer {} ({}) is not wrong, or has another explanation", wrong.fact, given));
        break;
      }
    }
    for (const Action& action : q.then)
      if (auto done = stage_.act(action); !done) say(action.line, done.error().message);
  }

  // The value as a lesson would state it, followed by the form with a unit if that differs.
  static std::string described(const Value& value) {
    const std::string bare = plain(value), whole = shown(value, false);
    return bare == whole ? bare : fmt::format("{} ({})", bare, whole);
  }

  const Lesson& lesson_;
  const VisitStep& visit_;
  std::vector<Value> expected_;  // expected values of all steps so far
  bool broken_ = false;          // an action that opens something failed
  Stage stage_;
  std::vector<Error> problems_;
};

}  // namespace

std::set<std::string> tensors_read_by(const LessonStep& step) {
  std::set<std::string> tensors;
  for (const Expectation& e : step.expects) tensors.merge(tensors_read_by(e.fact));
  if (!step.question) return tensors;
  tensors.merge(tensors_read_by(step.question->fact));
  for (const WrongAnswer& w : step.question->wrong) tensors.merge(tensors_read_by(w.fact));
  return tensors;
}

void evaluate_all(Scene& scene, const LessonStep& step) {
  const auto keep = [&](const std::string& fact) {
    if (auto value = evaluate(scene, fact); value) scene.known[fact] = std::move(*value);
  };
  for (const Expectation& e : step.expects) keep(e.fact);
  if (!step.question) return;
  keep(step.question->fact);
  for (const WrongAnswer& w : step.question->wrong) keep(w.fact);
}

std::vector<Error> check(const Lesson& lesson, const VisitStep& visit) { return Checker(lesson, visit).run(); }

}  // namespace arenascope::lesson
