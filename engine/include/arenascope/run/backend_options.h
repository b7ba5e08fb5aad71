// SPDX-License-Identifier: MIT
// The options of backends that have choices, as one table: what they are called, may be, are unless told, and mean. Paths and
// device numbers stand in the backends' documentation only.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/runtime/backend_module.h>

namespace arenascope {

struct BackendOptionInfo {
  const char* backend;  // "cpu", "opencl", "cuda"
  const char* name;     // as in --backend-option NAME=VALUE
  const char* choices;  // "low normal": the usual one first
  const char* title;    // both English
  const char* sentence;
  std::vector<std::string> values() const;  // the choices one by one
  std::string usual() const;
};

std::span<const BackendOptionInfo> backend_options();

// Of options whose names may begin with a backend's, as "opencl.tuning", those for a backend, without that beginning. Of
// two for the same the one that names the backend holds.
BackendOptions options_for(std::string_view backend, const BackendOptions& given);

}  // namespace arenascope
