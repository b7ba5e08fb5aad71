// SPDX-License-Identifier: MIT
// The devices of a backend module as text between two processes: fields that end with a zero byte.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/runtime/backend_module.h>

namespace arenascope {

inline constexpr int kProbeStream = 3;  // file descriptor of the probe's output

std::string probe_fields(const std::vector<DeviceStatus>& devices);
// None: the text is incomplete.
std::optional<std::vector<DeviceStatus>> parse_probe_fields(std::string_view text);

}  // namespace arenascope
