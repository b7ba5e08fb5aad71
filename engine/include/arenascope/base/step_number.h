// SPDX-License-Identifier: MIT
// Steps of an execution order as people read and type them: counted from 1. `Step`, intervals and machine formats hold
// the index, counted from 0. Every text converts with these functions; see "Counting" in docs/reference/glossary.md.
#pragma once
#include <arenascope/base/ids.h>

namespace arenascope {

constexpr int64_t step_number(int64_t index) { return index + 1; }
constexpr int64_t step_number(Step step) { return step_number(int64_t{step.value}); }
// The last step of a half-open range of indices, whose end is exclusive.
constexpr int64_t last_step_number(int64_t end) { return step_number(end - 1); }
constexpr int64_t last_step_number(Step end) { return last_step_number(int64_t{end.value}); }
constexpr int64_t step_index(int64_t number) { return number - 1; }

}  // namespace arenascope
