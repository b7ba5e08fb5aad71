// SPDX-License-Identifier: MIT
// The input of a planner: intervals (bytes that must exist from one step to another) to be placed in an arena.
// A planner knows no tensors. Steps are half-open: a buffer with [2, 5) is in use at 2, 3 and 4.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace arenascope::planner {

// Steps [lower, upper) in which a live buffer needs only its bytes [window_lower, window_upper), or none
// of them if that window is empty.
struct Gap {
  int64_t lower = 0;
  int64_t upper = 0;
  Bytes window_lower = 0;
  Bytes window_upper = 0;
  bool operator==(const Gap&) const = default;
};

// One buffer: `size` bytes during the steps [lower, upper).
struct Interval {
  int64_t lower = 0;
  int64_t upper = 0;
  Bytes size = 0;
  Bytes alignment = 0;                // its offset is a multiple of this; 0 means Problem::alignment
  std::optional<Bytes> fixed_offset;  // must be placed exactly there
  std::vector<Gap> gaps;              // ordered by time, disjoint, inside the lifetime
};

// `target` may reuse the bytes of `source` in place: where both are live they may overlap, if
// offset(target) == offset(source) + shift. The caller guarantees that no later consumer reads `source`.
struct InPlace {
  int32_t source = 0;
  int32_t target = 0;
  Bytes shift = 0;
};

// `part` must be placed at offset(whole) + shift and shares those bytes: an input of a concatenation that copies
// nothing, or a slice.
struct Attachment {
  int32_t part = 0;
  int32_t whole = 0;
  Bytes shift = 0;
};

struct Problem {
  std::vector<Interval> intervals;
  std::vector<std::string> ids;   // empty, or a name for each interval; messages and exports use them
  Bytes alignment = 64;           // for intervals without their own
  std::optional<Bytes> capacity;  // a search may stop as soon as its plan fits
  std::vector<InPlace> in_place;
  std::vector<Attachment> attachments;

  size_t size() const { return intervals.size(); }
  Bytes alignment_of(size_t i) const { return intervals[i].alignment > 0 ? intervals[i].alignment : alignment; }
  // The interval's name, or its index if it has none.
  std::string name_of(size_t i) const;
};

// Checks that the problem can be planned. Errors: an empty lifetime, a size of zero or less, a bad alignment,
// sizes that add up beyond 2^63, gaps out of order, duplicate names, fixed offsets that contradict each other.
[[nodiscard]] Status validate(const Problem& problem);

}  // namespace arenascope::planner
