// SPDX-License-Identifier: MIT
// GatedDeltaNet of more steps than are written out.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <vector>

namespace arenascope::models {

// The parsed inputs of a node, with all gates applied. All sequences have one length.
struct DeltaCall {
  int64_t steps = 0;
  Tensor q, k, v, decay, beta;  // [S, T, …]; the last two may be undefined
  Tensor state;                 // [S, Hv, Dv, D]
  Tensor update;                // result 2, if the node has it
  float scale = 1;
  Dims results;                  // shape of result 0
  std::vector<int64_t> indices;  // indices of its rows among S · T, if some of these are padding
};

void leave_delta(OpCall& c, const DeltaCall& call);

}  // namespace arenascope::models
