// SPDX-License-Identifier: MIT
// Reverse-mode automatic differentiation: adds to a graph with a scalar result the ops that compute the gradient of
// that result with respect to selected tensors. Method: Linnainmaa's reverse accumulation. Nodes are visited from the
// last to the first and each adds to the gradients of its inputs (Griewank and Walther, "Evaluating Derivatives",
// chapter 3).
#pragma once
#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph.h>

#include <span>
#include <vector>

namespace arenascope {

struct GradientOptions {
  // Gradient accumulation over several micro-batches: each requested gradient is added to an input "NAME (sum)" of the
  // same shape, which graph.grad_accumulator() returns.
  bool accumulate = false;
};

// Adds to the builder's context the ops that compute d loss / d inputs[i], and to `graph` these ops and all their
// inputs. The graph must store gradients (new_graph(…, true)); afterwards graph.grad(t) is the gradient of each tensor
// on a path from inputs[i] to the loss. `loss` has one floating-point element; a gradient is f32 and has the shape of
// its tensor. Element i of the result is undefined where the loss does not depend on inputs[i]. Nodes of the backward
// pass belong to layers named "L backward", where L is the layer of the forward node.
// Errors: a loss that is not a scalar, an op without a backward rule, a full context or graph.
Result<std::vector<Tensor>> build_gradients(GraphBuilder& builder, Graph& graph, const Tensor& loss,
                                            std::span<const Tensor> inputs, const GradientOptions& options = {});

// True if the op has a backward rule. A rule may still reject some parameters (grouped convolutions, strided slices);
// the error of build_gradients() names them.
bool has_gradient(Op op);

}  // namespace arenascope
