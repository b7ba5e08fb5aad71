// SPDX-License-Identifier: MIT
// Sizes for the free dimensions of an ONNX file that the caller does not specify. Equations between them
// (dimension_equations.h) are kept; other dimensions get typical sizes of images, audio and text, the first with which
// every operator can be lowered. A scalar that an If depends on (a sampling rate) gets a typical value.
#pragma once
#include <arenascope/models/model.h>
#include "engine/models/onnx/onnx_ir.h"

namespace arenascope::models {

// Sizes assumed here are not `specified` in free_dimensions; values are in assumed_values. Errors: as Lowering::run(); a
// shape of OpenOptions::shapes that no input has.
Result<Model> lower_with_sizes(ir::File file, const OpenOptions& options);

}  // namespace arenascope::models
