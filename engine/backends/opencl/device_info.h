// SPDX-License-Identifier: MIT
// The OpenCL devices of this machine and their properties.
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include "engine/backends/opencl/cl.h"

namespace arenascope::opencl {

enum class Vendor : uint8_t { Other, Amd, Arm, Imagination, Intel, Nvidia, Pocl, Qualcomm };
const char* name(Vendor vendor);

struct MemoryFacts {
  Bytes global = 0, cache = 0;
  Bytes local = 0;           // per work group
  Bytes max_allocation = 0;  // per allocation
};

struct DeviceFacts {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string platform_name, name, vendor_name, version, driver, c_version, family;
  Vendor vendor = Vendor::Other;
  cl_device_type type = 0;
  uint32_t compute_units = 0;
  uint32_t clock_mhz = 0;
  size_t max_work_group = 1;
  size_t max_work_item[3] = {1, 1, 1};
  MemoryFacts memory;
  Bytes base_alignment = 64;                 // alignment of sub-buffers, at least 64
  size_t image_width = 0, image_height = 0;  // size of the largest 2-D image; 0: no images
  bool fp16 = false, fp64 = false, integer_dot = false, subgroups = false, unified_memory = false;
  bool command_buffer = false, recordable_queues = false, intel_subgroups = false;
  bool priority_hints = false, throttle_hints = false;
  bool fast_dot8 = false, fast_dot8_packed = false;  // integer dot products of bytes in hardware
  uint32_t float_lanes = 1;                          // floats per unit and instruction
  cl_device_svm_capabilities svm = 0;

  // Relies on caches rather than on a GPU's local memory.
  bool is_cpu() const { return (type & CL_DEVICE_TYPE_CPU) != 0; }
};

// All devices of all platforms, GPUs first, or those of platforms whose name contains `platform`. Errors: no platform
// (no driver is installed), no device.
Result<std::vector<DeviceFacts>> find_devices(const std::string& platform = "");

// For `devices`: names and values with units.
std::vector<std::pair<std::string, std::string>> describe(const DeviceFacts& facts);

}  // namespace arenascope::opencl
