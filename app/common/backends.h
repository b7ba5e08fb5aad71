// SPDX-License-Identifier: GPL-3.0-or-later
// The backends of this build: the CPU's is linked in, the others are modules loaded at run time.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/backend_module.h>

namespace arenascope::app {

// A backend, or why it cannot be had.
struct BackendStatus {
  std::string backend;                                     // "cpu", "opencl", "cuda", "reference"
  std::string device;                                      // "cpu", "opencl:0", …
  std::string description;                                 // the device in words
  std::string missing;                                     // one sentence; empty when it is there
  std::vector<std::pair<std::string, std::string>> facts;  // name, value with unit
};

std::vector<BackendStatus> list_backends();

// Whether there is a backend of that name here or elsewhere: "cpu", "opencl", and with a device "opencl:1".
bool is_backend_name(std::string_view spec);
// All of them, for a message: " cpu reference opencl cuda".
std::string backend_names();

// `spec` is a backend's name, with `:N` its device N. Error: no such backend, or why it is missing.
Result<std::unique_ptr<Backend>> open_backend(const std::string& spec, BackendOptions options = {});

}  // namespace arenascope::app
