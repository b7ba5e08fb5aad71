// SPDX-License-Identifier: GPL-3.0-or-later
// Paints sets with more rectangles than pixels.
#pragma once
#include <views/common/rect_set.h>

#include <limits>

class QImage;

namespace arenascope::views {

// A linear map from coordinates to pixels.
struct PixelMap {
  double x_scale = 1, x_shift = 0;  // pixel = coordinate * scale + shift
  double y_scale = 1, y_shift = 0;
  double x(double v) const { return v * x_scale + x_shift; }
  double y(double v) const { return v * y_scale + y_shift; }
};

// Fills the rectangles of `span` with the colour of their style (premultiplied ARGB) directly in the image; used if
// there are more rectangles than pixels. A pixel that a rectangle covers in part gets that part of the colour, and the
// parts add up; a rectangle thinner than a pixel has a visible minimum. Only rectangles of less than `max_width` pixels
// are painted.
void paint_density(QImage& image, const RectSet& set, RectSet::Span span, const PixelMap& map,
                   const std::vector<uint32_t>& colours, double max_width = std::numeric_limits<double>::infinity());

}  // namespace arenascope::views
