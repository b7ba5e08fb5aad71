// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/absence.h"
#include <fmt/format.h>

namespace arenascope::cuda {

std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string why_no_device(const DriverFacts& facts) {
  // Before anything else: with no driver every other call fails as well, and says less.
  if (facts.driver <= 0 && facts.answer != DriverAnswer::StubLibrary)
    return "there is no NVIDIA driver on this machine (libcuda.so.1 was not found)";
  switch (facts.answer) {
    case DriverAnswer::TooOld:
      return fmt::format("the NVIDIA driver is for CUDA {}, this module needs {}", cuda_version(facts.driver),
                         cuda_version(facts.runtime));
    case DriverAnswer::StubLibrary:
      return "the libcuda.so.1 that was found is the toolkit's stand-in for linking, not an NVIDIA driver";
    case DriverAnswer::Failed: return fmt::format("the NVIDIA driver does not start: {}", facts.said);
    case DriverAnswer::NoDevice:
    case DriverAnswer::Devices: break;
  }
  return facts.answer == DriverAnswer::Devices && facts.devices > 0 ? "" : "the NVIDIA driver finds no GPU";
}

std::string why_not_this_device(int number, const std::string& name, int major, int minor) {
  if (major * 10 + minor >= 75) return "";
  return fmt::format("cuda:{}, {}, is of compute capability {}.{}, and 7.5 is the least", number, name, major, minor);
}

}  // namespace arenascope::cuda
