// SPDX-License-Identifier: GPL-3.0-or-later
// Colours that the arena map and the lifetimes share for a tensor's slice of the arena.
#pragma once
#include <views/common/rect_plottable.h>

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
std::vector<RectStyle> slice_styles(const ThemeColours& colours);  // observed, then planned: 2 * kSliceStyles

}  // namespace arenascope::views
