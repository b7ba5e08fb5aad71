// SPDX-License-Identifier: MIT
// Which answers a fact accepts: used to judge an answer and to find a correct one.
#pragma once
#include <arenascope/lesson/question.h>
#include <arenascope/planner/planner.h>

#include <algorithm>

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

}  // namespace arenascope::lesson
