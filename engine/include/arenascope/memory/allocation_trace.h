// SPDX-License-Identifier: MIT
// An allocation program without its computation: what a run asked an allocator for, in order. Benchmarks replay it.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope {

struct AllocationTrace {
  // bytes > 0: slot `slot` is allocated. bytes = 0: it is given back.
  struct Event {
    uint32_t slot = 0;
    Bytes bytes = 0;
  };
  std::string name;
  std::vector<Event> events;  // each slot is given back once, after it was allocated

  uint32_t slots() const;
  Bytes live_peak() const;  // the highest sum of what is allocated at once
};

// From the half-open lifetimes of buffers (a plan's intervals, say): at each step what ends is given back, then what
// begins is allocated.
struct BufferLifetime {
  int64_t first = 0, last = 0;
  Bytes bytes = 0;
};
AllocationTrace trace_of_lifetimes(std::string name, const std::vector<BufferLifetime>& lifetimes);

// The activations of a layered network, made up: `layers` outputs whose sizes fall in stages as a classifier's do,
// each used by the next layer and some by a later one (skip connections). Same seed, same trace.
AllocationTrace layered_trace(std::string name, int layers, Bytes largest, uint64_t seed);

}  // namespace arenascope
