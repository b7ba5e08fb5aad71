// SPDX-License-Identifier: MIT
#include "support/cuda/kernel_table.h"

#include "engine/backends/cuda/kernels/attention.h"
#include "engine/backends/cuda/kernels/copies.h"
#include "engine/backends/cuda/kernels/dense_rows.h"
#include "engine/backends/cuda/kernels/flat.h"
#include "engine/backends/cuda/kernels/grid_sample.h"
#include "engine/backends/cuda/kernels/matmul.h"
#include "engine/backends/cuda/kernels/movement.h"
#include "engine/backends/cuda/kernels/round_small.h"
#include "engine/backends/cuda/kernels/row_norms.h"
#include "engine/backends/cuda/kernels/row_reductions.h"
#include "engine/backends/cuda/kernels/set_rows.h"
#include "engine/backends/cuda/kernels/training.h"
#include "engine/backends/cuda/kernels/windows.h"

namespace arenascope::cuda::emulated {

const HostKernel& host_kernel(KernelId id) {
  static constexpr HostKernel table[] = {
#define X(id, Work, meets) {[](const void* p) { id(*static_cast<const Work*>(p)); }, sizeof(Work), meets},
      ARENASCOPE_CUDA_KERNELS(X)
#undef X
  };
  return table[static_cast<size_t>(id)];
}

}  // namespace arenascope::cuda::emulated
