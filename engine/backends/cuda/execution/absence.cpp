// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/absence.h"
#include <fmt/format.h>

namespace arenascope::cuda {

std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string why_no_device(const DriverFacts& facts) {
  // Checked first: without a driver every other call fails too, with a less specific error.
  if (facts.driver <= 0 && facts.answer != DriverAnswer::StubLibrary)
    return "no NVIDIA driver found on this machine (libcuda.so.1 is missing)";
  switch (facts.answer) {
    case DriverAnswer::TooOld:
      return fmt::format("the NVIDIA driver supports CUDA {}, but this module requires {}", cuda_version(facts.driver),
                         cuda_version(facts.runtime));
    case DriverAnswer::StubLibrary: return "the libcuda.so.1 found is the toolkit's link stub, not an NVIDIA driver";
    case DriverAnswer::Failed: return fmt::format("the NVIDIA driver failed to initialise: {}", facts.said);
    case DriverAnswer::NoDevice:
    case DriverAnswer::Devices: break;
  }
  return facts.answer == DriverAnswer::Devices && facts.devices > 0 ? "" : "the NVIDIA driver found no GPU";
}

std::string why_not_this_device(int number, const std::string& name, int major, int minor) {
  if (major * 10 + minor >= 75) return "";
  return fmt::format("cuda:{} ({}) has compute capability {}.{}, but 7.5 or newer is required", number, name, major,
                     minor);
}

}  // namespace arenascope::cuda
