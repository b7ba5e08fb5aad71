// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/rect_set.h>

#include <algorithm>
#include <utility>

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

}  // namespace arenascope::views
