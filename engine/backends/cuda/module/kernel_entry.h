// SPDX-License-Identifier: MIT
// The kernels as the runtime launches them.
#pragma once
#include "engine/backends/cuda/kernels/kernel_list.h"

namespace arenascope::cuda {

// Null for a kernel of another file.
const void* pointwise_entry(KernelId id);
const void* lines_entry(KernelId id);
const void* products_entry(KernelId id);

}  // namespace arenascope::cuda
