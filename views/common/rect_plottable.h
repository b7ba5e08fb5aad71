// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a RectSet in a QCustomPlot: fillRect without antialiasing, labels where there is room, and an image of the
// density where there would be more rectangles than can be told apart. The data is shared and never copied.
#pragma once
#include <qcustomplot.h>
#include <views/common/plot_layer.h>
#include <views/common/rect_set.h>
#include <views/common/theme.h>

#include <functional>
#include <memory>

namespace arenascope::views {

struct RectStyle {
  QColor fill;     // invalid: none
  QColor outline;  // invalid: none
  QColor edge;     // of the left side, thick: a new allocation
  Hatch hatch = Hatch::None;
  QColor hatch_colour;
  bool dashed = false;      // the outline
  bool separator = false;   // only the left side of the outline: a part of a chain
  bool needs_room = false;  // the outline: left out where it would hide what it is around
  bool label = true;
  int indent = 0;  // pixels more before the label
  QColor text;     // of the label; invalid: what reads best on the fill
};

// Where a rectangle of the plot lies in pixels, whole and inside the clip.
QRect pixel_rect(const QCPAxis* x, const QCPAxis* y, const Rect& rect);
// As QPainter::fillRect(), but at once: Qt hands tall rectangles that are translucent or hatched to other threads in parts
// and waits for them, which is long where a model computes on every core.
void fill_at_once(QPainter* painter, const QRect& rect, const QBrush& brush);
// Fill, hatch, outline and edge of one rectangle, of which `rect` is the visible part of `whole`.
void draw_styled_rect(QPainter* painter, const QRect& whole, const QRect& rect, const RectStyle& style);
void draw_double_outline(QPainter* painter, const QRect& rect, const ThemeColours& colours);
// Around what is selected, or under the mouse.
void draw_mark(QPainter* painter, const QRect& rect, bool selected, const ThemeColours& colours);

class RectPlottable : public QCPAbstractPlottable {
 public:
  using Labels = std::function<QString(uint32_t tag, int lines)>;  // text for a rectangle with room for that many lines

  RectPlottable(QCPAxis* x, QCPAxis* y);

  void set_data(std::shared_ptr<const RectSet> data) { data_ = std::move(data); }
  const std::shared_ptr<const RectSet>& data() const { return data_; }
  void set_styles(std::vector<RectStyle> styles);
  void set_labels(Labels labels) { labels_ = std::move(labels); }
  void set_text_colour(const QColor& colour) { text_ = colour; }  // on what has no fill
  // From this many visible rectangles on, the density image is drawn.
  void set_dense_from(size_t count) { dense_from_ = count; }

  std::optional<size_t> hit(const QPointF& pixel) const;  // 3 pixels of slack in x
  bool was_dense() const { return was_dense_; }           // at the last drawing

  double selectTest(const QPointF& pos, bool only_selectable, QVariant* details) const override;
  QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
  QCPRange getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keys) const override;

 protected:
  void draw(QCPPainter* painter) override;
  void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

 private:
  void draw_rects(QCPPainter* painter, RectSet::Span span, const PixelMap& map, const QRect& clip);
  void draw_dense(QCPPainter* painter, RectSet::Span span, const PixelMap& map, const QRect& clip);
  void draw_label(QCPPainter* painter, const QRect& rect, const Rect& r, const RectStyle& style);
  PixelMap pixel_map() const;

  std::shared_ptr<const RectSet> data_;
  std::vector<RectStyle> styles_;
  std::vector<QBrush> hatches_;    // as styles_
  std::vector<uint32_t> colours_;  // as styles_, for the density image
  Labels labels_;
  QColor text_;
  size_t dense_from_ = 12000;
  bool was_dense_ = false;
  QImage image_;  // kept between frames
};

// Whatever is light: hover, selection, playhead. Lives on the plot's own buffered overlay layer, so that drawing it
// repaints no data.
class OverlayPlottable : public PlotLayer {
 public:
  using Draw = std::function<void(QCPPainter*)>;
  OverlayPlottable(QCPAxis* x, QCPAxis* y, Draw draw);

 protected:
  void draw(QCPPainter* painter) override { draw_(painter); }

 private:
  Draw draw_;
};

}  // namespace arenascope::views
