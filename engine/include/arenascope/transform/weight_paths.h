// SPDX-License-Identifier: MIT
// A graph as CANN's graph engine has a network of mixed precision: weights are float32 variables, and each product reads
// them through nodes of their own, a CAST to float16 and a TransData into the layout that the device multiplies. Those
// nodes read constants only, so an order by levels runs all of them first, and GE's rules can move them down.
//
//     variable ──► CAST ──► (TransData) ──► MUL_MAT          gradients ──► all-reduce behind the last of them
//                                              ▲                                │ each
//                                         activations                  variable, moments ──► apply ──► step
//
// For planning only: TransData is a COPY, the all-reduce and the optimiser's nodes are OPAQUE, which nothing computes.
#pragma once
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

struct WeightPathOptions {
  bool trans_data = false;  // a TransData behind each CAST
  bool shared = false;      // one path for all readers of a weight; else each reader has its own
  // Gradients are given up as outputs: an all-reduce waits for the last of them, and the optimiser reads each behind it,
  // with the parameter and two moments, which are variables.
  bool optimizer = true;
};

struct WeightPaths {
  Graph graph;
  std::vector<Tensor> twins;  // of the given graph's nodes, by NodeId
  int64_t paths = 0;
  Bytes path_bytes = 0;  // of the float16 copies of all paths together, a TransData's result counted and its CAST's not
};

// Weights are given tensors of float32 and at least two dimensions, flagged as weight or parameter, that a matrix
// product or a convolution reads, as they are or through views. Errors: no memory.
Result<WeightPaths> add_weight_paths(const Graph& graph, const WeightPathOptions& options);

// What a node's result is for, to tell what a peak is made of.
enum class LiveClass : uint8_t { WeightCopy, Gradient, Output, Activation };
inline constexpr size_t kLiveClasses = 4;
const char* name(LiveClass c);  // "copies of weights", "gradients", "outputs", "activations"

// By NodeId. A copy of a weight is computed from given tensors alone; a gradient is graph.grad() of a parameter.
std::vector<LiveClass> live_classes(const Graph& graph);

}  // namespace arenascope
