// SPDX-License-Identifier: MIT
// Reads a snapshot that lies in memory; `stack_of` is asked for the number of an entry's or block's stack of calls.
#pragma once
#include <arenascope/trace/pytorch_snapshot.h>

#include <functional>

#include "engine/trace/pickle.h"

namespace arenascope::trace {

Result<PytorchSnapshot> read_pytorch_snapshot(ByteSpan bytes, const std::string& name,
                                              const std::function<int32_t(const PickleValue&)>& stack_of);

}  // namespace arenascope::trace
