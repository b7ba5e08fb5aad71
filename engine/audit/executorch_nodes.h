// SPDX-License-Identifier: MIT
// The nodes of an ExecuTorch program by the numbers that its event dumps refer to.
#pragma once
#include <tuple>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

// By method, chain and instruction. Instructions without tensors have no node.
using NodesOfInstructions = std::map<std::tuple<size_t, int64_t, int64_t>, int32_t>;

// Adds the graphs and plans of a program's methods.
NodesOfInstructions read_methods(ByteSpan program, Raw& raw);

}  // namespace arenascope::audit
