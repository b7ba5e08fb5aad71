// SPDX-License-Identifier: GPL-3.0-or-later
// The drawn colour of a span.
#pragma once
#include <views/common/rect_plottable.h>
#include <views/timeline/timeline_colours.h>

namespace arenascope::views {

// Shades of one hue, from pale to strong, so that longer spans are stronger in both themes.
RectStyle style_of(const SpanColour& colour, const ThemeColours& colours);

}  // namespace arenascope::views
