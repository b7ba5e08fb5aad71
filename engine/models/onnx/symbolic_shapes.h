// SPDX-License-Identifier: MIT
// Shapes of an ONNX graph's tensors as linear expressions of its free dimensions, as far as they are linear, and the
// equations that follow where a node needs equal sizes: matmuls, elementwise ops, concatenations, attention.
#pragma once
#include "engine/models/onnx/dimension_equations.h"

#include <utility>
#include <vector>

namespace arenascope::models {

// Adds the equations of the graph's nodes in their order. Returns those of the shapes that the file declares for
// results: exporters reuse symbols, so they are weaker.
std::vector<std::pair<LinearSize, LinearSize>> add_shape_equations(const ir::File& file, DimensionEquations& equations);

}  // namespace arenascope::models
