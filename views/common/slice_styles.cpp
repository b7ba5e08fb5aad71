// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/slice_styles.h>

namespace arenascope::views {

std::vector<RectStyle> slice_styles(const ThemeColours& c) {
  const QColor work = c[Role::Work];
  // Tints of one blue; the lightest is still dark enough for white text.
  const QColor tints[3] = {work, work.lighter(c.dark ? 122 : 118), work.darker(c.dark ? 124 : 118)};
  std::vector<RectStyle> styles;
  const auto add = [&](const QColor& fill, const QColor& outline) {
    RectStyle s;
    s.fill = fill;
    s.outline = outline;
    styles.push_back(s);
  };
  for (const bool seen : {true, false}) {
    const auto shade = [&](QColor q) {
      if (!seen) q.setAlpha(c.dark ? 90 : 64);
      return q;
    };
    for (const QColor& t : tints) add(shade(t), QColor());
    add(shade(c[Role::Input]), QColor());
    add(shade(c[Role::Output]), QColor());
    add(shade(c[Role::Weight]), QColor());
    add(QColor(), c[Role::View]);
  }
  return styles;
}

}  // namespace arenascope::views
