// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/timeline/span_style.h>

namespace arenascope::views {

RectStyle style_of(const SpanColour& colour, const ThemeColours& colours) {
  RectStyle style;
  style.fill = colour.shade
                   ? mixed(colours.background, colours.category(5), 0.2 + 0.8 * colour.number / (kSpanShades - 1))
                   : colours.category(colour.number);
  return style;
}

}  // namespace arenascope::views
