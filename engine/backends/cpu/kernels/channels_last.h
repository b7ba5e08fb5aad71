// SPDX-License-Identifier: MIT
// Nodes that the CPU backend can compute channels-last, and what that gains.
#pragma once
#include <arenascope/runtime/backend.h>

namespace arenascope::cpu {

ChannelsLast channels_last_of(const TensorImpl& node);

}  // namespace arenascope::cpu
