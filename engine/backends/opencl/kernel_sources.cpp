// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/kernel_sources.h"

#include <cctype>

#include <fmt/format.h>

#include <arenascope/graph/op.h>

namespace arenascope::opencl {

extern const KernelSource kKernelSources[];
extern const int kKernelSourceCount;

std::string_view kernel_text(std::string_view name) {
  for (int i = 0; i < kKernelSourceCount; ++i)
    if (kKernelSources[i].name == name) return kKernelSources[i].text;
  return "";
}

std::string kernel_prelude() {
  std::string out;
  for (int i = 0; i < kDTypeCount; ++i) {
    std::string name = arenascope::name(static_cast<DType>(i));
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out += fmt::format("#define T_{} {}\n", name, i);
  }
  for (int i = 0; i < kOpCount; ++i) out += fmt::format("#define OP_{} {}\n", info(static_cast<Op>(i)).name, i);
  out += kernel_text("common");
  out += kernel_text("formulas");
  return out;
}

}  // namespace arenascope::opencl
