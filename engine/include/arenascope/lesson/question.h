// SPDX-License-Identifier: MIT
// Judging an answer: right, or what would follow if it were so. Computed from the same facts as the text's figures; the
// only sentences kept are those that a lesson's author wrote.
#pragma once
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/lesson.h>

namespace arenascope::lesson {

// A tensor put at an offset of the arena.
struct Placed {
  std::string name;
  Bytes offset = 0;
};

struct Answer {
  std::string text;                // Choice: the option's value; Node, Barrier: the node; Number, Rule: as it was typed
  std::vector<std::string> names;  // Order: the nodes; Block: the tensors of the block
  std::vector<Placed> placed;      // Place
};

struct Verdict {
  enum class Why : uint8_t {
    None,        // right, or nothing more to say
    Authored,    // `text`
    NoNumber,    // it cannot be read
    TooSmall,    // at `step` the tensors `names` live together: `bytes`; or no more than that
    TooLarge,    // `bytes` of it would never be used
    Reads,       // names[0] reads the other names, not `text`
    NotRead,     // `text` does not read names[0]
    RunsOn,      // names[0] is computed by `text`
    Waits,       // after names[0] the threads waited `time`, which is not the longest
    Clicked,     // names[0] has `bytes` and lives in the steps [first, last]
    Collides,    // names[0] and names[1] both live in [first, last] and share `bytes` bytes
    Misaligned,  // names[0] begins at no multiple of `bytes`
    BadRule,     // the rule cannot be read: `text`
    Arena,       // everything fits, but the arena takes `bytes`, and `limit` would do
    Missing,     // names are not placed yet
    NotBefore,   // names[0] is before names[1], which it reads
    HigherPeak,  // the order works, but at `step` `names` live: `bytes`, and `limit` would do
    Order,       // at position `step` is names[0] instead of names[1]
  };
  bool right = false;
  Why why = Why::None;
  std::string text;
  std::vector<std::string> names;
  Bytes bytes = 0, limit = 0;
  Bytes offset = 0;  // Collides: of the shared bytes
  Nanoseconds time = 0;
  int32_t step = -1, first = -1, last = -1;
};

// Errors: a question whose facts cannot be had.
Result<Verdict> judge(const Scene& scene, const Question& question, const Answer& answer);
// Judges one tensor at an offset, given those that are already placed; right means that it fits.
Result<Verdict> judge_place(const Scene& scene, const std::vector<Placed>& placed, const Placed& next);
// An execution order that is played step by step.
struct OrderRun {
  std::vector<std::string> nodes;
  std::vector<Bytes> live;  // bytes alive at each step
  Bytes peak() const;
};
// The consequence of a wrong order: the run ends at a node whose input does not exist yet, or it needs more memory than
// a better order.
struct PlayedOrder {
  OrderRun given;       // up to the step before the one that fails
  OrderRun better;      // of the solution; empty if the run fails
  Bytes limit = 0;      // of the peak; 0: none
  std::string node;     // which cannot be computed; empty: the run does not fail
  std::string missing;  // its input, which is computed later
};
// Errors: those of judge(), not a question for an order.
Result<PlayedOrder> play_order(const Scene& scene, const Question& question, const Answer& answer);

// A correct answer, which is shown when the solution is revealed.
Result<Answer> solution(const Scene& scene, const Question& question);

// The arenas of a rule (planner/rule_planner.h) and of all planners for the tensors of the plan that is shown, smallest
// first. Errors: a malformed rule.
struct PlannedArena {
  std::string planner;  // "rule" for the rule
  Bytes arena = 0;
};
Result<std::vector<PlannedArena>> compare_rule(const Scene& scene, const std::string& rule);

// The same question about another graph, generated from a seed.
struct GeneratedTask {
  Scene scene;
  Question question;             // without texts that are about the lesson's own graph
  std::vector<GraphLine> graph;  // its buffers
};
// True for kinds of questions and facts for which a task exists: numbers, placements, rules and orders about the graph
// as a whole, such as bound or bound_of(ge).
bool can_generate(const Question& question);
// Deterministic per seed. Errors: not can_generate(), or no task was found with this seed.
Result<GeneratedTask> generate_task(const Question& question, uint64_t seed);

// The panels that show the answer and are hidden until it is given. Those that the question is about are left out; a
// question that is answered by a click hides nothing.
std::set<std::string> panels_with_answer(const Question& question);

// A tensor that the user places in the arena to answer the question.
struct Piece {
  std::string name;
  Bytes bytes = 0;
  int32_t first = 0, last = 0;  // steps, half-open
};
Result<std::vector<Piece>> pieces_of(const Scene& scene, const Question& question);

}  // namespace arenascope::lesson
