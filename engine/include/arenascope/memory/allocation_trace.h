// SPDX-License-Identifier: MIT
// A trace of allocations: the sequence of requests that a run made to an allocator, without the computation. Benchmarks
// replay it.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope {

struct AllocationTrace {
  // bytes > 0: slot `slot` is allocated. bytes = 0: it is freed.
  struct Event {
    uint32_t slot = 0;
    Bytes bytes = 0;
  };
  std::string name;
  std::vector<Event> events;  // each slot is freed once, after its allocation

  uint32_t slots() const;
  Bytes live_peak() const;  // maximum of the live bytes
};

// A trace from half-open lifetimes of buffers, such as the intervals of a plan: at each step the buffers that end are
// freed, then those that begin are allocated.
struct BufferLifetime {
  int64_t first = 0, last = 0;
  Bytes bytes = 0;
};
AllocationTrace trace_of_lifetimes(std::string name, const std::vector<BufferLifetime>& lifetimes);

// A synthetic trace of the activations of a layered network: `layers` outputs whose sizes decrease in stages, as in an
// image classifier. Each is used by the next layer and some by a later one (skip connections). Deterministic per seed.
AllocationTrace layered_trace(std::string name, int layers, Bytes largest, uint64_t seed);

}  // namespace arenascope
