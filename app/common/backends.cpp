// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/backends.h"

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/runtime/thread_pool.h>

#include <fmt/format.h>

namespace arenascope::app {
namespace {

std::string missing_module(std::string_view name) {
  return fmt::format("this build has no {} backend", name);
}

}  // namespace

std::vector<BackendStatus> list_backends() {
  std::vector<BackendStatus> out;
  const auto cpu = cpu::make_cpu_backend();
  out.push_back({"cpu",
                 to_string(cpu->device()),
                 cpu->description(),
                 "",
                 {{"processors", fmt::format("{}", usable_processors())},
                  {"memory", fmt::format("{:.1f} GiB", double(physical_memory()) / (1 << 30))}}});
  out.push_back({"reference", "cpu", "float64 reference, one thread, for checking the others", "", {}});
  out.push_back({"opencl", "", "", missing_module("OpenCL"), {}});
  out.push_back({"cuda", "", "", missing_module("CUDA"), {}});
  return out;
}

Result<std::unique_ptr<Backend>> open_backend(const std::string& name) {
  if (name == "cpu") return cpu::make_cpu_backend();
  if (name == "reference") return reference::make_reference_backend();
  for (const BackendStatus& status : list_backends())
    if (status.backend == name) return Error{fmt::format("backend '{}' cannot be used: {}", name, status.missing)};
  return Error{fmt::format("there is no backend '{}'; there are cpu, reference, opencl and cuda", name)};
}

}  // namespace arenascope::app
