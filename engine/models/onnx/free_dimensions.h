// SPDX-License-Identifier: MIT
// Sizes of dimensions that an ONNX file leaves open and that no node determines. Common sizes of images, audio and text
// are tried in turn; the first one with which every operator can be lowered is used. A scalar input on which an If
// depends, such as a sampling rate, gets a common value in the same way.
#pragma once
#include <arenascope/models/model.h>
#include "engine/models/onnx/onnx_ir.h"

namespace arenascope::models {

// The model with all its sizes. Sizes chosen here are not `specified` in its free_dimensions; values of scalars are in
// its assumed_values. Errors: as Lowering::run(); a shape of OpenOptions::shapes that does not fit its input.
Result<Model> lower_with_sizes(ir::File file, const OpenOptions& options);

}  // namespace arenascope::models
