// SPDX-License-Identifier: MIT
// Why there is no device, in one sentence, from what the runtime answered. Apart from the module, so that it is tested
// where there is no driver to ask.
#pragma once
#include <cstdint>
#include <string>

namespace arenascope::cuda {

enum class DriverAnswer : uint8_t { Devices, TooOld, NoDevice, StubLibrary, Failed };

struct DriverFacts {
  int driver = 0;   // the newest CUDA that it knows, 13000 for 13.0; 0: there is none
  int runtime = 0;  // the CUDA that this module was built with
  DriverAnswer answer = DriverAnswer::Devices;
  int devices = 0;
  std::string said;  // by the runtime, with DriverAnswer::Failed
};

// "13.0"
std::string cuda_version(int version);

// Empty when there are devices.
std::string why_no_device(const DriverFacts& facts);

// Why one device of that compute capability cannot be used: empty, or that it is older than the kernels.
std::string why_not_this_device(int number, const std::string& name, int major, int minor);

}  // namespace arenascope::cuda
