// SPDX-License-Identifier: MIT
// Which answers a fact accepts: used to judge an answer and to find a correct one.
#pragma once
#include <arenascope/graph/lifetime.h>
#include <arenascope/lesson/question.h>
#include <arenascope/planner/planner.h>

#include <algorithm>
#include <span>

namespace arenascope::lesson {

inline bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

inline std::vector<std::string> accepted(const Value& value) {
  if (value.kind == Value::Kind::List) return value.list;
  return {plain(value)};
}

// solution.cpp: the arena of a planner for the tensors of the plan that is shown, with a budget in search steps.
Result<Bytes> arena_by(const Scene& scene, const planner::Planner& planner);

// order_play.cpp: the steps of an order given by names. The verdict names a node that precedes one of its inputs; the
// order then ends before that node.
Result<std::vector<NodeId>> order_of(const Scene& scene, const std::vector<std::string>& names, Verdict& verdict);
// Lifetimes in a complete order of the scene's graph. Errors: an invalid order.
Result<std::vector<Lifetime>> order_lives(const Scene& scene, std::span<const NodeId> order);
bool is_live(const std::vector<Lifetime>& lives, size_t node, int32_t step);
std::vector<Bytes> live_by_step(const std::vector<Lifetime>& lives, size_t steps);

}  // namespace arenascope::lesson
