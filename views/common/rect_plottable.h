// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a RectSet in a QCustomPlot: fillRect without antialiasing, labels if they fit, and a density image if there are
// more rectangles than can be distinguished. The data is shared and never copied.
#pragma once
#include <qcustomplot.h>
#include <views/common/paint_density.h>
#include <views/common/plot_layer.h>
#include <views/common/theme.h>
#include <limits>

#include <functional>
#include <memory>

namespace arenascope::views {

struct RectStyle {
  QColor fill;     // invalid: none
  QColor outline;  // invalid: none
  QColor edge;     // a thick left side: a new allocation
  Hatch hatch = Hatch::None;
  QColor hatch_colour;
  bool dashed = false;      // dashed outline
  bool separator = false;   // only the left side of the outline: a part of an in-place chain
  bool needs_room = false;  // the outline is omitted if it would hide its content
  bool label = true;
  int indent = 0;  // extra pixels before the label
  QColor text;     // label colour; invalid: chosen for contrast with the fill
};

// Pixel rectangle of a rectangle of the plot, both unclipped and clipped.
QRect pixel_rect(const QCPAxis* x, const QCPAxis* y, const Rect& rect);
// Like QPainter::fillRect(), but on the calling thread: Qt splits tall translucent or hatched rectangles into parts for
// other threads and waits for them, which takes long while a model computes on every core.
void fill_at_once(QPainter* painter, const QRect& rect, const QBrush& brush);
// Draws fill, hatch, outline and edge of one rectangle; `rect` is the visible part of `whole`.
void draw_styled_rect(QPainter* painter, const QRect& whole, const QRect& rect, const RectStyle& style);
void draw_double_outline(QPainter* painter, const QRect& rect, const ThemeColours& colours);
// Outlines the selected or hovered rectangle.
void draw_mark(QPainter* painter, const QRect& rect, bool selected, const ThemeColours& colours);

class RectPlottable : public QCPAbstractPlottable {
 public:
  using Labels =
      std::function<QString(uint32_t tag, int lines)>;  // label of a rectangle that has space for that many lines

  RectPlottable(QCPAxis* x, QCPAxis* y);

  void set_data(std::shared_ptr<const RectSet> data) { data_ = std::move(data); }
  const std::shared_ptr<const RectSet>& data() const { return data_; }
  void set_styles(std::vector<RectStyle> styles);
  void set_labels(Labels labels) { labels_ = std::move(labels); }
  void set_text_colour(const QColor& colour) { text_ = colour; }  // for rectangles without a fill
  // Labels of rectangles lower than a line of text are drawn in a smaller font, down to this height in pixels; 0: they
  // are not drawn.
  void set_lowest_label(int pixels) { lowest_label_ = pixels; }
  // Draws the density image if at least this many rectangles are visible.
  void set_dense_from(size_t count) { dense_from_ = count; }

  std::optional<size_t> hit(const QPointF& pixel) const;  // with a tolerance of 3 pixels in x
  // Results of the last paint.
  bool was_dense() const { return was_dense_; }
  const QStringList& drawn_labels() const { return drawn_labels_; }

  double selectTest(const QPointF& pos, bool only_selectable, QVariant* details) const override;
  QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
  QCPRange getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keys) const override;

 protected:
  void draw(QCPPainter* painter) override;
  void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

 private:
  // Rectangles of at least `min_width` pixels, one by one.
  void draw_rects(QCPPainter* painter, RectSet::Span span, const PixelMap& map, const QRect& clip, double min_width);
  // Rectangles of less than `max_width` pixels, as an image.
  void draw_dense(QCPPainter* painter, RectSet::Span span, const PixelMap& map, const QRect& clip,
                  double max_width = std::numeric_limits<double>::infinity());
  bool shares_columns(RectSet::Span span, const PixelMap& map, const QRect& clip) const;
  void draw_label(QCPPainter* painter, const QRect& rect, const Rect& r, const RectStyle& style);
  PixelMap pixel_map() const;

  std::shared_ptr<const RectSet> data_;
  std::vector<RectStyle> styles_;
  std::vector<QBrush> hatches_;    // parallel to styles_
  std::vector<uint32_t> colours_;  // parallel to styles_, for the density image
  Labels labels_;
  QColor text_;
  size_t dense_from_ = 12000;
  bool was_dense_ = false;
  int lowest_label_ = 0;
  QStringList drawn_labels_;
  QImage image_;  // reused between frames
};

// Cheap decorations: hover, selection, playhead. They are on the plot's own buffered overlay layer, so that drawing
// them does not repaint the data.
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
