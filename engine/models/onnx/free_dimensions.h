// SPDX-License-Identifier: MIT
// Sizes for what an ONNX file leaves open of its inputs, where no node tells them: usual ones for pictures, audio and text,
// of several that are tried the first with which every operator can be lowered. Where an If hangs on a number that the
// model is given alone (a sampling rate), a usual value of that.
#pragma once
#include <arenascope/models/model.h>
#include "engine/models/onnx/onnx_ir.h"

namespace arenascope::models {

// The model with all its sizes; those found here are not `told` in its free_dimensions, and
// values stand in its assumed_values. Errors: as Lowering::run(); a
// shape of OpenOptions::shapes that fits no input.
Result<Model> lower_with_sizes(ir::File file, const OpenOptions& options);

}  // namespace arenascope::models
