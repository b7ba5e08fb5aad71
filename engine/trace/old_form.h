// SPDX-License-Identifier: MIT
// The one place that reads what recordings of older forms (codec.h) say in sentences, or do not say: of form 0 the axis of a
// join, the parts of a fused node, what tuning decided, that a result is not finite, the run of a slice; up to form 1 which
// tensors write into their source. Everything behind it sees typed fields alone.
#pragma once
#include <arenascope/trace/info.h>

#include <optional>
#include <span>

namespace arenascope::trace {

// Flags tensors that write into their source by what their op was called when no flag told it.
void mark_writers(GraphInfo& graph);

class OldForm {
 public:
  // Moves facts from sentences into their fields. A note about tuning is a description of another kind.
  std::optional<Description> description(GraphInfo& graph);
  std::optional<Description> description(Problem& problem);
  std::optional<Description> description(const RunInfo& run);
  std::optional<Description> description(const auto&) { return std::nullopt; }
  // Gives slices the run that went on at their time.
  void events(std::span<Event> events) const;

 private:
  RunId run_at(Nanoseconds t) const;
  std::vector<std::pair<Nanoseconds, RunId>> runs_;  // by beginning
};

}  // namespace arenascope::trace
