// SPDX-License-Identifier: MIT
// What allocators cost: the time of a pair of allocate and deallocate, and how much more than the live peak they
// reserve, against a cache of powers of two and the system's own allocator.
#pragma once
#include <arenascope/memory/allocation_trace.h>
#include "engine/bench/bench_row.h"

#include <span>
#include <vector>

namespace arenascope {

// Rows in nanoseconds a pair and in reserved ÷ live peak, one of the latter for each trace (the caller's networks;
// without any, made-up ones). Takes a second or two; an `effort` below 1 measures less and faster.
std::vector<BenchRow> bench_allocators(std::span<const AllocationTrace> traces = {}, double effort = 1);

// What the caching allocator reserves for it at most, over its live peak.
BenchRow reserved_row(const AllocationTrace& trace);

// Plays the trace `rounds` times on an allocator; memory is not touched. Nanoseconds a pair in the fastest round;
// negative when an allocation failed.
class Allocator;
double replay(Allocator& allocator, const AllocationTrace& trace, int rounds);

}  // namespace arenascope
