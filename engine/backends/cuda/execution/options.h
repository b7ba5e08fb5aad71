// SPDX-License-Identifier: MIT
// The backend's options and their values.
#pragma once
#include <arenascope/runtime/backend_module.h>
#include "engine/backends/cuda/execution/driver.h"

namespace arenascope::cuda {

struct CudaOptions {
  int device = 0;
  bool graphs = true;      // capture and replay
  bool chains = true;      // fuse pointwise nodes
  bool activities = true;  // kernel times from activity records, if available
  QueueOptions queue;
};

// `precision` high is f32, normal allows tf32; low (values stored as f16) is applied to the graph before. Errors: an
// unknown option, an invalid value, a missing device.
Result<CudaOptions> read_options(const BackendOptions& given, int devices);

}  // namespace arenascope::cuda
