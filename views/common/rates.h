// SPDX-License-Identifier: GPL-3.0-or-later
// Rates of a node: operations and moved bytes per time, and operations per byte, as a roofline has them.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>

#include <optional>

namespace arenascope::views {

// Bytes that a node reads and writes at least: its result and each of its sources once. Nullopt: a size was not
// recorded.
std::optional<Bytes> moved_bytes(const trace::GraphInfo& graph, NodeId node);

struct NodeRates {
  std::optional<double> gflops;     // GFLOP/s at the median wall time
  std::optional<double> bandwidth;  // GB/s at the median wall time
  std::optional<double> intensity;  // FLOP per moved byte
};
// A rate without its data is missing, not zero.
NodeRates rates_of(const trace::GraphInfo& graph, NodeId node, const trace::NodeStats& stats);

// With three significant digits.
QString format_rate(double rate);

}  // namespace arenascope::views
