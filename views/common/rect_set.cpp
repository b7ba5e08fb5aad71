// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/rect_set.h>

#include <QImage>
#include <algorithm>
#include <cmath>

namespace arenascope::views {

RectSet::RectSet(std::vector<Rect> rects) : rects_(std::move(rects)) {
  const auto by_begin = [](const Rect& a, const Rect& b) { return a.x0 < b.x0; };
  if (!std::is_sorted(rects_.begin(), rects_.end(), by_begin)) std::stable_sort(rects_.begin(), rects_.end(), by_begin);
  ends_.reserve(rects_.size());
  for (const Rect& r : rects_) ends_.push_back(ends_.empty() ? r.x1 : std::max(ends_.back(), r.x1));
}

RectSet::Span RectSet::candidates(double x0, double x1) const {
  const auto first = std::upper_bound(ends_.begin(), ends_.end(), x0);
  const auto last =
      std::lower_bound(rects_.begin(), rects_.end(), x1, [](const Rect& r, double v) { return r.x0 < v; });
  const auto a = static_cast<size_t>(first - ends_.begin()), b = static_cast<size_t>(last - rects_.begin());
  return {std::min(a, b), b};
}

std::optional<size_t> RectSet::hit(double x, double y, double slack) const {
  const auto after =
      std::upper_bound(rects_.begin(), rects_.end(), x + slack, [](double v, const Rect& r) { return v < r.x0; });
  std::optional<size_t> best;
  double best_area = 0;
  bool best_exact = false;
  for (auto i = static_cast<size_t>(after - rects_.begin()); i-- > 0 && ends_[i] > x - slack;) {
    const Rect& r = rects_[i];
    if (y < r.y0 || y >= r.y1 || r.x1 <= x - slack) continue;
    const bool exact = x >= r.x0 && x < r.x1;
    const double area = (r.x1 - r.x0) * (r.y1 - r.y0);
    if (!best || (exact && !best_exact) || (exact == best_exact && area < best_area)) {
      best = i;
      best_area = area;
      best_exact = exact;
    }
  }
  return best;
}

std::vector<size_t> RectSet::tagged(uint32_t tag) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < rects_.size(); ++i) {
    if (rects_[i].tag == tag) found.push_back(i);
  }
  return found;
}

namespace {

// source over target, with a coverage of 0 to 256; both premultiplied.
uint32_t blend(uint32_t target, uint32_t source, uint32_t coverage) {
  const auto scale = [](uint32_t c, uint32_t by) {  // multiplies by 0..256, two channels at a time
    const uint32_t even = ((c & 0x00ff00ffu) * by >> 8) & 0x00ff00ffu;
    const uint32_t odd = ((c >> 8 & 0x00ff00ffu) * by) & 0xff00ff00u;
    return even | odd;
  };
  const uint32_t s = scale(source, coverage);
  const uint32_t rest = 256 - ((s >> 24) + (s >> 31));
  return s + scale(target, rest);
}

}  // namespace

void paint_density(QImage& image, const RectSet& set, RectSet::Span span, const PixelMap& map,
                   const std::vector<uint32_t>& colours) {
  if (image.isNull() || image.format() != QImage::Format_ARGB32_Premultiplied) return;
  const int width = image.width(), height = image.height();
  auto* bits = reinterpret_cast<uint32_t*>(image.bits());
  const auto stride = static_cast<size_t>(image.bytesPerLine()) / 4;
  constexpr double kFaintest = 0.35;
  for (size_t i = span.first; i < span.last; ++i) {
    const Rect& r = set[i];
    if (r.style >= colours.size()) continue;
    double left = map.x(r.x0), right = map.x(r.x1), top = map.y(r.y1), bottom = map.y(r.y0);
    if (top > bottom) std::swap(top, bottom);
    if (right <= 0 || left >= width || bottom <= 0 || top >= height) continue;
    double cover = 1;
    if (right - left < 1) cover *= std::max(right - left, kFaintest);
    if (bottom - top < 1) cover *= std::max(bottom - top, kFaintest);
    const int x0 = std::clamp(static_cast<int>(std::floor(left)), 0, width - 1);
    const int x1 = std::clamp(static_cast<int>(std::floor(right)), x0 + 1, width);
    const int y0 = std::clamp(static_cast<int>(std::floor(top)), 0, height - 1);
    const int y1 = std::clamp(static_cast<int>(std::floor(bottom)), y0 + 1, height);
    const uint32_t colour = colours[r.style];
    const auto coverage = static_cast<uint32_t>(cover * 256);
    const bool opaque = coverage >= 256 && (colour >> 24) == 255;
    for (int y = y0; y < y1; ++y) {
      uint32_t* row = bits + static_cast<size_t>(y) * stride;
      if (opaque) {
        std::fill(row + x0, row + x1, colour);
      } else {
        for (int x = x0; x < x1; ++x) row[x] = blend(row[x], colour, coverage);
      }
    }
  }
}

}  // namespace arenascope::views
