// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/kernels/copies.h"
#include "engine/backends/cuda/kernels/flat.h"
#include "engine/backends/cuda/kernels/grid_sample.h"
#include "engine/backends/cuda/kernels/movement.h"
#include "engine/backends/cuda/kernels/round_small.h"
#include "engine/backends/cuda/kernels/set_rows.h"
#include "engine/backends/cuda/kernels/training.h"
#include "engine/backends/cuda/kernels/windows.h"
#include "engine/backends/cuda/module/kernel_entry.h"

namespace arenascope::cuda {

const void* pointwise_entry(KernelId id) {
  switch (id) {
#define X(id, work, meets) \
  case KernelId::id: return reinterpret_cast<const void*>(&id);
    ARENASCOPE_CUDA_POINTWISE(X)
#undef X
    default: return nullptr;
  }
}

}  // namespace arenascope::cuda
