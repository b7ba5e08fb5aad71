// SPDX-License-Identifier: MIT
// Allocator benchmarks: the time per allocate and free pair, and reserved bytes relative to the live peak, compared
// with a power-of-two cache and the system allocator.
#pragma once
#include <arenascope/memory/allocation_trace.h>
#include "engine/bench/bench_row.h"

#include <span>
#include <vector>

namespace arenascope {

// Rows in ns per pair, and reserved ÷ live peak for each trace (the caller's networks, or generated ones). Takes a
// second or two; an `effort` below 1 measures less.
std::vector<BenchRow> bench_allocators(std::span<const AllocationTrace> traces = {}, double effort = 1);

// The peak of the caching allocator's reserved bytes, divided by the live peak.
BenchRow reserved_row(const AllocationTrace& trace);

// Replays the trace `rounds` times on an allocator without touching the memory. Returns ns per pair in the fastest
// round; negative if an allocation failed.
class Allocator;
double replay(Allocator& allocator, const AllocationTrace& trace, int rounds);

}  // namespace arenascope
