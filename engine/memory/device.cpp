// SPDX-License-Identifier: MIT
#include <arenascope/memory/device.h>
#include <fmt/format.h>

#include <charconv>

namespace arenascope {
namespace {

struct TypeName {
  DeviceType type;
  std::string_view name;
};

constexpr TypeName kTypeNames[] = {{DeviceType::Cpu, "cpu"},
                                   {DeviceType::OpenCl, "opencl"},
                                   {DeviceType::Cuda, "cuda"},
                                   {DeviceType::Simulated, "simulated"}};

}  // namespace

std::string to_string(Device device) {
  for (const TypeName& t : kTypeNames) {
    if (t.type != device.type) continue;
    if (device.is_cpu() && device.index == 0) return std::string(t.name);
    return fmt::format("{}:{}", t.name, device.index);
  }
  return fmt::format("device type {}:{}", static_cast<int>(device.type), device.index);
}

Result<Device> parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const TypeName& t : kTypeNames) {
    if (t.name != name) continue;
    Device device{t.type, 0};
    if (colon == std::string_view::npos) return device;
    const char* first = text.data() + colon + 1;
    const char* last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(first, last, device.index);
    if (failure != std::errc() || end != last || device.index < 0) break;
    return device;
  }
  return Error{fmt::format("invalid device '{}': expected cpu, opencl:N, cuda:N or simulated:N", text)};
}

}  // namespace arenascope
