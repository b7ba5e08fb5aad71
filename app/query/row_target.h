// SPDX-License-Identifier: GPL-3.0-or-later
// The tensor, span or allocation that a row of a result identifies.
#pragma once
#include <variant>

#include "app/query/database.h"

namespace arenascope::query {

struct TensorTarget {
  trace::GraphId graph;
  trace::TensorRef tensor;
  bool operator==(const TensorTarget&) const = default;
};

struct AllocationTarget {
  size_t row = 0;  // see allocation_of_row()
  bool operator==(const AllocationTarget&) const = default;
};

// std::monostate: none.
using Target = std::variant<std::monostate, TensorTarget, trace::SpanRef, AllocationTarget>;

// One target per row; empty if no column identifies an item. A span takes precedence over an allocation, then come
// nodes and leaves, then names. The graph of a tensor follows from the graph, run or plan of the row; without these it
// is `graph`.
std::vector<Target> targets_of(const trace::Snapshot& snapshot, const Rows& rows, trace::GraphId graph);

}  // namespace arenascope::query
