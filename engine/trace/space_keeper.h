// SPDX-License-Identifier: MIT
// Spaces and their slices, as a session sees them come and go: what allocators take from the system, and what they hand
// out in it. Owned by a session, which guards it.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <map>

namespace arenascope::trace {

class SpaceKeeper {
 public:
  // Alloc, Free, Reserve, Release or Owner, of an allocator on `device`. Addresses of devices have nothing to do with
  // each other; an address of 0 is that of a trace that knows none.
  void add(const Event& event, DeviceId device);
  void view(Snapshot& out) const;
  void forget(Nanoseconds keep);  // what ended before
  size_t bytes() const;

 private:
  using Place = std::pair<int32_t, uint64_t>;  // device and address
  void reserve(const Event& event, Place place);
  void release(Nanoseconds time, Place place, Bytes bytes);
  void allocate(const Event& event, Place place);
  void give_back(Nanoseconds time, Place place);
  void free(Nanoseconds time, Place place);
  void own(const Event& event, Place place);
  const Space* space_at(Place place) const;

  std::map<Place, Space> open_;  // by where they begin; none lies on another
  std::map<Place, SpaceSlice> held_;
  Column<Space> gone_;
  Column<SpaceSlice> freed_;  // in the order of their end
  SummaryTree<Range64> times_;
};

}  // namespace arenascope::trace
