// SPDX-License-Identifier: MIT
// Execution orders as answers: checked against the inputs of each node, and played step by step.
#include <arenascope/graph/order.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/schedule/restore.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/answers.h"
#include "engine/lesson/fact_table.h"

namespace arenascope::lesson {

Result<std::vector<NodeId>> order_of(const Scene& scene, const std::vector<std::string>& names, Verdict& verdict) {
  std::vector<NodeId> order;
  for (const std::string& name : names) {
    auto found = tensor_of(scene, name);
    if (!found) return found.error();
    for (trace::TensorRef source : found->info->sources) {
      const std::string read = name_of(*scene.graph, source);
      if (!source.is_node() || !contains(names, read)) continue;
      if (std::ranges::any_of(order, [&](NodeId n) { return trace::TensorRef::node(n) == source; })) continue;
      verdict.why = Verdict::Why::NotBefore;
      verdict.names = {name, read};
      return order;
    }
    order.push_back(NodeId(found->ref.index()));
  }
  return order;
}

Result<std::vector<Lifetime>> order_lives(const Scene& scene, std::span<const NodeId> order) {
  auto graph = restore_graph(*scene.graph);
  if (!graph) return graph.error();
  if (auto good = check_order(*graph, order); !good) return good.error();
  return find_lifetimes(*graph, order);
}

bool is_live(const std::vector<Lifetime>& lives, size_t node, int32_t step) {
  const Lifetime& life = lives[node];
  return life.in_arena() && life.owner == NodeId(node) && life.first.value <= step && step < life.last.value;
}

std::vector<Bytes> live_by_step(const std::vector<Lifetime>& lives, size_t steps) {
  std::vector<Bytes> live(steps, 0);
  for (size_t i = 0; i < lives.size(); ++i)
    for (size_t step = 0; step < steps; ++step)
      if (is_live(lives, i, static_cast<int32_t>(step))) live[step] += lives[i].bytes;
  return live;
}

Bytes OrderRun::peak() const { return live.empty() ? 0 : std::ranges::max(live); }

namespace {

// The first `steps` steps of an order. The nodes that it lacks follow in the order of the graph.
Result<OrderRun> run_of(const Scene& scene, std::vector<NodeId> order) {
  const size_t steps = order.size();
  for (size_t i = 0; i < scene.graph->nodes.size(); ++i)
    if (std::ranges::find(order, NodeId(i)) == order.end()) order.push_back(NodeId(i));
  auto lives = order_lives(scene, order);
  if (!lives) return lives.error();
  OrderRun run;
  run.live = live_by_step(*lives, order.size());
  run.live.resize(steps);
  for (size_t i = 0; i < steps; ++i) run.nodes.push_back(name_of(*scene.graph, trace::TensorRef::node(order[i])));
  return run;
}

}  // namespace

Result<PlayedOrder> play_order(const Scene& scene, const Question& question, const Answer& answer) {
  if (question.kind != QuestionKind::Order) return Error{"only a question for an order can be played"};
  auto limit = evaluate(scene, question.fact);
  if (!limit) return limit.error();
  PlayedOrder out;
  Verdict verdict;
  auto order = order_of(scene, answer.names, verdict);
  if (!order) return order.error();
  auto given = run_of(scene, *order);
  if (!given) return given.error();
  out.given = std::move(*given);
  if (verdict.why == Verdict::Why::NotBefore) {
    out.node = verdict.names[0];
    out.missing = verdict.names[1];
    return out;
  }
  if (limit->kind != Value::Kind::Number) return out;
  out.limit = static_cast<Bytes>(limit->number);
  auto right = solution(scene, question);
  if (!right) return right.error();
  Verdict good;
  auto better = order_of(scene, right->names, good);
  if (!better) return better.error();
  auto played = run_of(scene, *better);
  if (!played) return played.error();
  out.better = std::move(*played);
  return out;
}

}  // namespace arenascope::lesson
