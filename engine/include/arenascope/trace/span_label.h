// SPDX-License-Identifier: MIT
// The values that determine the label of a span, so that a label is made once per key rather than once per span.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <compare>
#include <cstdint>

namespace arenascope::trace {

// Spans with equal keys have equal labels (Snapshot::label()).
struct SpanLabelKey {
  EventKind kind = EventKind::None;
  bool is_pause = false;
  uint32_t id = 0;
  int32_t graph = -1, kernel = -1;
  auto operator<=>(const SpanLabelKey&) const = default;

  static SpanLabelKey of(const Snapshot& snapshot, const Event& span) {
    const bool is_work = span.kind() == EventKind::Work, has_id = is_work || span.kind() == EventKind::Slice;
    const Run* run = is_work ? snapshot.run(span.run()) : nullptr;
    return {span.kind(), span.is_pause(), has_id ? span.id : 0, run != nullptr ? run->info.graph.value : -1,
            is_work ? span.kernel().value : -1};
  }
};

}  // namespace arenascope::trace
