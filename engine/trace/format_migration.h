// SPDX-License-Identifier: MIT
// Migrates recordings of older forms (see codec.h), so that all other code sees typed fields only. Form 0 keeps some
// facts in texts: the axis of a concatenation, the parts of a fused node, tuning decisions, non-finite results, and the
// run of a slice is missing. Forms 0 and 1 do not flag tensors that write into their source.
#pragma once
#include <arenascope/trace/info.h>

#include <optional>
#include <span>

namespace arenascope::trace {

// Flags tensors that write into their source, recognised by the name of their op, in recordings without the flag.
void mark_writers(GraphInfo& graph);

class OldForm {
 public:
  // Moves facts from texts into their fields. A note about tuning becomes a description of another kind.
  std::optional<Description> description(GraphInfo& graph);
  std::optional<Description> description(Problem& problem);
  std::optional<Description> description(const RunInfo& run);
  std::optional<Description> description(const auto&) { return std::nullopt; }
  // Sets the run of each slice to the run that was active at its time.
  void events(std::span<TrackEvent> events) const;

 private:
  RunId run_at(Nanoseconds t) const;
  std::vector<std::pair<Nanoseconds, RunId>> runs_;  // by begin
};

}  // namespace arenascope::trace
