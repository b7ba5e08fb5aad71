// SPDX-License-Identifier: MIT
// Models CANN's graph engine with mixed precision: weights are float32 variables, and each matmul reads them through
// nodes of its own, a CAST to float16 and a TransData into the layout that the device multiplies. These nodes read
// constants only, so an order by levels runs all of them first, and GE's rules can move them down.
//
//     variable ──► CAST ──► (TransData) ──► MUL_MAT          gradients ──► all-reduce after the last of them
//                                              ▲                                │ each
//                                         activations                  variable, moments ──► apply ──► step
//
// For planning only: TransData is a COPY, the all-reduce and the optimiser's nodes are OPAQUE, which nothing computes.
#pragma once
#include <array>
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

struct WeightPathOptions {
  bool trans_data = false;  // a TransData after each CAST
  bool shared = false;      // one path for all readers of a weight; otherwise one per reader
  // Gradients are not outputs: an all-reduce waits for the last of them, and then the optimiser reads each one with its
  // parameter and two moments, which are variables.
  bool optimizer = true;
};

struct WeightPaths {
  Graph graph;
  std::vector<Tensor> node_map;  // by NodeId of the given graph
  int64_t paths = 0;
  Bytes path_bytes = 0;  // bytes of all float16 copies; with TransData only its result is counted, not the CAST's
};

// Weights are float32 leaf tensors of at least two dimensions, flagged as weight or parameter, that a matmul or a
// convolution reads, directly or through views. Errors: out of memory.
Result<WeightPaths> add_weight_paths(const Graph& graph, const WeightPathOptions& options);

// Role of a node's result, to break down a memory peak.
enum class LiveClass : uint8_t { WeightCopy, Gradient, Output, Activation };
inline constexpr size_t kLiveClasses = 4;
const char* name(LiveClass c);  // "copies of weights", "gradients", "outputs", "activations"

// By NodeId. A weight copy is computed from leaf tensors alone; a gradient is graph.grad() of a parameter.
std::vector<LiveClass> live_classes(const Graph& graph);

// Live bytes by class at the step of an order's peak.
using PeakByClass = std::array<Bytes, kLiveClasses>;
PeakByClass peak_by_class(const Graph& graph, std::span<const NodeId> order, bool keep_outputs = true);

}  // namespace arenascope
