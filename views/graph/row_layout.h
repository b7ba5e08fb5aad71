// SPDX-License-Identifier: GPL-3.0-or-later
// Layered layout: boxes in rows, with every link from a row to a lower one. Ranks are assigned by longest path, rows
// are ordered by barycentres, and x positions are a least-squares fit with non-overlapping boxes. A link over several
// rows passes each of them at a point that reserves space. After Sugiyama, Tagawa, Toda: Methods for visual
// understanding of hierarchical system structures (1981); positions by isotonic regression (pool adjacent violators).
// Independent of graphs; units are pixels, y grows downwards.
#pragma once
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <cstdint>
#include <vector>

namespace arenascope::views {

struct RowItem {
  QSizeF size;
  enum class Pin : uint8_t { None, First, Last } pin = Pin::None;  // in the first or last row, regardless of its links
};

struct RowLink {
  size_t from = 0, to = 0;            // items
  double from_port = 0, to_port = 0;  // x of the end points, relative to the centre of the item
  size_t bundle = 0;                  // links of one bundle share their path as long as possible
  double room = 0;                    // height in pixels to reserve on its path, for a badge
};

struct RowLayout {
  std::vector<QPointF> centres;              // per item
  std::vector<std::vector<QPointF>> curves;  // per link: 3n+1 points of a Bézier curve
  QRectF bounds;
};

// Accepts any graph: links that close a cycle are found and drawn upwards.
RowLayout lay_rows(const std::vector<RowItem>& items, const std::vector<RowLink>& links);

}  // namespace arenascope::views
