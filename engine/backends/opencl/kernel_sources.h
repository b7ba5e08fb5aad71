// SPDX-License-Identifier: MIT
// The kernels' texts, from the folder kernels/ by way of a file that the build writes.
#pragma once
#include <string>
#include <string_view>

namespace arenascope::opencl {

struct KernelSource {
  std::string_view name;  // "pointwise"
  std::string_view text;
};
// "" where there is no such program.
std::string_view kernel_text(std::string_view name);

// What every program starts with: element types and ops by number, and kernels/common.cl.
std::string kernel_prelude();

}  // namespace arenascope::opencl
