// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM of more steps than are written out.
#pragma once
#include "engine/models/onnx/operators/recurrent_cell.h"

namespace arenascope::models {

// What the operator has read of its node.
struct RecurrentCall {
  int64_t gates = 0, directions = 1, steps = 0, batch = 0, hidden = 0;
  int32_t direction = 0;    // 0 forward, 1 backward, 2 both
  bool transposed = false;  // the batch comes first
  int64_t seen = 0;         // width of what is seen of a memory; 0: there is none
  Tensor x;                 // [T, B, n]
  Tensor lengths;           // i64 [B], 0 … T; undefined where all sequences are whole
  std::vector<Activation> functions;
};

// The sources and results by which AttnLSTM hands on what it sees from turn to turn, [D, B, seen]; no file has them.
inline constexpr size_t kSeenBefore = 14, kSeenBehind = 3;

void leave_recurrence(OpCall& c, const RecurrentCall& r);

}  // namespace arenascope::models
