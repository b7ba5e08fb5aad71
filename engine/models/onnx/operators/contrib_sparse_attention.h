// SPDX-License-Identifier: MIT
#pragma once

namespace arenascope::models {

class OpCall;

// ONNX Runtime's SparseAttention: a table lists the blocks of keys that each block of queries attends to.
void sparse_attention(OpCall& c);

}  // namespace arenascope::models
