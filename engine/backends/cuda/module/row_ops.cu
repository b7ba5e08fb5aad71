// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/kernels/dense_rows.h"
#include "engine/backends/cuda/kernels/row_norms.h"
#include "engine/backends/cuda/kernels/row_reductions.h"
#include "engine/backends/cuda/module/kernel_entry.h"

namespace arenascope::cuda {

const void* row_ops_entry(KernelId id) {
  switch (id) {
#define X(id, work, meets) \
  case KernelId::id: return reinterpret_cast<const void*>(&id);
    ARENASCOPE_CUDA_ROW_OPS(X)
#undef X
    default: return nullptr;
  }
}

}  // namespace arenascope::cuda
