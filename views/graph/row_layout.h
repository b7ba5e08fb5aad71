// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes in rows, every link from a row to one below: ranks by the longest way, rows ordered by barycentres, places by
// least squares under the boxes' widths. A link over several rows is led through each by a point that keeps room.
// After Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system structures (1981); the places
// by isotonic regression (pool adjacent violators). Knows no graph; units are pixels, y grows downwards.
#pragma once
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <cstdint>
#include <vector>

namespace arenascope::views {

struct RowItem {
  QSizeF size;
  enum class Pin : uint8_t { None, First, Last } pin = Pin::None;  // in the first row or the last, whatever is linked
};

struct RowLink {
  size_t from = 0, to = 0;            // items
  double from_port = 0, to_port = 0;  // where it leaves and arrives, from the middle of the item
  size_t bundle = 0;                  // links of one bundle share their way as long as they can
  double room = 0;                    // pixels of height that it wants on its way, for a badge
};

struct RowLayout {
  std::vector<QPointF> centres;              // of each item
  std::vector<std::vector<QPointF>> curves;  // of each link: 3n+1 points of a Bézier curve
  QRectF bounds;
};

// Any graph: links that close a loop are found and drawn upwards.
RowLayout lay_rows(const std::vector<RowItem>& items, const std::vector<RowLink>& links);

}  // namespace arenascope::views
