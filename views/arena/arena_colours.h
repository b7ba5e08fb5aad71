// SPDX-License-Identifier: GPL-3.0-or-later
// Colours the rectangles of the arena map by a property of their tensors, and provides the legend. Pure functions of a
// prepared picture; they change styles only, not positions.
#pragma once
#include <views/arena/arena_picture.h>
#include <views/common/header.h>

namespace arenascope::views {

inline constexpr uint32_t kArenaCategories = 8, kArenaShades = 8;
// Style indices after slice_styles(): categories and shades, each observed and then planned.
inline constexpr uint32_t kArenaCategory0 = 2 * kSliceStyles;
inline constexpr uint32_t kArenaShade0 = kArenaCategory0 + 2 * kArenaCategories;

// Sets the styles for `picture.colour` in `picture.bodies`, and fills `picture.meanings`. Does nothing for
// ArenaColour::Kind.
void colour_bodies(ArenaPicture& picture, const PrepareInput& input);

// slice_styles(), followed by the categories and shades above.
std::vector<RectStyle> arena_styles(const ThemeColours& colours);
// Legend entries for the styles that occur in the picture.
std::vector<LegendChip> body_legend(const ArenaPicture& picture, const std::vector<RectStyle>& styles);

struct ArenaColourNames {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::ArenaColourNames)
 public:
  static QString of(ArenaColour colour);
};

}  // namespace arenascope::views
