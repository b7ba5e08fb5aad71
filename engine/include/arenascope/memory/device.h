// SPDX-License-Identifier: MIT
// Devices, identified by kind and number, and streams, which are their work queues.
#pragma once
#include <arenascope/base/result.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace arenascope {

enum class DeviceType : uint8_t { Cpu, OpenCl, Cuda, Simulated };

struct Device {
  DeviceType type = DeviceType::Cpu;
  int16_t index = 0;
  constexpr auto operator<=>(const Device&) const = default;
  constexpr bool is_cpu() const { return type == DeviceType::Cpu; }
};

// "cpu", "opencl:0", "cuda:1", "simulated:0".
std::string to_string(Device device);

// Inverse of to_string(); "cuda" means "cuda:0". Error: any other text, which the message quotes.
Result<Device> parse_device(std::string_view text);

// A work queue of a device. The handle is that of the backend (for example a cudaStream_t); 0 is the default stream.
struct Stream {
  Device device;
  uintptr_t handle = 0;
  constexpr auto operator<=>(const Stream&) const = default;
};

}  // namespace arenascope

template <>
struct std::hash<arenascope::Device> {
  size_t operator()(arenascope::Device d) const noexcept {
    return std::hash<uint32_t>()(static_cast<uint32_t>(d.type) << 16 | static_cast<uint16_t>(d.index));
  }
};

template <>
struct std::hash<arenascope::Stream> {
  size_t operator()(const arenascope::Stream& s) const noexcept {
    return std::hash<arenascope::Device>()(s.device) * 0x9e3779b97f4a7c15u ^ std::hash<uintptr_t>()(s.handle);
  }
};
