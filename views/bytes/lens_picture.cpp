// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/bytes/lens_picture.h>

#include <arenascope/base/step_number.h>
#include <views/bytes/lens_text.h>
#include <views/common/format.h>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

constexpr double kMargin = 14, kTitle = 22, kRuler = 14, kCellHeight = 30, kRowGap = 10, kStripGap = 12;
constexpr double kWidest = 46, kLetter = 7, kLabelMargin = 10, kWidestLabel = 46;  // of a unit, a letter, a label
constexpr double kMaxRows = 10;
constexpr double kTextLine = 17, kTextMargin = 13;
constexpr double kKeySquare = 24, kKeyHeight = 24, kKeyGap = 16;

int64_t smallest_labelled(const lesson::LensStrip& strip) {
  int64_t smallest = 0;
  for (const lesson::LensCell& cell : strip.cells)
    if (!cell.label.empty() && (smallest == 0 || cell.length < smallest)) smallest = cell.length;
  return smallest;
}

double label_width(const lesson::LensCell& cell) {
  return kLetter * static_cast<double>(QString::fromStdString(cell.label).size()) + kLabelMargin;
}

// Pixels per unit: labels fit where a few rows suffice, and a short strip is not stretched. Labels of slots always fit.
double unit_width(const lesson::LensStrip& strip, double width) {
  const double whole = width / static_cast<double>(std::max<int64_t>(strip.length, 1));
  const bool list = lesson::has_slots(strip.unit);
  double readable = 0;
  for (const lesson::LensCell& cell : strip.cells)
    if (!cell.label.empty())
      readable = std::max(readable, (list ? label_width(cell) : std::min(label_width(cell), kWidestLabel)) /
                                        static_cast<double>(cell.length));
  if (list) return std::min({std::max(readable, std::min(whole, kWidest)), width, whole * kMaxRows});
  return std::min({std::max(whole, readable), kWidest, whole * kMaxRows});
}

class StripLayout {
 public:
  StripLayout(LensPicture& picture, const lesson::LensStrip& strip, size_t index, double width, double top)
      : picture_(picture), strip_(strip), index_(index), unit_(unit_width(strip, width)), top_(top) {
    per_row_ = std::max<int64_t>(1, static_cast<int64_t>(std::floor(width / unit_ * (1 + 1e-12) + 1e-9)));
    // Cells of equal lengths are not cut at the end of a row.
    const int64_t smallest = smallest_labelled(strip);
    if (per_row_ < strip.length && smallest > 1 && per_row_ > 2 * smallest) per_row_ -= per_row_ % smallest;
    rows_ = std::max<int64_t>(1, (strip.length + per_row_ - 1) / per_row_);
  }

  // Returns the lower edge.
  double add() {
    const QString title = LensText::strip(strip_);
    picture_.labels.push_back({QRectF(kMargin, top_, 400, kTitle),
                               strip_.unit == lesson::LensUnit::Bytes
                                   ? QStringLiteral("%1 · %2").arg(title, format_bytes(strip_.length))
                                   : title,
                               true});
    for (int64_t row = 0; row < rows_; ++row) {
      const int64_t begin = row * per_row_, end = std::min(strip_.length, begin + per_row_);
      if (end > begin) picture_.rows.push_back(rect_of(begin, end, row));
    }
    for (size_t i = 0; i < strip_.cells.size(); ++i) add_cell(i);
    for (const lesson::LensCell& cell : strip_.cells)
      if (cell.next >= 0) add_arrow(cell, strip_.cells[static_cast<size_t>(cell.next)]);
    return row_top(rows_ - 1) + kCellHeight;
  }

 private:
  double row_top(int64_t row) const {
    return top_ + kTitle + kRuler + static_cast<double>(row) * (kRuler + kCellHeight + kRowGap);
  }
  QRectF rect_of(int64_t begin, int64_t end, int64_t row) const {
    return {kMargin + static_cast<double>(begin - row * per_row_) * unit_, row_top(row),
            static_cast<double>(end - begin) * unit_, kCellHeight};
  }

  void add_cell(size_t i) {
    const lesson::LensCell& cell = strip_.cells[i];
    const int64_t end = cell.begin + cell.length;
    for (int64_t row = cell.begin / per_row_; row <= (end - 1) / per_row_; ++row) {
      const int64_t from = std::max(cell.begin, row * per_row_), to = std::min(end, (row + 1) * per_row_);
      picture_.boxes.push_back(
          {rect_of(from, to, row), index_, i, row - cell.begin / per_row_, from == cell.begin, to == end});
    }
    const bool bit = cell.kind == lesson::CellKind::SetBit || cell.kind == lesson::CellKind::ClearBit;
    if (strip_.title != "bits" && !bit) add_position(cell.begin);
  }

  // Positions that would overlap the one before are left out.
  void add_position(int64_t begin) {
    const int64_t row = begin / per_row_;
    const QString text = QString::number(strip_.unit == lesson::LensUnit::Steps ? step_number(begin) : begin);
    const QRectF rect(rect_of(begin, begin + 1, row).left(), row_top(row) - kRuler,
                      7.0 * static_cast<double>(text.size()) + 4, kRuler);
    if (row == last_row_ && rect.left() < last_right_) return;
    last_row_ = row;
    last_right_ = rect.right();
    picture_.labels.push_back({rect, text, false});
  }

  void add_arrow(const lesson::LensCell& from, const lesson::LensCell& to) {
    const auto middle = [&](const lesson::LensCell& cell) {
      const int64_t row = cell.begin / per_row_;
      const QRectF rect = rect_of(cell.begin, std::min(cell.begin + cell.length, (row + 1) * per_row_), row);
      return QPointF(rect.center().x(), rect.bottom());
    };
    picture_.arrows.push_back({middle(from), middle(to)});
  }

  LensPicture& picture_;
  const lesson::LensStrip& strip_;
  size_t index_;
  double unit_, top_;
  int64_t per_row_ = 1, rows_ = 1, last_row_ = -1;
  double last_right_ = 0;
};

// Width of a text in the font of the lens; letters beyond Latin are about twice as wide.
double text_width(const QString& text) {
  double width = 0;
  for (const QChar letter : text) width += letter.unicode() > 0x2e80 ? 2 * kLetter : kLetter;
  return width;
}

// In as many rows as the width requires. Returns the lower edge.
double add_legend(LensPicture& picture, const std::set<lesson::CellKind>& kinds, double width, double top) {
  double x = kMargin;
  for (const lesson::CellKind kind : kinds) {
    const double key = kKeySquare + text_width(LensText::kind(kind));
    if (x > kMargin && x + key > width) {
      x = kMargin;
      top += kKeyHeight;
    }
    picture.legend.push_back({QRectF(x, top, key, kKeyHeight), kind});
    x += key + kKeyGap;
  }
  return top + (kinds.empty() ? 0 : kKeyHeight + 2);
}

}  // namespace

double LensPicture::text_height(const QString& text, double width) {
  return kTextMargin + kTextLine * std::max(1.0, std::ceil(text_width(text) / std::max(width - 2 * kMargin, 1.0)));
}

const LensBox* LensPicture::box_at(const QPointF& point) const {
  const auto at = std::ranges::find_if(boxes, [&](const LensBox& box) { return box.rect.contains(point); });
  return at == boxes.end() ? nullptr : &*at;
}

std::set<lesson::CellKind> lens_kinds(const std::vector<lesson::LensFrame>& frames) {
  std::set<lesson::CellKind> kinds;
  for (const lesson::LensFrame& frame : frames)
    for (const lesson::LensStrip& strip : frame.strips)
      if (!lesson::has_slots(strip.unit))
        for (const lesson::LensCell& cell : strip.cells) kinds.insert(cell.kind);
  return kinds;
}

LensPicture lens_picture(const lesson::LensFrame& frame, double width, const std::set<lesson::CellKind>& kinds) {
  LensPicture picture;
  double y = 4;
  for (size_t i = 0; i < frame.strips.size(); ++i)
    y = StripLayout(picture, frame.strips[i], i, std::max(width - 2 * kMargin, 120.0), y).add() + kStripGap;
  picture.height = add_legend(picture, kinds, width, y);
  return picture;
}

}  // namespace arenascope::views
