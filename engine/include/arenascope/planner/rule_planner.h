// SPDX-License-Identifier: MIT
// A planner written as a rule: the order in which buffers are placed, and the choice of free bytes for each.
//
//   sort -size, first; fit tightest
//   sort -(size * (last - first)); fit size > 4096 ? tightest : lowest
//
// `sort` lists keys; the buffer with the smallest first key is placed first, and further keys break ties. `fit` selects
// the lowest free offset or the tightest hole; without it the offset is the lowest one. Expressions have the variables
// size (bytes), first and last (steps, half-open), length (last - first), area (size * length) and live (the largest
// sum of live bytes at a step at which the buffer is live), numbers, + - * / < > <= >= == != ?: and parentheses.
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
