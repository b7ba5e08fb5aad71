// SPDX-License-Identifier: MIT
// Reverse-mode differentiation: from a graph that ends in one number to the ops that compute how that number
// changes with each wanted tensor. Method: Linnainmaa's, as a walk over the nodes from the last to the first, each
// adding its share to its sources' gradients (Griewank and Walther, "Evaluating Derivatives", chapter 3).
#pragma once
#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph.h>

#include <span>
#include <vector>

namespace arenascope {

struct GradientOptions {
  // Each wanted gradient is added to an input "NAME (sum)" of the same shape, so that several small batches add up;
  // graph.grad_accumulator() tells which.
  bool accumulate = false;
};

// Adds to the builder's context the ops that compute d loss / d wanted[i], and to `graph` all that they need. The graph
// must keep gradients (new_graph(…, true)); graph.grad(t) is then the gradient of each tensor between the wanted ones
// and the loss. `loss` is one floating-point element; gradients have their tensors' shapes and are f32.
// The result is undefined at i where the loss does not depend on wanted[i]. Nodes of the backward pass stand in layers
// named "L backward" after the layers L that they belong to.
// Errors: a loss that is no single number, an op that has no backward rule, a context or graph that is full.
Result<std::vector<Tensor>> build_gradients(GraphBuilder& builder, Graph& graph, const Tensor& loss,
                                            std::span<const Tensor> wanted, const GradientOptions& options = {});

// Whether an op has a rule, so that what depends on it can be trained. Rules may still refuse some parameters (grouped
// convolutions, strided slices): build_gradients() names them.
bool has_gradient(Op op);

}  // namespace arenascope
