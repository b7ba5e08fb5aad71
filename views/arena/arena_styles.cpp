// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/arena/arena_colours.h>
#include <views/arena/arena_styles.h>
#include <views/common/format.h>
#include <views/common/slice_styles.h>

#include <cmath>

namespace arenascope::views {

std::vector<RectStyle> arena_styles(const ThemeColours& c) {
  std::vector<RectStyle> styles = slice_styles(c);
  const auto add = [&](QColor fill, bool seen) {
    if (!seen) fill.setAlpha(c.dark ? 90 : 64);
    RectStyle s;
    s.fill = fill;
    styles.push_back(s);
  };
  for (const bool seen : {true, false})
    for (uint32_t i = 0; i < kArenaCategories; ++i) add(c.category(i), seen);
  // From pale to strong in one hue, so that more reads as more in both themes.
  const QColor strong = c.category(5);
  for (const bool seen : {true, false})
    for (uint32_t i = 0; i < kArenaShades; ++i) {
      add(mixed(c.background, strong, 0.14 + 0.86 * i / (kArenaShades - 1)), seen);
    }
  return styles;
}

std::vector<LegendChip> body_legend(const ArenaPicture& picture, const std::vector<RectStyle>& styles) {
  std::vector<LegendChip> legend;
  for (const ArenaMeaning& m : picture.meanings) {
    QString text = QString::fromStdString(m.text);
    switch (picture.colour) {
      case ArenaColour::Size: text = format_bytes(static_cast<Bytes>(m.amount)); break;
      case ArenaColour::Time: text = format_ns(static_cast<Nanoseconds>(m.amount)); break;
      case ArenaColour::Age:
        text = ArenaColourNames::tr("%n step(s)", nullptr, static_cast<int>(std::lround(m.amount)));
        break;
      default:
        if (text.isEmpty()) text = ArenaColourNames::tr("%n other(s)", nullptr, static_cast<int>(m.amount));
    }
    legend.push_back({text, styles[m.style]});
  }
  if (picture.colour != ArenaColour::Kind || !picture.bodies) return legend;
  std::vector<bool> met(kSliceStyles, false);
  for (size_t i = 0; i < picture.bodies->size(); ++i) met[(*picture.bodies)[i].style % kSliceStyles] = true;
  const auto add = [&](uint32_t style, const QString& text) {
    if (met[style]) legend.push_back({text, styles[style]});
  };
  if (met[kSliceWork1] || met[kSliceWork2]) met[kSliceWork0] = true;
  add(kSliceWork0, ArenaColourNames::tr("result (adjacent results in different tints)"));
  add(kSliceInput, ArenaColourNames::tr("input"));
  add(kSliceOutput, ArenaColourNames::tr("output"));
  add(kSliceWeight, ArenaColourNames::tr("weight"));
  add(kSliceView, ArenaColourNames::tr("view"));
  return legend;
}

}  // namespace arenascope::views
