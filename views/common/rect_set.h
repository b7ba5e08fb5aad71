// SPDX-License-Identifier: GPL-3.0-or-later
// Hundreds of thousands of rectangles as a plain value: sorted by where they begin, with the running maximum of where
// they end, so that what is visible and what lies under the pointer are found by halving.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

class QImage;
class QRectF;

namespace arenascope::views {

struct Rect {  // half-open in x; y0 < y1
  double x0 = 0, x1 = 0;
  double y0 = 0, y1 = 0;
  uint32_t style = 0;  // index into the drawer's styles
  uint32_t tag = 0;    // what it stands for, as its maker knows
  bool operator==(const Rect&) const = default;
};

class RectSet {
 public:
  RectSet() = default;
  explicit RectSet(std::vector<Rect> rects);

  bool empty() const { return rects_.empty(); }
  size_t size() const { return rects_.size(); }
  const Rect& operator[](size_t i) const { return rects_[i]; }  // by x0

  // All that overlap [x0, x1) lie in [first, last); a few in between may not.
  struct Span {
    size_t first = 0, last = 0;
    size_t count() const { return last - first; }
  };
  Span candidates(double x0, double x1) const;
  // The rectangle under (x, y), where `slack` more is allowed in x: the smallest, so that what lies on top is found.
  std::optional<size_t> hit(double x, double y, double slack = 0) const;
  // The rectangles with that tag.
  std::vector<size_t> tagged(uint32_t tag) const;

 private:
  std::vector<Rect> rects_;
  std::vector<double> ends_;  // ends_[i] = largest x1 of rects_[0..i]
};

// A linear map from coordinates to pixels.
struct PixelMap {
  double x_scale = 1, x_shift = 0;  // pixel = coordinate * scale + shift
  double y_scale = 1, y_shift = 0;
  double x(double v) const { return v * x_scale + x_shift; }
  double y(double v) const { return v * y_scale + y_shift; }
};

// Paints the rectangles of `span` in the colour of their style (premultiplied ARGB) straight into the image, for when
// there are more of them than pixels. What is thinner than a pixel is blended by how much of the pixel it covers, and
// never falls below a visible minimum.
void paint_density(QImage& image, const RectSet& set, RectSet::Span span, const PixelMap& map,
                   const std::vector<uint32_t>& colours);

}  // namespace arenascope::views
