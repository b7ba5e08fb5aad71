// SPDX-License-Identifier: MIT
// Table of the backend options with a fixed set of values: name, values, default, meaning. Options for paths and device numbers
// are described in the documentation of the backends only.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/runtime/backend_module.h>

namespace arenascope {

struct BackendOptionInfo {
  const char* backend;                      // "cpu", "opencl", "cuda"
  const char* name;                         // as in --backend-option NAME=VALUE
  const char* choices;                      // values separated by blanks, the default first: "low normal"
  const char* title;                        // English
  const char* description;                  // English
  std::vector<std::string> values() const;  // `choices` split
  std::string default_value() const;
};

std::span<const BackendOptionInfo> backend_options();

// The options that apply to a backend. A name may have a backend as prefix ("opencl.tuning"), which is removed; options
// for other backends are dropped. A prefixed option overrides one without prefix.
BackendOptions options_for(std::string_view backend, const BackendOptions& given);

}  // namespace arenascope
