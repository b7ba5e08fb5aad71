// SPDX-License-Identifier: MIT
// The backends of this build: the CPU's is linked in, the others are modules loaded at run time.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/backend_module.h>

namespace arenascope {

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

// How exactly a device computes float32: as the standard says, with shortcuts that the device has for it, or with
// values stored as float16.
enum class Precision : uint8_t { High, Normal, Low };
const char* name(Precision precision);
std::optional<Precision> parse_precision(std::string_view name);

// What a program runs on.
struct Devices {
  std::shared_ptr<Backend> main;
  std::shared_ptr<Backend> host;  // computes what `main` cannot; null where that runs on the host's threads itself
};

// `spec` and errors as open_backend(). The options are what the backend's documentation lists.
Result<Devices> open_devices(const std::string& spec = "cpu", BackendOptions options = {},
                             std::optional<Precision> precision = {});

}  // namespace arenascope
