// SPDX-License-Identifier: GPL-3.0-or-later
// Rates of a node as in the roofline model: operations per second, moved bytes per second, operations per byte.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>

#include <optional>

namespace arenascope::views {

// Bytes that a node reads and writes at least: its result and each of its inputs once. Nullopt: a size was not
// recorded.
std::optional<Bytes> moved_bytes(const trace::GraphInfo& graph, NodeId node);

struct NodeRates {
  std::optional<double> gflops;     // GFLOP/s at the median wall time
  std::optional<double> bandwidth;  // GB/s at the median wall time
  std::optional<double> intensity;  // FLOP per moved byte
};
// A rate is missing, not zero, if its data was not recorded.
NodeRates rates_of(const trace::GraphInfo& graph, NodeId node, const trace::NodeStats& stats);

// With three significant digits.
QString format_rate(double rate);

}  // namespace arenascope::views
