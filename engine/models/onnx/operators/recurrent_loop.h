// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM of more steps than are written out.
#pragma once
#include "engine/models/onnx/operators/recurrent_cell.h"

namespace arenascope::models {

// The parsed inputs and attributes of a node.
struct RecurrentCall {
  int64_t gates = 0, directions = 1, steps = 0, batch = 0, hidden = 0;
  int32_t direction = 0;    // 0 forward, 1 backward, 2 both
  bool transposed = false;  // batch-first
  int64_t seen = 0;         // width of the attention's context vector; 0: no attention
  Tensor x;                 // [T, B, n]
  Tensor lengths;           // i64 [B], 0 … T; undefined if all sequences have full length
  std::vector<Activation> functions;
};

// Additional inputs and outputs that carry AttnLSTM's context vector between iterations, [D, B, seen]; not in ONNX files.
inline constexpr size_t kSeenBefore = 14, kSeenAfter = 3;

void leave_recurrence(OpCall& c, const RecurrentCall& r);

}  // namespace arenascope::models
