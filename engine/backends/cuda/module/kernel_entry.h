// SPDX-License-Identifier: MIT
// Kernel entry points for launches.
#pragma once
#include "engine/backends/cuda/kernels/kernel_list.h"

namespace arenascope::cuda {

// Null for a kernel of another file.
const void* pointwise_entry(KernelId id);
const void* row_ops_entry(KernelId id);
const void* matmul_entry(KernelId id);

}  // namespace arenascope::cuda
