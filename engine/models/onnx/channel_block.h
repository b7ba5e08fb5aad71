// SPDX-License-Identifier: MIT
// In files that ONNX Runtime saved behind its last optimisations, convolutions of the domain com.microsoft.nchwc read weights in
// blocks of as many channels as suited the processor of the one who saved it. The file does not say of how many.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

namespace arenascope::models::ir {

inline constexpr const char* kBlockedDomain = "com.microsoft.nchwc";
// What OpenOptions::dims calls a block's channels.
inline constexpr const char* kChannelBlock = "nchwc";

// As far as padded channels and what a convolution of 8 to 15 channels reads tell; else as on this processor. Empty: no node asks.
ChannelBlock find_channel_block(const Graph& graph);

}  // namespace arenascope::models::ir
