// SPDX-License-Identifier: MIT
// Which answers a fact accepts: used to judge an answer and to find a correct one.
#pragma once
#include <arenascope/lesson/question.h>

#include <algorithm>

namespace arenascope::lesson {

inline bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

inline std::vector<std::string> accepted(const Value& value) {
  if (value.kind == Value::Kind::List) return value.list;
  return {plain(value)};
}

// solution.cpp
Result<Verdict> judge_rule(const Scene& scene, const Question& question, const Answer& answer);

}  // namespace arenascope::lesson
