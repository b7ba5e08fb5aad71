// SPDX-License-Identifier: MIT
// Reads a snapshot from memory. `stack_of` maps an entry or a block to the number of its call stack.
#pragma once
#include <arenascope/trace/pytorch_snapshot.h>

#include <functional>

#include "engine/trace/pickle.h"

namespace arenascope::trace {

Result<PytorchSnapshot> read_pytorch_snapshot(ByteSpan bytes, const std::string& name,
                                              const std::function<int32_t(const PickleValue&)>& stack_of);

}  // namespace arenascope::trace
