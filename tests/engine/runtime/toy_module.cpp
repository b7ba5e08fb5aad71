// SPDX-License-Identifier: MIT
// A backend module around the toy backend, for the loader's tests.
#include <arenascope/runtime/backend_module_entry.h>

#include <cstdlib>

#include "support/toy_backend.h"

namespace {

using namespace arenascope;

// TOY_DRIVER: "abort" or "exit" simulates a driver that ends the process.
std::vector<DeviceStatus> list_devices() {
  if (const char* driver = std::getenv("TOY_DRIVER"))
    std::string_view(driver) == "abort" ? std::abort() : std::_Exit(3);
  return {{"toy:0", "a toy", "", {{"colour", "red"}}}, {"toy:1", "", "it is broken", {}}};
}

Result<std::unique_ptr<Backend>> open_device(const BackendOptions& options) {
  const auto device = options.find("device");
  if (device != options.end() && device->second != "0") return Error{"toy:" + device->second + " is broken"};
  return std::unique_ptr<Backend>(new test::ToyBackend);
}

Status measure_device(const BackendOptions& options, bool quick,
                      const std::function<void(const arenascope_measurement&)>& tell) {
  if (options.count("device") > 0) return Error{"a toy is measured without options"};
  tell({"sums", quick ? 1.0 : 2.0, "toys/s", "a peer", 0.5, 3, true});
  return {};
}

}  // namespace

ARENASCOPE_BACKEND_MODULE("toy", list_devices, open_device, measure_device)
