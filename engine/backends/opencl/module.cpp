// SPDX-License-Identifier: MIT
#include <arenascope/runtime/backend_module_entry.h>
#include "engine/backends/opencl/opencl_backend.h"

namespace {
arenascope::Result<std::unique_ptr<arenascope::Backend>> open_device(const arenascope::BackendOptions& options) {
  return arenascope::opencl::open_opencl(options);
}
}  // namespace

ARENASCOPE_BACKEND_MODULE("opencl", arenascope::opencl::list_devices, open_device, nullptr)
