// SPDX-License-Identifier: MIT
// Convolutions given to oneDNN whose result lies with its channels last: straight into place, strip by strip.
#pragma once
#include <memory>

#include "engine/backends/cpu/library/library_conv.h"

namespace arenascope::cpu {

std::unique_ptr<LibraryConv> make_library_conv_last(const TensorImpl& node);
Bytes library_conv_last_work(const TensorImpl& node);

}  // namespace arenascope::cpu
