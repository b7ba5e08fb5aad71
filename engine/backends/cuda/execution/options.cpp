// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/options.h"
#include <fmt/format.h>

#include <charconv>

namespace arenascope::cuda {

Result<CudaOptions> read_options(const BackendOptions& given, int devices) {
  CudaOptions options;
  for (const auto& [name, value] : given) {
    if (name == "device") {
      const char* end = value.data() + value.size();
      const auto read = std::from_chars(value.data(), end, options.device);
      if (read.ec != std::errc() || read.ptr != end || options.device < 0 || options.device >= devices)
        return Error{fmt::format("no device cuda:{}; found {}", value, devices)};
      continue;
    }
    if (name == "precision") {
      if (value != "high" && value != "normal" && value != "low")
        return Error{
            fmt::format("invalid value '{}' for cuda option 'precision', expected high, normal or low", value)};
      options.queue.tf32 = value == "normal";
      continue;
    }
    bool* flag = name == "tf32"         ? &options.queue.tf32
                 : name == "libraries"  ? &options.queue.libraries
                 : name == "graphs"     ? &options.graphs
                 : name == "chains"     ? &options.chains
                 : name == "activities" ? &options.activities
                                        : nullptr;
    if (!flag)
      return Error{fmt::format(
          "unknown cuda option '{}'; available: device, precision, tf32, libraries, graphs, chains, activities", name)};
    if (value != "0" && value != "1")
      return Error{fmt::format("invalid value '{}' for cuda option '{}', expected 0 or 1", value, name)};
    *flag = value == "1";
  }
  return options;
}

}  // namespace arenascope::cuda
