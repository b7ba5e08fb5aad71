// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/paint_density.h>

#include <QImage>
#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {

// A premultiplied colour times 0 to 256, two channels at a time.
uint32_t scaled(uint32_t c, uint32_t by) {
  const uint32_t even = ((c & 0x00ff00ffu) * by >> 8) & 0x00ff00ffu;
  const uint32_t odd = ((c >> 8 & 0x00ff00ffu) * by) & 0xff00ff00u;
  return even | odd;
}

// source over target; both premultiplied.
uint32_t over(uint32_t target, uint32_t source) {
  return source + scaled(target, 256 - ((source >> 24) + (source >> 31)));
}

// Part of a rectangle within the image, in pixels; nothing if it is outside.
struct Edges {
  double left, right, top, bottom;
  int x0, x1, y0, y1;  // pixels that it touches, half-open

  static std::optional<Edges> of(const Rect& r, const PixelMap& map, int width, int height) {
    double left = map.x(r.x0), right = map.x(r.x1), top = map.y(r.y1), bottom = map.y(r.y0);
    if (top > bottom) std::swap(top, bottom);
    if (right <= 0 || left >= width || bottom <= 0 || top >= height) return std::nullopt;
    Edges e{left, right, top, bottom, 0, 0, 0, 0};
    e.x0 = std::clamp(static_cast<int>(std::floor(left)), 0, width - 1);
    e.x1 = std::clamp(static_cast<int>(std::ceil(right)), e.x0 + 1, width);
    e.y0 = std::clamp(static_cast<int>(std::floor(top)), 0, height - 1);
    e.y1 = std::clamp(static_cast<int>(std::ceil(bottom)), e.y0 + 1, height);
    return e;
  }
  bool faint(double least) const { return right - left < least || bottom - top < least; }
  double row_share(int y) const { return std::clamp(std::min(bottom, y + 1.0) - std::max(top, 1.0 * y), 0.0, 1.0); }
  double column_share(int x) const { return std::clamp(std::min(right, x + 1.0) - std::max(left, 1.0 * x), 0.0, 1.0); }
};

// Adds a part of a pixel. Rectangles that share a pixel cover different parts of it, so that their shares add up and
// the picture does not depend on how their edges fall on the pixels.
uint32_t add_share(uint32_t target, uint32_t source, double share) {
  const auto coverage = static_cast<uint32_t>(std::lround(share * 256));
  const uint32_t added = scaled(source, coverage), alpha = (added >> 24) + (target >> 24);
  if (alpha <= 255) return added + target;
  return added + scaled(target, ((255 - (added >> 24)) << 8) / (target >> 24));
}

void fill_row(uint32_t* row, const Edges& e, double share, uint32_t colour) {
  for (int x = e.x0; x < e.x1; ++x) {
    const double part = x > e.x0 && x + 1 < e.x1 ? share : share * e.column_share(x);
    if (part < 1)
      row[x] = add_share(row[x], colour, part);
    else
      row[x] = colour >> 24 == 255 ? colour : over(row[x], colour);
  }
}

}  // namespace

void paint_density(QImage& image, const RectSet& set, RectSet::Span span, const PixelMap& map,
                   const std::vector<uint32_t>& colours, double max_width) {
  if (image.isNull() || image.format() != QImage::Format_ARGB32_Premultiplied) return;
  const int width = image.width(), height = image.height();
  auto* bits = reinterpret_cast<uint32_t*>(image.bits());
  const auto stride = static_cast<size_t>(image.bytesPerLine()) / 4;
  const auto each = [&](auto paint) {
    for (size_t i = span.first; i < span.last; ++i) {
      const Rect& r = set[i];
      if (r.style >= colours.size() || std::abs((r.x1 - r.x0) * map.x_scale) >= max_width) continue;
      if (const auto edges = Edges::of(r, map, width, height)) paint(*edges, colours[r.style]);
    }
  };
  constexpr double kFaintest = 0.35;
  bool any_faint = false;
  each([&](const Edges& e, uint32_t colour) {
    any_faint = any_faint || e.faint(kFaintest);
    for (int y = e.y0; y < e.y1; ++y) fill_row(bits + static_cast<size_t>(y) * stride, e, e.row_share(y), colour);
  });
  if (!any_faint) return;
  each([&](const Edges& e, uint32_t colour) {
    if (!e.faint(kFaintest)) return;
    const uint32_t least = scaled(colour, static_cast<uint32_t>(kFaintest * 256));
    const int x = std::clamp(static_cast<int>((e.left + e.right) / 2), e.x0, e.x1 - 1);
    for (int y = e.y0; y < e.y1; ++y) {
      uint32_t& pixel = bits[static_cast<size_t>(y) * stride + static_cast<size_t>(x)];
      if (pixel >> 24 < least >> 24) pixel = least;
    }
  });
}

}  // namespace arenascope::views
