// SPDX-License-Identifier: MIT
// The available backends: "cpu" and "reference" are linked in; the others are modules that are loaded at run time.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/backend_module.h>

namespace arenascope {

// A backend and device, or the reason why it is not available.
struct BackendStatus {
  std::string backend;                                     // "cpu", "opencl", "cuda", "reference"
  std::string device;                                      // "cpu", "opencl:0", …
  std::string description;                                 // human-readable name of the device
  std::string missing;                                     // why it is not available; empty if it is
  std::vector<std::pair<std::string, std::string>> facts;  // name, value with unit
};

std::vector<BackendStatus> list_backends();

// True if `spec` names a known backend, installed or not: "cpu", "opencl", or with a device "opencl:1".
bool is_backend_name(std::string_view spec);
// All backend names for an error message: " cpu reference opencl cuda".
std::string backend_names();

// `spec`: "NAME" or "NAME:DEVICE". Errors: no such backend, or the reason why it is not available.
Result<std::unique_ptr<Backend>> open_backend(const std::string& spec, BackendOptions options = {});

// Precision of float32 computations. High: IEEE float32. Normal: reduced-precision shortcuts of the device are allowed.
// Low: values are stored as float16.
enum class Precision : uint8_t { High, Normal, Low };
const char* name(Precision precision);
std::optional<Precision> parse_precision(std::string_view name);

// The backends that a program runs on.
struct Devices {
  std::shared_ptr<Backend> main;
  std::shared_ptr<Backend> host;  // computes nodes that `main` cannot; null if `main` is a host backend
};

// `spec` and errors as for open_backend(). Options: see the documentation of the backend.
Result<Devices> open_devices(const std::string& spec = "cpu", BackendOptions options = {},
                             std::optional<Precision> precision = {});

}  // namespace arenascope
