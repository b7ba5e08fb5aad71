// SPDX-License-Identifier: MIT
// What a snapshot's spaces and their slices come to over a range of time: which of them are meant, their peaks, what lay
// at a place one after the other, and what of a space was in nobody's use. Pure functions of the snapshot.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <vector>

namespace arenascope::trace {

struct SpaceChoice {
  enum class Of : uint8_t {
    Working,    // all but weights: what comes and goes
    All,        // weights and mapped files too
    Allocator,  // those that one allocator took
  };
  Of of = Of::Working;
  uint32_t allocator = 0;
  bool operator==(const SpaceChoice&) const = default;
};
bool shows(const SpaceChoice& choice, const Space& space);
bool shows(const SpaceChoice& choice, const SpaceSlice& slice);

inline constexpr size_t kMostSpaceSlices = 300'000;  // spaces or slices that are taken in at once

// Whether the block is the arena of a plan: what lay in it are slices of the runs of its graph.
bool is_arena(const SpaceSlice& slice);
// These, as far as they lie in the range, at most kMostSpaceSlices.
std::vector<SliceRect> slices_in_arena(const Snapshot& snapshot, const SpaceSlice& arena, TimeRange range);

// Whether tensors of the run lie in allocators' spaces, and not, or not all of them, in the arena of the plan that it
// ran with. Without a run: of all that is known.
bool lies_in_spaces(const Snapshot& snapshot, RunId run, const PlanInfo* plan);
// From the beginning of the run to its end, or of all that is known where it has not ended or there is none.
TimeRange range_of_run(const Snapshot& snapshot, RunId run);

// Chosen slices that overlap the range, at most kMostSpaceSlices.
std::vector<SpaceSlice> slices_of(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice);

struct SpaceTotals {
  Bytes peak = 0;  // most bytes handed out at once
  Nanoseconds peak_at = 0;
  Bytes reserved = 0;  // most bytes of spaces at once
  Bytes unused = 0;    // most bytes of spaces at once that were not handed out
  size_t slices = 0;
  bool complete = true;  // false: there were more than could be taken in
};
SpaceTotals space_totals(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice);

// What is handed out and held after all that happens at a time.
struct SpaceMoment {
  Nanoseconds time = 0;
  Bytes active = 0, reserved = 0;
  int64_t slices = 0;
};
// By time, each moment of the range in which something changes.
std::vector<SpaceMoment> space_moments(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice);

// An address from which memory was handed out, and what lay there, one after the other.
struct SpacePlace {
  uint32_t allocator = 0;  // of the space, at last
  DeviceId device;
  uint64_t address = 0;
  Bytes bytes = 0;               // of the largest
  std::vector<uint32_t> slices;  // of those given, by when they begin
  double used = 0;               // share of the range in which one of them was there
};
// By device and address.
std::vector<SpacePlace> places_of(const std::vector<SpaceSlice>& slices, TimeRange range);

// Bytes that a space held and nobody used, for as long as they stayed the same ones.
struct FreeRange {
  uint32_t space = 0;  // of those given
  uint64_t address = 0;
  Bytes bytes = 0;
  Nanoseconds begin = 0, end = 0;
  int32_t below = -1, above = -1;  // slices that lay next to it when it came to be; -1: the space's end
};
// Spaces that are as large as what was handed out (`implied`) have none. O(n log n).
std::vector<FreeRange> free_ranges(const std::vector<Space>& spaces, const std::vector<SpaceSlice>& slices,
                                   TimeRange range);

}  // namespace arenascope::trace
