// SPDX-License-Identifier: MIT
// Times of device work, converted to the host's clock.
#pragma once
#include <optional>

#include <arenascope/runtime/backend.h>
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

// Waits for the queue. The clock offset is measured by queueing a command several times: the midpoint of the host times
// before and after it corresponds to the device's end time; the fastest try is used, and half of its duration is the
// `error`.
std::vector<DeviceSpan> spans_of(Runtime& runtime, const std::function<Nanoseconds()>& now,
                                 std::optional<Nanoseconds>& error);

}  // namespace arenascope::opencl
