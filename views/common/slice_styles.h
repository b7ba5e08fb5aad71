// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of the styles of slices.
#pragma once
#include <views/common/rect_plottable.h>
#include <views/common/slice_style.h>

namespace arenascope::views {

std::vector<RectStyle> slice_styles(const ThemeColours& colours);  // observed, then planned: 2 * kSliceStyles

}  // namespace arenascope::views
