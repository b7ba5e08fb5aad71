// SPDX-License-Identifier: MIT
// A planner written as a rule: the order in which buffers are placed, and the choice of free bytes for each.
//
//   sort -size, first; fit tightest
//   sort -(size * (last - first)); fit size > 4096 ? tightest : lowest
//
// `sort` lists keys; buffers are placed in ascending order of the first key, and further keys break ties. `fit` selects
// the lowest free offset (default) or the tightest hole. Expressions have numbers, + - * / < > <= >= == != ?:,
// parentheses and the variables size (bytes), first and last (steps, half-open), length (last - first), area
// (size * length) and live (largest sum of live bytes during the buffer's lifetime).
#pragma once
#include <arenascope/planner/planner.h>

#include <memory>
#include <string>

namespace arenascope::planner {

// Errors: a malformed rule, with the position and what was expected.
Result<std::shared_ptr<const Planner>> rule_planner(const std::string& rule);

// Rules of well-known planners, to compare with.
struct KnownRule {
  std::string_view name, rule;
};
std::span<const KnownRule> known_rules();

}  // namespace arenascope::planner
