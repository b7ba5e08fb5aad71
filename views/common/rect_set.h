// SPDX-License-Identifier: GPL-3.0-or-later
// Hundreds of thousands of rectangles as an immutable value. They are sorted by x0, with the running maximum of x1, so
// that visible rectangles and the one under the pointer are found by binary search.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace arenascope::views {

struct Rect {  // half-open in x; y0 < y1
  double x0 = 0, x1 = 0;
  double y0 = 0, y1 = 0;
  uint32_t style = 0;  // index into the plottable's styles
  uint32_t tag = 0;    // identifies the item; defined by the creator of the set
  bool operator==(const Rect&) const = default;
};

class RectSet {
 public:
  RectSet() = default;
  explicit RectSet(std::vector<Rect> rects);

  bool empty() const { return rects_.empty(); }
  size_t size() const { return rects_.size(); }
  const Rect& operator[](size_t i) const { return rects_[i]; }  // by x0

  // All rectangles that overlap [x0, x1) are in [first, last); the range may contain others.
  struct Span {
    size_t first = 0, last = 0;
    size_t count() const { return last - first; }
  };
  Span candidates(double x0, double x1) const;
  // The smallest rectangle that contains (x, y), extended by `slack` in x; the smallest is drawn on top.
  std::optional<size_t> hit(double x, double y, double slack = 0) const;
  // The rectangles with that tag.
  std::vector<size_t> tagged(uint32_t tag) const;

 private:
  std::vector<Rect> rects_;
  std::vector<double> ends_;  // ends_[i] = largest x1 of rects_[0..i]
};

}  // namespace arenascope::views
