// SPDX-License-Identifier: MIT
// Questions about generated graphs of buffers.
#include <arenascope/base/counted_random.h>
#include <arenascope/lesson/question.h>
#include <arenascope/lesson/stage.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr int kBuffers = 5, kAttempts = 512;
constexpr Bytes kBufferUnit = 512;

// Facts for which tasks exist: they do not depend on names of tensors, and an answer can be wrong. Any placement has an
// arena of at most `without_reuse`, and the order of the graph has its `peak`.
struct GeneratedFacts {
  QuestionKind kind;
  std::initializer_list<std::string_view> facts;
};
const GeneratedFacts kGeneratedFacts[] = {
    {QuestionKind::Number, {"peak", "bound", "bound_of", "arena", "without_reuse"}},
    {QuestionKind::Place, {"peak", "bound", "bound_of"}},
    {QuestionKind::Rule, {"peak", "bound", "bound_of"}},
    {QuestionKind::Order, {"node_names", "bound_of"}},
};

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed, 0) {}
  // Uniform in [from, to].
  int64_t from_to(int64_t from, int64_t to) {
    return from + static_cast<int64_t>(random_.next() % static_cast<uint64_t>(to - from + 1));
  }

 private:
  CountedRandom random_;
};

// Each buffer reads up to two earlier ones; the output reads all that no other buffer reads.
std::vector<GraphLine> random_buffers(Draw& draw) {
  constexpr Bytes kSizes[] = {1, 1, 2, 2, 3, 4, 6, 8};
  constexpr int kInputs[] = {0, 1, 1, 2};
  std::vector<GraphLine> lines;
  std::vector<bool> is_read(kBuffers, false);
  for (int i = 0; i < kBuffers; ++i) {
    GraphLine line;
    line.name = std::string(1, static_cast<char>('A' + i));
    line.bytes = kBufferUnit * kSizes[draw.from_to(0, std::ssize(kSizes) - 1)];
    std::set<int64_t> inputs;
    for (int n = i > 0 ? kInputs[draw.from_to(0, std::ssize(kInputs) - 1)] : 0; n > 0; --n)
      inputs.insert(draw.from_to(std::max(0, i - 3), i - 1));
    for (const int64_t input : inputs) {
      line.sources.push_back(lines[static_cast<size_t>(input)].name);
      is_read[static_cast<size_t>(input)] = true;
    }
    lines.push_back(std::move(line));
  }
  GraphLine output;
  output.name = "out";
  for (size_t i = 0; i < lines.size(); ++i)
    if (!is_read[i]) output.sources.push_back(lines[i].name);
  lines.push_back(std::move(output));
  return lines;
}

Result<Scene> scene_of(const std::vector<GraphLine>& graph) {
  Lesson lesson;
  lesson.file = lesson.title = "generated task";
  lesson.graph = graph;
  auto session = lesson_session(lesson);
  if (!session) return session.error();
  Scene scene;
  scene.snapshot = (*session)->snapshot();
  scene.graph = scene.snapshot->graphs.back();
  scene.plan = scene.snapshot->plans.back();
  return scene;
}

// True if an obvious answer is correct: the offered order, that of the graph, buffers in order of
// time, or one tensor after the other.
bool is_trivial(const Scene& scene, const Question& q) {
  if (q.kind == QuestionKind::Number) return false;
  if (q.kind == QuestionKind::Order) {
    std::vector<std::vector<std::string>> orders{q.names};
    const auto truth = evaluate(scene, q.fact), nodes = evaluate(scene, "node_names");
    if (truth && nodes && truth->kind == Value::Kind::Number) orders.push_back(nodes->list);
    return std::ranges::any_of(orders, [&](const std::vector<std::string>& order) {
      auto verdict = judge(scene, q, Answer{{}, order, {}});
      return !verdict || verdict->right;
    });
  }
  if (q.kind == QuestionKind::Rule) {
    auto verdict = judge(scene, q, Answer{"sort first", {}, {}});
    return !verdict || verdict->right;
  }
  auto limit = evaluate(scene, q.fact);
  auto all = evaluate(scene, "without_reuse");
  return !limit || !all || limit->number >= all->number;
}

bool is_solvable(const Scene& scene, const Question& q) {
  auto answer = solution(scene, q);
  if (!answer) return false;
  auto verdict = judge(scene, q, *answer);
  return verdict && verdict->right;
}

}  // namespace

bool can_generate(const Question& question) {
  if (question.kind == QuestionKind::Order && question.fact == "bound_of(depth-first)") return false;  // of the graph
  const std::string fact = question.fact.substr(0, question.fact.find('('));
  return std::ranges::any_of(kGeneratedFacts, [&](const GeneratedFacts& generated) {
    return generated.kind == question.kind && std::ranges::find(generated.facts, fact) != generated.facts.end();
  });
}

Result<GeneratedTask> generate_task(const Question& question, uint64_t seed) {
  if (!can_generate(question))
    return Error{fmt::format("no tasks about '{}' can be generated for this kind of question", question.fact)};
  Draw draw(seed);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    GeneratedTask task;
    task.graph = random_buffers(draw);
    auto scene = scene_of(task.graph);
    if (!scene) return scene.error();
    task.scene = std::move(*scene);
    task.question.kind = question.kind;
    task.question.fact = question.fact;
    if (!question.names.empty())
      for (auto line = task.graph.rbegin(); line != task.graph.rend(); ++line)
        if (question.kind == QuestionKind::Order || line->bytes > 0) task.question.names.push_back(line->name);
    if (is_trivial(task.scene, task.question) || !is_solvable(task.scene, task.question)) continue;
    return task;
  }
  return Error{fmt::format("no task about '{}' was found with seed {}", question.fact, seed)};
}

}  // namespace arenascope::lesson
