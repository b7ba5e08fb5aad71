// SPDX-License-Identifier: MIT
// The backend's options: how they are called, and what they may be.
#pragma once
#include <arenascope/runtime/backend_module.h>
#include "engine/backends/cuda/execution/driver.h"

namespace arenascope::cuda {

struct CudaOptions {
  int device = 0;
  bool graphs = true;      // capture and replay
  bool chains = true;      // join pointwise nodes
  bool activities = true;  // times from activity records where they are to be had
  QueueOptions queue;
};

// `precision` high is f32, normal allows tf32; low, values stored as f16, is the program's work before nodes come here.
// Error: an option that there is not, a value that it does not take, a device that there is not.
Result<CudaOptions> read_options(const BackendOptions& given, int devices);

}  // namespace arenascope::cuda
