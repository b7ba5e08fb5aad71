// SPDX-License-Identifier: MIT
// The current spaces and allocations of a session: memory that allocators reserve from the system, and the blocks
// allocated in it. The session owns the tracker and guards it with its lock.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <map>

namespace arenascope::trace {

class AddressSpaceTracker {
 public:
  // Adds an Alloc, Free, Reserve, Release or Owner event of an allocator on `device`. Addresses of different devices
  // are unrelated. An address of 0 means that the trace has no addresses.
  void add(const Event& event, DeviceId device);
  void view(Snapshot& out) const;
  void forget(Nanoseconds keep);  // evicts what ended before `keep`
  size_t bytes() const;

 private:
  using Place = std::pair<int32_t, uint64_t>;  // device and address
  void reserve(const Event& event, Place place);
  void release(Nanoseconds time, Place place, Bytes bytes);
  void allocate(const Event& event, Place place);
  void free(Nanoseconds time, Place place);
  void own(const Event& event, Place place);
  const Space* space_at(Place place) const;

  std::map<Place, Space> open_;  // by start; disjoint
  std::map<Place, SpaceAllocation> held_;
  Column<Space> gone_;
  Column<SpaceAllocation> freed_;  // by end time
  SummaryTree<Range64> times_;
};

}  // namespace arenascope::trace
