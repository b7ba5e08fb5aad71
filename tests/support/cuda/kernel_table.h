// SPDX-License-Identifier: MIT
// The kernels as functions of the host.
#pragma once
#include <cstddef>

#include "engine/backends/cuda/kernels/kernel_list.h"

namespace arenascope::cuda::emulated {

struct HostKernel {
  void (*run)(const void* params);
  size_t params_bytes;
  bool meets;
};
const HostKernel& host_kernel(KernelId id);

}  // namespace arenascope::cuda::emulated
