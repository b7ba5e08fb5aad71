// SPDX-License-Identifier: MIT
// Residencies of tensors in an arena, and their totals, both observed and planned.
#pragma once
#include "engine/audit/raw_events.h"

namespace arenascope::audit {

// [offset, offset + bytes) during [begin, end): steps or nanoseconds.
struct ArenaRect {
  int64_t begin = 0, end = 0;
  Bytes offset = 0, bytes = 0;
};

struct Hole {
  int64_t begin = 0, end = 0;
  Bytes low = 0, high = 0;
};

struct Occupied {
  Bytes peak = 0;
  int64_t peak_at = 0;  // the first moment of it
  Bytes max_holes = 0;  // the largest sum of holes at a moment
  Bytes top = 0;        // the highest byte in use
  std::vector<Hole> holes;
};

// Bytes that several hold count once. A hole is unused bytes below used ones, at one offset for as
// long as it residencies the same.
Occupied occupied(const std::vector<ArenaRect>& rects);

// A tensor's residency in the arena from its two events; `end` is the run's end if no event ends it.
struct Residency {
  trace::TensorRef tensor;
  int32_t run = -1;
  Nanoseconds begin = 0, end = 0;
  int32_t first = 0, last = 0;
  Bytes offset = 0, bytes = 0;
  bool ended = false;
};
// `orphans` gets the ends that have no beginning.
std::vector<Residency> residencies_of(const Raw& raw, std::vector<RawLive>* orphans);

}  // namespace arenascope::audit
