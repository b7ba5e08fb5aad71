// SPDX-License-Identifier: MIT
// Tests whether a file recorded a property of a tensor. A property that was not recorded is shown as missing, not as
// zero.
#pragma once
#include <arenascope/trace/info.h>

namespace arenascope::trace {

inline bool has_size(const TensorInfo& tensor) {
  return tensor.bytes > 0 || !tensor.dtype.empty() || !tensor.shape.empty();
}
// Operations and tasks are known of the engine's own ops, and of others where the program recorded some.
inline bool has_flops(const TensorInfo& tensor) { return tensor.flops > 0 || tensor.op_number != 0; }
inline bool has_tasks(const TensorInfo& tensor) { return tensor.tasks > 0 || tensor.op_number != 0; }

}  // namespace arenascope::trace
