// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/slice_style.h>

namespace arenascope::views {

uint32_t slice_style(const trace::TensorInfo* tensor, trace::TensorRef ref, bool seen) {
  uint32_t style = kSliceWork0 + static_cast<uint32_t>(ref.index() % 3);
  if (tensor) {
    if (tensor->flags & (trace::kWeight | trace::kParameter)) {
      style = kSliceWeight;
    } else if (tensor->flags & trace::kInput) {
      style = kSliceInput;
    } else if (tensor->flags & trace::kOutput) {
      style = kSliceOutput;
    } else if (tensor->flags & trace::kView) {
      style = kSliceView;
    }
  }
  return seen ? style : style + kSliceStyles;
}

}  // namespace arenascope::views
