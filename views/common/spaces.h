// SPDX-License-Identifier: GPL-3.0-or-later
// Which spaces a picture shows, and what their slices come to over a run: worked out over time, and so the same on
// either axis and at any zoom.
#pragma once
#include <views/common/plot_view.h>

#include <string>
#include <vector>

namespace arenascope::views {

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
bool shows(const SpaceChoice& choice, const trace::Space& space);
bool shows(const SpaceChoice& choice, const trace::SpaceSlice& slice);

// Whether tensors of the run lie in allocators' spaces, and not, or not all of them, in the arena of the plan.
bool lies_in_spaces(const PrepareInput& input);
// Of the run, or of all that is known without one.
trace::TimeRange range_of_run(const PrepareInput& input);

struct SpaceTotals {
  Bytes peak = 0;  // most bytes handed out at once
  Nanoseconds peak_at = 0;
  Bytes reserved = 0;  // most bytes of spaces at once
  Bytes unused = 0;    // most bytes of spaces at once that were not handed out
  size_t slices = 0;
  bool complete = true;  // false: there were more than could be taken in
};
SpaceTotals space_totals(const trace::Snapshot& snapshot, trace::TimeRange range, const SpaceChoice& choice);
// "run.0.spaces.working.": of figures that the audit has, too.
std::string space_figure(trace::RunId run, const SpaceChoice& choice, const char* what);

}  // namespace arenascope::views
