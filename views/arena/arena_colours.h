// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map's bodies coloured by what their tensors are, and what the colours mean. A pure function of a prepared
// picture: styles only; who lies where stays as it is.
#pragma once
#include <views/arena/arena_picture.h>
#include <views/common/header.h>

namespace arenascope::views {

inline constexpr uint32_t kArenaCategories = 8, kArenaShades = 8;
// Behind slice_styles(): categories and shades, each seen and then planned.
inline constexpr uint32_t kArenaCategory0 = 2 * kSliceStyles;
inline constexpr uint32_t kArenaShade0 = kArenaCategory0 + 2 * kArenaCategories;

// Puts the styles for `picture.colour` into `picture.bodies`, and `picture.meanings`. ArenaColour::Kind: nothing.
void colour_bodies(ArenaPicture& picture, const PrepareInput& input);

// slice_styles() and behind it those above.
std::vector<RectStyle> arena_styles(const ThemeColours& colours);
// The legend's entries for what occurs among the bodies.
std::vector<LegendChip> body_legend(const ArenaPicture& picture, const std::vector<RectStyle>& styles);

struct ArenaColourWords {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::ArenaColourWords)
 public:
  static QString of(ArenaColour colour);
};

}  // namespace arenascope::views
