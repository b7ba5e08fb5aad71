// SPDX-License-Identifier: GPL-3.0-or-later
// Styles that the arena map and the lifetimes share for a tensor's slice of the arena.
#pragma once
#include <arenascope/trace/info.h>

namespace arenascope::views {

// The fill style of a slice; each exists in an observed and a planned variant.
enum SliceStyle {  // no underlying type: lupdate loses the namespace after one
  kSliceWork0,     // three alternating tints, so that neighbours can be distinguished
  kSliceWork1,
  kSliceWork2,
  kSliceInput,
  kSliceOutput,
  kSliceWeight,
  kSliceView,
  kSliceStyles,
};
uint32_t slice_style(const trace::TensorInfo* tensor, trace::TensorRef ref, bool seen);

}  // namespace arenascope::views
