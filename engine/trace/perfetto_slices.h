// SPDX-License-Identifier: MIT
// The slices of one row of a Perfetto trace. Begins, ends and complete slices arrive in the order of their times; the
// rules are those of Perfetto's trace processor, so that both show the same slices.
#pragma once
#include <arenascope/trace/events.h>

#include <vector>

namespace arenascope::trace {

class PerfettoSlices {
 public:
  struct Slice {
    Nanoseconds begin = 0, end = 0;
    NameId name;
    int32_t depth = 0;
  };

  void begin(Nanoseconds time, NameId name, uint32_t category);
  // Ends the innermost open slice with the name and category, if given. False: there is none.
  bool end(Nanoseconds time, NameId name, uint32_t category);
  // A slice whose end is known; an instant is a slice of length zero. False: it overlaps the end of an enclosing one.
  bool complete(Nanoseconds time, Nanoseconds duration, NameId name);
  // Ends the open slices. Returns their number.
  int64_t finish(Nanoseconds time);

  const std::vector<Slice>& slices() const { return slices_; }  // by begin; at equal begins the outer one first

 private:
  static constexpr size_t kMaxDepth = 512;
  struct Open {
    size_t slice = 0;
    uint32_t category = 0;
    bool ended = false;
  };
  bool close_before(Nanoseconds time, Nanoseconds duration);
  void end_inside(size_t outer);
  bool push(Nanoseconds begin, Nanoseconds end, NameId name, uint32_t category, bool ended);

  std::vector<Slice> slices_;
  std::vector<Open> stack_;
};

}  // namespace arenascope::trace
