// SPDX-License-Identifier: MIT
// Convolutions by oneDNN with a channels-last result, written in place strip by strip.
#pragma once
#include <memory>

#include "engine/backends/cpu/onednn/onednn_conv.h"

namespace arenascope::cpu {

std::unique_ptr<OnednnConv> make_onednn_conv_nhwc(const TensorImpl& node);
Bytes onednn_conv_nhwc_work(const TensorImpl& node);

}  // namespace arenascope::cpu
