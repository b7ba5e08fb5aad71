// SPDX-License-Identifier: MIT
// Which nodes the CPU computes with their images' channels last, and what they gain.
#pragma once
#include <arenascope/runtime/backend.h>

namespace arenascope::cpu {

ChannelsLast channels_last_of(const TensorImpl& node);

}  // namespace arenascope::cpu
