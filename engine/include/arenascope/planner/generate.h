// SPDX-License-Identifier: MIT
// Problems for the planners, made from a seed: the same on every platform.
#pragma once
#include <cstdint>

#include <arenascope/planner/interval.h>

namespace arenascope::planner {

// n buffers cut out of `steps` x `bytes` by random guillotine cuts, at a random position along a random axis, the
// largest piece next: a plan of exactly `bytes` exists.
Problem perfect_packing(int n, uint64_t seed, int64_t steps = 1000, Bytes bytes = Bytes{1} << 20);

// Many buffers as a long program would have them: short-lived ones mostly, sizes over several powers of ten.
Problem many_buffers(int n, uint64_t seed);

}  // namespace arenascope::planner
