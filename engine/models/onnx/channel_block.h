// SPDX-License-Identifier: MIT
// Models that ONNX Runtime saved after its layout optimisations have convolutions of the domain com.microsoft.nchwc, whose
// weights are in blocks of channels. The block size depended on the machine that saved the file, which does not record it.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

namespace arenascope::models::ir {

inline constexpr const char* kBlockedDomain = "com.microsoft.nchwc";
// The key of OpenOptions::dims that gives the channels per block.
inline constexpr const char* kChannelBlock = "nchwc";

// Inferred from padded channels and from convolutions with 8 to 15 input channels; otherwise that of this processor. Empty: no node needs it.
ChannelBlock find_channel_block(const Graph& graph);

}  // namespace arenascope::models::ir
