// SPDX-License-Identifier: MIT
#pragma once

namespace arenascope::models {

class OpCall;

// ONNX Runtime's Tokenizer: each string becomes a row of its parts.
void tokenise(OpCall& c);

}  // namespace arenascope::models
