// SPDX-License-Identifier: MIT
// The reason why there is no device, from the runtime's answers. Separate from the module, so that it is tested without
// a driver.
#pragma once
#include <cstdint>
#include <string>

namespace arenascope::cuda {

enum class DriverAnswer : uint8_t { Devices, TooOld, NoDevice, StubLibrary, Failed };

struct DriverFacts {
  int driver = 0;   // newest supported CUDA version, 13000 for 13.0; 0: no driver
  int runtime = 0;  // CUDA version that this module was built with
  DriverAnswer answer = DriverAnswer::Devices;
  int devices = 0;
  std::string said;  // the runtime's message, with DriverAnswer::Failed
};

// "13.0"
std::string cuda_version(int version);

// Empty when there are devices.
std::string why_no_device(const DriverFacts& facts);

// The reason why a device of that compute capability cannot be used (older than the kernels); empty if it can.
std::string why_not_this_device(int number, const std::string& name, int major, int minor);

}  // namespace arenascope::cuda
