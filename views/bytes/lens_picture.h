// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a frame of the byte lens as data: boxes for cells, with labels, arrows and rulers. A strip wraps at the
// width of the picture.
#pragma once
#include <arenascope/lesson/byte_lens.h>

#include <QRectF>
#include <QString>
#include <set>
#include <vector>

namespace arenascope::views {

struct LensBox {
  QRectF rect;
  size_t strip = 0, cell = 0;
  int64_t row = 0;                  // counted from the cell's first one
  bool begins = true, ends = true;  // the cell begins or ends here; a cell that wraps has several boxes
};

struct LensLabel {
  QRectF rect;
  QString text;
  bool heading = false;  // a title of a strip; else a position on its ruler
};

// From the end of one cell to the next one that it points to.
struct LensArrow {
  QPointF from, to;
};

// An entry of the legend.
struct LensKey {
  QRectF rect;
  lesson::CellKind kind = lesson::CellKind::Free;
};

struct LensPicture {
  std::vector<QRectF> rows;  // of the strips: free memory that their cells cover
  std::vector<LensBox> boxes;
  std::vector<LensLabel> labels;
  std::vector<LensArrow> arrows;
  std::vector<LensKey> legend;
  double height = 0;

  // The height of a text above the picture that wraps at this width.
  static double text_height(const QString& text, double width);
  const LensBox* box_at(const QPointF& point) const;  // null: none
};

// The kinds of cells of memory; entries of lists are not explained by a legend.
std::set<lesson::CellKind> lens_kinds(const std::vector<lesson::LensFrame>& frames);

// The legend explains `kinds`.
LensPicture lens_picture(const lesson::LensFrame& frame, double width, const std::set<lesson::CellKind>& kinds = {});

}  // namespace arenascope::views
