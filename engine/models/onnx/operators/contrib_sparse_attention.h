// SPDX-License-Identifier: MIT
#pragma once

namespace arenascope::models {

class OpCall;

// ONNX Runtime's SparseAttention: a table says which blocks of keys each block of queries sees.
void sparse_attention(OpCall& c);

}  // namespace arenascope::models
