// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and legend of the arena map.
#pragma once
#include <views/arena/arena_picture.h>
#include <views/common/header.h>

namespace arenascope::views {

// slice_styles(), followed by the categories and shades above.
std::vector<RectStyle> arena_styles(const ThemeColours& colours);
// Legend entries for the styles that occur in the picture.
std::vector<LegendChip> body_legend(const ArenaPicture& picture, const std::vector<RectStyle>& styles);

}  // namespace arenascope::views
