// SPDX-License-Identifier: GPL-3.0-or-later
// Colours the rectangles of the arena map by a property of their tensors. A pure function of a prepared
// picture; it changes styles only, not positions.
#pragma once
#include <views/arena/arena_picture.h>
#include <QCoreApplication>

namespace arenascope::views {

inline constexpr uint32_t kArenaCategories = 8, kArenaShades = 8;
// Style indices after slice_styles(): categories and shades, each observed and then planned.
inline constexpr uint32_t kArenaCategory0 = 2 * kSliceStyles;
inline constexpr uint32_t kArenaShade0 = kArenaCategory0 + 2 * kArenaCategories;

// Sets the styles for `picture.colour` in `picture.bodies`, and fills `picture.meanings`. Does nothing for
// ArenaColour::Kind.
void colour_bodies(ArenaPicture& picture, const PrepareInput& input);

struct ArenaColourNames {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::ArenaColourNames)
 public:
  static QString of(ArenaColour colour);
};

}  // namespace arenascope::views
