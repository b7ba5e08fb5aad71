// SPDX-License-Identifier: MIT
// Data of a roofline plot (Williams, Waterman, Patterson 2009): the nodes of a graph by arithmetic intensity and speed.
#pragma once
#include <arenascope/trace/node_rates.h>

#include <string>
#include <vector>

namespace arenascope::trace {

// Why a node has no point.
enum class RooflineGap : uint8_t {
  NoOperations,  // it only moves or describes data
  UnknownFlops,
  UnknownBytes,  // the size of its result or of an input was not recorded
  UnknownTime,   // it never ran, or its time is below the resolution of the clock
};
inline constexpr size_t kRooflineGaps = 4;

struct RooflinePoint {
  NodeId node;
  double intensity = 0;  // FLOP per byte of its result and inputs
  double gflops = 0;     // GFLOP/s at the median wall time
  Nanoseconds median = 0;
  int64_t runs = 0;        // that the median is of
  bool on_device = false;  // its time was measured by a device
};

struct RooflineMissing {
  NodeId node;
  RooflineGap reason = RooflineGap::UnknownTime;
};

// The sources of the shown times. All times are observed: a node without an observed time has no point.
struct RooflineTimes {
  int64_t runs = 0;         // the most runs that a point's median is of
  bool cold = false;        // only a cold run is available
  bool incomplete = false;  // only runs that statistics normally exclude are available
};

struct Roofline {
  GraphId graph;
  std::vector<RooflinePoint> points;     // ascending node
  std::vector<RooflineMissing> missing;  // ascending node
  RooflineTimes times;
  std::string processor;  // on which the newest run of the graph was recorded; empty: unknown

  size_t count(RooflineGap reason) const;
};
// Each node of the graph is either a point or missing. O(nodes × runs).
Roofline roofline_of(const Snapshot& snapshot, GraphId graph);

// The limits of a machine.
struct Roofs {
  double gflops = 0;     // peak GFLOP/s
  double bandwidth = 0;  // peak GB/s
  bool known() const { return gflops > 0 && bandwidth > 0; }
  double attainable(double intensity) const;           // GFLOP/s
  double ridge() const { return gflops / bandwidth; }  // the intensity from which on arithmetic limits the speed
};

}  // namespace arenascope::trace
