// SPDX-License-Identifier: MIT
// The times of what a device did, moved to the host's clock.
#pragma once
#include <optional>

#include <arenascope/runtime/backend.h>
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

// Waits for the queue. Where the two clocks' difference is measured: a command is queued several times, and the host's
// time in the middle between before and after stands for the device's time of its end, by the try that took least; half
// of what that took is the `error` that stays, either way.
std::vector<DeviceSpan> spans_of(Runtime& runtime, const std::function<Nanoseconds()>& now,
                                 std::optional<Nanoseconds>& error);

}  // namespace arenascope::opencl
