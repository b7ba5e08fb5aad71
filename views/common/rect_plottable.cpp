// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/rect_plottable.h>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {

constexpr int kMaxLabels = 800;
constexpr int kLabelWidth = 26;  // pixels; the narrowest rectangle with a horizontal label
constexpr int kStrip = 32;       // logical pixels; Qt splits fills of 96 device rows and more

int clamped(double v) { return static_cast<int>(std::floor(std::clamp(v, -1e6, 1e6) + 0.5)); }

QRect to_pixels(const PixelMap& map, const Rect& r) {
  const int left = clamped(map.x(r.x0)), right = std::max(clamped(map.x(r.x1)), left + 1);
  const double a = map.y(r.y0), b = map.y(r.y1);
  const int top = clamped(std::min(a, b)), bottom = std::max(clamped(std::max(a, b)), top + 1);
  return {left, top, right - left, bottom - top};
}

PixelMap map_of(const QCPAxis* x, const QCPAxis* y) {
  PixelMap m;
  const double x0 = x->coordToPixel(x->range().lower), x1 = x->coordToPixel(x->range().upper);
  const double y0 = y->coordToPixel(y->range().lower), y1 = y->coordToPixel(y->range().upper);
  m.x_scale = (x1 - x0) / x->range().size();
  m.x_shift = x0 - x->range().lower * m.x_scale;
  m.y_scale = (y1 - y0) / y->range().size();
  m.y_shift = y0 - y->range().lower * m.y_scale;
  return m;
}

// Four fills instead of a one-pixel stroke, which would need a path.
void frame(QPainter* p, const QRect& r, const QColor& c) {
  p->fillRect(r.left(), r.top(), r.width(), 1, c);
  p->fillRect(r.left(), r.bottom(), r.width(), 1, c);
  p->fillRect(r.left(), r.top(), 1, r.height(), c);
  p->fillRect(r.right(), r.top(), 1, r.height(), c);
}

// Fills with a texture on raster devices, but with lines when recording: SVG has no textures.
void fill_hatch(QPainter* p, const QRect& r, const RectStyle& s, const QBrush& texture) {
  if (p->paintEngine() && p->paintEngine()->type() != QPaintEngine::Picture) {
    fill_at_once(p, r, texture);
    return;
  }
  const QRectF f(r);
  p->setPen(QPen(s.hatch_colour, s.hatch == Hatch::Diagonal ? 1.5 : 1));
  if (s.hatch == Hatch::Diagonal) {
    const double first = std::floor((f.left() + f.top()) / 8) * 8;
    for (double sum = first; sum < f.right() + f.bottom(); sum += 8) {  // the line x + y = sum
      const double x0 = std::max(f.left(), sum - f.bottom()), x1 = std::min(f.right(), sum - f.top());
      if (x1 > x0) p->drawLine(QPointF(x0, sum - x0), QPointF(x1, sum - x1));
    }
    return;
  }
  const bool dots = s.hatch == Hatch::Dots;
  const double pitch = dots ? 6 : 8;
  if (f.width() * f.height() > 4e6) return;
  for (double y = std::ceil(f.top() / pitch) * pitch; y < f.bottom() - (dots ? 1.5 : 6); y += pitch) {
    for (double x = std::ceil(f.left() / pitch) * pitch; x < f.right() - (dots ? 1.5 : 4); x += pitch) {
      if (dots) {
        p->fillRect(QRectF(x, y, 1.5, 1.5), s.hatch_colour);
      } else {
        p->drawPolyline(QPolygonF({{x, y}, {x + 3.5, y + 3}, {x, y + 6}}));
      }
    }
  }
}

void draw_rect(QPainter* painter, const QRect& whole, const QRect& rect, const RectStyle& s, const QBrush& hatch) {
  if (s.fill.isValid()) fill_at_once(painter, rect, s.fill);
  const bool roomy = rect.width() >= 3 && rect.height() >= 3;
  if (s.hatch != Hatch::None && roomy) {
    painter->setBrushOrigin(whole.topLeft());
    fill_hatch(painter, rect, s, hatch);
  } else if (s.hatch != Hatch::None && !s.fill.isValid()) {
    // One origin for all rectangles too small for a hatch of their own, so that together they look like a large one.
    painter->setBrushOrigin(0, 0);
    fill_hatch(painter, rect, s, hatch);
  }
  const bool fits = !s.needs_room || (rect.width() >= 5 && rect.height() >= 4);
  if (s.outline.isValid() && fits) {
    if (s.separator) {
      painter->fillRect(rect.left(), rect.top(), 1, rect.height(), s.outline);
    } else if (!roomy) {
      if (!s.fill.isValid()) painter->fillRect(rect, s.outline);
    } else if (s.dashed) {
      painter->setPen(QPen(s.outline, 1, Qt::DashLine));
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(rect.adjusted(0, 0, -1, -1));
    } else {
      frame(painter, rect, s.outline);
    }
  }
  if (s.edge.isValid() && whole.left() >= rect.left() && rect.width() >= 4) {
    painter->fillRect(rect.left(), rect.top(), std::clamp(rect.width() / 4, 1, 3), rect.height(), s.edge);
  }
}

// A font for one line in a low rectangle.
QFont low_font(QFont font, int height) {
  font.setPixelSize(std::max(height * 4 / 5, 1));
  return font;
}

}  // namespace

void fill_at_once(QPainter* painter, const QRect& rect, const QBrush& brush) {
  const bool raster = painter->paintEngine() != nullptr && painter->paintEngine()->type() == QPaintEngine::Raster;
  if (!raster || rect.height() <= kStrip || brush.isOpaque()) return painter->fillRect(rect, brush);
  for (int y = rect.top(); y <= rect.bottom(); y += kStrip)
    painter->fillRect(QRect(rect.left(), y, rect.width(), std::min(kStrip, rect.bottom() + 1 - y)), brush);
}

QRect pixel_rect(const QCPAxis* x, const QCPAxis* y, const Rect& rect) {
  return to_pixels(map_of(x, y), rect).intersected(x->axisRect()->rect().adjusted(-4, -4, 4, 4));
}

void draw_styled_rect(QPainter* painter, const QRect& whole, const QRect& rect, const RectStyle& style) {
  draw_rect(painter, whole, rect, style, hatch_brush(style.hatch, style.hatch_colour));
}

void draw_double_outline(QPainter* painter, const QRect& rect, const ThemeColours& colours) {
  frame(painter, rect.adjusted(-2, -2, 2, 2), colours.selection_outer);
  frame(painter, rect.adjusted(-1, -1, 1, 1), colours.selection_outer);
  if (rect.width() >= 3 && rect.height() >= 3) frame(painter, rect, colours.selection_inner);
}

void draw_mark(QPainter* painter, const QRect& rect, bool selected, const ThemeColours& colours) {
  if (selected) return draw_double_outline(painter, rect, colours);
  painter->setPen(QPen(colours.hover, 2));
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(rect);
}

RectPlottable::RectPlottable(QCPAxis* x, QCPAxis* y) : QCPAbstractPlottable(x, y) {
  setSelectable(QCP::stNone);
  setAntialiasedFill(false);
  setAntialiased(false);
}

void RectPlottable::set_styles(std::vector<RectStyle> styles) {
  styles_ = std::move(styles);
  hatches_.clear();
  colours_.clear();
  for (const RectStyle& s : styles_) {
    hatches_.push_back(hatch_brush(s.hatch, s.hatch_colour));
    QColor c = s.fill.isValid() && s.fill.alpha() > 0 ? s.fill : s.needs_room ? QColor() : s.outline;
    if (s.hatch != Hatch::None &&
        s.hatch_colour.isValid()) {  // average colour of hatch and fill, for the density image
      const QColor& h = s.hatch_colour;
      const QColor base = s.fill.isValid() ? s.fill : QColor(h.red(), h.green(), h.blue(), 0);
      const double share = s.hatch == Hatch::Dots ? 0.1 : 0.5;  // fraction of the area covered by the hatch
      const double a = base.alphaF() * (1 - share) + h.alphaF() * share;
      const auto mixed = [&](int ground, int drawn) {
        return static_cast<int>(std::lround(ground * (1 - share) + drawn * share));
      };
      c = QColor(mixed(base.red(), h.red()), mixed(base.green(), h.green()), mixed(base.blue(), h.blue()));
      c.setAlphaF(static_cast<float>(a));
    }
    colours_.push_back(qPremultiply(c.isValid() ? c.rgba() : 0u));
  }
}

PixelMap RectPlottable::pixel_map() const { return map_of(mKeyAxis.data(), mValueAxis.data()); }

std::optional<size_t> RectPlottable::hit(const QPointF& pixel) const {
  if (!data_ || !mKeyAxis || !mValueAxis) return std::nullopt;
  const PixelMap m = pixel_map();
  return data_->hit(mKeyAxis->pixelToCoord(pixel.x()), mValueAxis->pixelToCoord(pixel.y()), 3 / std::abs(m.x_scale));
}

double RectPlottable::selectTest(const QPointF& pos, bool, QVariant* details) const {
  const auto found = hit(pos);
  if (!found) return -1;
  if (details) *details = static_cast<qulonglong>(*found);
  return 0;
}

QCPRange RectPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
  found = data_ && !data_->empty();
  QCPRange range;
  if (!found) return range;
  range = {(*data_)[0].x0, (*data_)[0].x1};
  for (size_t i = 0; i < data_->size(); ++i) range.upper = std::max(range.upper, (*data_)[i].x1);
  return range;
}

QCPRange RectPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
  found = data_ && !data_->empty();
  QCPRange range;
  if (!found) return range;
  range = {(*data_)[0].y0, (*data_)[0].y1};
  for (size_t i = 0; i < data_->size(); ++i) {
    range.lower = std::min(range.lower, (*data_)[i].y0);
    range.upper = std::max(range.upper, (*data_)[i].y1);
  }
  return range;
}

void RectPlottable::draw(QCPPainter* painter) {
  drawn_labels_.clear();
  if (!data_ || data_->empty() || styles_.empty() || !mKeyAxis || !mValueAxis) return;
  const QRect clip = clipRect();
  if (clip.isEmpty()) return;
  const RectSet::Span span = data_->candidates(mKeyAxis->range().lower, mKeyAxis->range().upper);
  const PixelMap map = pixel_map();
  was_dense_ = span.count() > dense_from_;
  painter->setAntialiasing(false);
  // Among many, only those that can have a label are drawn one by one. Others that share pixels would be rounded to
  // overlapping rectangles, in a pattern that is not in the data.
  const double least = was_dense_ ? kLabelWidth : shares_columns(span, map, clip) ? 1 : 0;
  draw_rects(painter, span, map, clip, least);
  if (least > 0) draw_dense(painter, span, map, clip, least);
}

// True if there are more rectangles thinner than a pixel than columns of pixels.
bool RectPlottable::shares_columns(RectSet::Span span, const PixelMap& map, const QRect& clip) const {
  int left = clip.width();
  for (size_t i = span.first; i < span.last && left >= 0; ++i)
    if (((*data_)[i].x1 - (*data_)[i].x0) * std::abs(map.x_scale) < 1) --left;
  return left < 0;
}

void RectPlottable::draw_dense(QCPPainter* painter, RectSet::Span span, const PixelMap& map, const QRect& clip,
                               double max_width) {
  const double ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
  const QSize size = (QSizeF(clip.size()) * ratio).toSize();
  if (image_.size() != size) image_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
  image_.fill(0);
  image_.setDevicePixelRatio(1);
  const PixelMap to_image{map.x_scale * ratio, (map.x_shift - clip.left()) * ratio, map.y_scale * ratio,
                          (map.y_shift - clip.top()) * ratio};
  paint_density(image_, *data_, span, to_image, colours_, max_width * ratio);
  image_.setDevicePixelRatio(ratio);
  painter->drawImage(QPointF(clip.topLeft()), image_);
}

void RectPlottable::draw_rects(QCPPainter* painter, RectSet::Span span, const PixelMap& map, const QRect& clip,
                               double min_width) {
  // Raster painters clip, so outlines may extend beyond the edge; a recording may be replayed without clipping.
  const bool recorded = painter->paintEngine() && painter->paintEngine()->type() == QPaintEngine::Picture;
  const QRect visible = recorded ? clip : clip.adjusted(-2, -2, 2, 2);
  const QFont font = painter->font();
  const int line = painter->fontMetrics().height();
  const int lowest = lowest_label_ > 0 ? std::min(lowest_label_, line) : line;
  for (size_t i = span.first; i < span.last; ++i) {
    const Rect& r = (*data_)[i];
    if (r.style >= styles_.size() || (r.x1 - r.x0) * std::abs(map.x_scale) < min_width) continue;
    const QRect whole = to_pixels(map, r);
    const QRect rect = whole.intersected(visible);
    if (rect.isEmpty()) continue;
    const RectStyle& s = styles_[r.style];
    draw_rect(painter, whole, rect, s, hatches_[r.style]);
    const bool fits =
        (rect.width() > kLabelWidth && rect.height() >= lowest) || (rect.width() > line && rect.height() > 50);
    if (!s.label || !labels_ || !fits || drawn_labels_.size() >= kMaxLabels) continue;
    if (rect.height() < line) painter->setFont(low_font(font, rect.height()));
    draw_label(painter, rect.intersected(clip), r, s);
    if (rect.height() < line) painter->setFont(font);
  }
}

void RectPlottable::draw_label(QCPPainter* painter, const QRect& rect, const Rect& r, const RectStyle& style) {
  constexpr int kMinLabelLetters = 6;  // shorter prefixes of a name are not informative
  const QFontMetrics metrics = painter->fontMetrics();
  const int line = std::min(metrics.height(), rect.height());
  const QRect inner = rect.adjusted((style.edge.isValid() ? 7 : 5) + style.indent, 0, -3, 0);
  const QString text = labels_(r.tag, rect.height() / line);
  if (text.isEmpty()) return;
  QStringList rows = text.split(QLatin1Char('\n'));
  painter->setPen(style.text.isValid()                               ? style.text
                  : style.fill.isValid() && style.fill.alpha() > 128 ? ThemeColours::text_on(style.fill)
                                                                     : text_);
  const int width = metrics.horizontalAdvance(rows.front());
  if (width > inner.width() && rect.height() > 2 * rect.width() &&
      rect.width() >= line + 1) {  // tall rectangle: vertical text
    const QString upwards = metrics.elidedText(rows.front(), Qt::ElideLeft, rect.height() - 8);
    if (upwards.size() < std::min<qsizetype>(kMinLabelLetters, rows.front().size())) return;
    painter->save();
    painter->translate(rect.center().x() - line / 2, rect.bottom() - 3);
    painter->rotate(-90);
    painter->drawText(QRect(0, 0, rect.height() - 6, line), Qt::AlignLeft | Qt::AlignVCenter, upwards);
    painter->restore();
    drawn_labels_ << upwards;
    return;
  }
  // The last parts of a qualified name distinguish it from its neighbours.
  const bool parts = rows.front().contains(QLatin1Char('.')) || rows.front().contains(QLatin1Char('/'));
  const QString name = metrics.elidedText(rows.front(), parts ? Qt::ElideLeft : Qt::ElideRight, inner.width());
  if (inner.width() < 18 || name.size() < std::min<qsizetype>(kMinLabelLetters, rows.front().size())) return;
  rows.front() = name;
  const int lines = std::max(inner.height() / line, 1);
  rows.erase(std::remove_if(rows.begin() + 1, rows.end(),
                            [&](const QString& row) { return metrics.horizontalAdvance(row) > inner.width(); }),
             rows.end());
  if (rows.size() > lines) rows = rows.mid(0, lines);
  drawn_labels_ << rows.join(QLatin1Char('\n'));
  int top = inner.top() + (inner.height() - static_cast<int>(rows.size()) * line) / 2;
  if (inner.height() > 4 * line) top = inner.top() + 3;  // tall enough: text at the top
  for (const QString& row : rows) {
    painter->drawText(QRect(inner.left(), top, inner.width() + 2, line), Qt::AlignLeft | Qt::AlignVCenter, row);
    top += line;
  }
}

OverlayPlottable::OverlayPlottable(QCPAxis* x, QCPAxis* y, Draw draw) : PlotLayer(x, y), draw_(std::move(draw)) {
  setLayer(QStringLiteral("overlay"));
}

}  // namespace arenascope::views
