// SPDX-License-Identifier: GPL-3.0-or-later
// Searches everything in a snapshot: nodes, leaf tensors, spans, allocations, frames of call stacks and messages. A pure
// function for a worker thread, without widgets.
#pragma once
#include <arenascope/trace/snapshot.h>
#include <views/common/selection.h>

#include <optional>
#include <stop_token>
#include <variant>
#include <vector>

#include "search_query.h"

namespace arenascope::views {

struct SearchHit {
  SearchKind kind = SearchKind::Node;
  // The node or leaf, the span, the allocation, the index of a stack with its frame, or the index of a message.
  struct OfStack {
    uint32_t stack = 0, frame = 0;
    std::optional<trace::SpaceAllocation> largest;  // allocation at that stack
  };
  struct OfMessage {
    uint32_t message = 0;
  };
  std::variant<NodeSelection, trace::SpanRef, trace::SpaceAllocation, OfStack, OfMessage> of;
  double bytes = -1;  // -1: has none
  double time = -1;   // duration in nanoseconds; of a node the median
};

struct SearchResult {
  std::vector<SearchHit> hits;  // by kind; nodes and tensors of exactly that name first
  bool complete = true;         // false: the limit was reached
};

inline constexpr size_t kMaxSearchHits = 100'000;
SearchResult search_all(const trace::Snapshot& snapshot, const SearchQuery& query, std::stop_token stop = {},
                        size_t limit = kMaxSearchHits);

// For display; the frame of a call stack leads to the largest allocation that was made in it.
QString name_of(const trace::Snapshot& snapshot, const SearchHit& hit);
QString where_of(const trace::Snapshot& snapshot, const SearchHit& hit);  // layer, thread, allocator or time
QString kind_text(SearchKind kind);
Selection selection_of(const trace::Snapshot& snapshot, const SearchHit& hit);

}  // namespace arenascope::views
