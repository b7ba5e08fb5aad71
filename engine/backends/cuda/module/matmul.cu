// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/kernels/attention.h"
#include "engine/backends/cuda/kernels/matmul.h"
#include "engine/backends/cuda/module/kernel_entry.h"

namespace arenascope::cuda {

const void* matmul_entry(KernelId id) {
  switch (id) {
#define X(id, work, meets) \
  case KernelId::id: return reinterpret_cast<const void*>(&id);
    ARENASCOPE_CUDA_MATMUL(X)
#undef X
    default: return nullptr;
  }
}

}  // namespace arenascope::cuda
