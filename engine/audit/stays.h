// SPDX-License-Identifier: MIT
// Where tensors lay in an arena, and what that sums up to. Used for what was seen and for what was planned.
#pragma once
#include "engine/audit/raw.h"

namespace arenascope::audit {

// [offset, offset + bytes) during [begin, end): steps or nanoseconds.
struct Place {
  int64_t begin = 0, end = 0;
  Bytes offset = 0, bytes = 0;
};

struct Hole {
  int64_t begin = 0, end = 0;
  Bytes low = 0, high = 0;
};

struct Occupied {
  Bytes peak = 0;
  int64_t peak_at = 0;   // the first moment of it
  Bytes most_holes = 0;  // the largest sum of holes at a moment
  Bytes top = 0;         // the highest byte in use
  std::vector<Hole> holes;
};

// Bytes that several hold count once. A hole is what nobody uses below something that is used, at one place for as
// long as it stays the same.
Occupied occupied(const std::vector<Place>& places);

// A tensor's stay in the arena as its two events tell it; `end` is the run's where no event ends it.
struct Stay {
  trace::TensorRef tensor;
  int32_t run = -1;
  Nanoseconds begin = 0, end = 0;
  int32_t first = 0, last = 0;
  Bytes offset = 0, bytes = 0;
  bool ended = false;
};
// `orphans` gets the ends that have no beginning.
std::vector<Stay> stays_of(const Raw& raw, std::vector<RawLive>* orphans);

}  // namespace arenascope::audit
