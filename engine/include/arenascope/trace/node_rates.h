// SPDX-License-Identifier: MIT
// Rates of a node as in the roofline model: operations per second, moved bytes per second, operations per byte.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <optional>

namespace arenascope::trace {

// Bytes that a node reads and writes at least: its result and each of its inputs once. Nullopt: a size was not
// recorded.
std::optional<Bytes> moved_bytes(const GraphInfo& graph, NodeId node);

struct NodeRates {
  std::optional<double> gflops;     // GFLOP/s at the median wall time
  std::optional<double> bandwidth;  // GB/s at the median wall time
  std::optional<double> intensity;  // FLOP per moved byte
};
// A rate is missing, not zero, if its data was not recorded.
NodeRates rates_of(const GraphInfo& graph, NodeId node, const NodeStats& stats);

}  // namespace arenascope::trace
