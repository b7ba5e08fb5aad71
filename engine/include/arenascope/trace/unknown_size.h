// SPDX-License-Identifier: MIT
// A bit of TensorInfo::flags: the size of the tensor is not known; its `bytes` are 0, its shape and type empty.
#pragma once
#include <arenascope/trace/info.h>

namespace arenascope::trace {

inline constexpr uint32_t kUnknownSize = 512;

inline bool has_unknown_size(const TensorInfo& tensor) { return (tensor.flags & kUnknownSize) != 0; }

}  // namespace arenascope::trace
