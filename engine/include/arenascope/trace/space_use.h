// SPDX-License-Identifier: MIT
// Analysis of allocator spaces and their allocations over a time range: filtering, peaks, reuse of addresses, and unused
// bytes. Pure functions of the snapshot.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <vector>

namespace arenascope::trace {

struct SpaceChoice {
  enum class Of : uint8_t {
    Working,    // all except weights and mapped files
    All,        // weights and mapped files too
    Allocator,  // those of one allocator
  };
  Of of = Of::Working;
  uint32_t allocator = 0;
  bool operator==(const SpaceChoice&) const = default;
};
bool shows(const SpaceChoice& choice, const Space& space);
bool shows(const SpaceChoice& choice, const SpaceAllocation& slice);

inline constexpr size_t kMaxSpaceAllocations = 300'000;  // limit of spaces or allocations per query

// True if the allocation is the arena of a plan.
bool is_arena(const SpaceAllocation& slice);
// The arena's tensors that overlap the range, at most kMaxSpaceAllocations.
std::vector<ArenaAllocation> slices_in_arena(const Snapshot& snapshot, const SpaceAllocation& arena, TimeRange range);

// True if tensors of the run are allocated outside the arena of its plan. Without a run: of the whole recording.
bool is_in_spaces(const Snapshot& snapshot, RunId run, const PlanInfo* plan);
// From begin to end of the run, or the range of the whole session if it has not ended or there is none.
TimeRange range_of_run(const Snapshot& snapshot, RunId run);

// Selected allocations that overlap the range, at most kMaxSpaceAllocations.
std::vector<SpaceAllocation> slices_of(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice);

struct SpaceTotals {
  Bytes peak = 0;  // maximum of allocated bytes
  Nanoseconds peak_at = 0;
  Bytes reserved = 0;           // maximum of reserved bytes
  Bytes unused = 0;             // maximum of reserved but unallocated bytes
  Bytes unplaced = 0;           // maximum of allocated bytes without a known address, which are in no space
  bool reserved_known = false;  // false: no reservation was recorded, and `reserved` is only of implied spaces
  size_t slices = 0;
  bool complete = true;  // false: the limit was reached
};
SpaceTotals space_totals(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice);

// Allocated and reserved bytes after all events of one time.
struct SpaceMoment {
  Nanoseconds time = 0;
  Bytes active = 0, reserved = 0;
  int64_t slices = 0;
};
// All times in the range at which something changes, in order.
std::vector<SpaceMoment> space_moments(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice);

// An address and its successive allocations.
struct SpaceAddress {
  uint32_t allocator = 0;  // of the space, at last
  DeviceId device;
  uint64_t address = 0;
  Bytes bytes = 0;               // of the largest
  std::vector<uint32_t> slices;  // indices into the input, by begin
  double used = 0;               // share of the range in which the address was in use
};
// By device and address.
std::vector<SpaceAddress> group_by_address(const std::vector<SpaceAllocation>& slices, TimeRange range);

// An unused range of a space, for as long as its extent did not change.
struct FreeRange {
  uint32_t space = 0;  // index into `spaces`
  uint64_t address = 0;
  Bytes bytes = 0;
  Nanoseconds begin = 0, end = 0;
  int32_t below = -1, above = -1;  // adjacent allocations when it was created; -1: the space's end
};
// Implied spaces have no free ranges. O(n log n).
std::vector<FreeRange> free_ranges(const std::vector<Space>& spaces, const std::vector<SpaceAllocation>& slices,
                                   TimeRange range);

}  // namespace arenascope::trace
