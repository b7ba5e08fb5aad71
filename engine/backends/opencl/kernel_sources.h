// SPDX-License-Identifier: MIT
// Sources of the kernels in folder kernels/, embedded by the build.
#pragma once
#include <string>
#include <string_view>

namespace arenascope::opencl {

struct KernelSource {
  std::string_view name;  // "pointwise"
  std::string_view text;
};
// Empty if there is no such program.
std::string_view kernel_text(std::string_view name);

// Prelude of every program: element types and ops by number, and kernels/common.cl.
std::string kernel_prelude();

}  // namespace arenascope::opencl
