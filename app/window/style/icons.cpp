// SPDX-License-Identifier: GPL-3.0-or-later
#include "icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>

namespace arenascope::app {
namespace {

// Paths in a 16 × 16 square.
QPainterPath path_of(Glyph glyph) {
  QPainterPath p;
  auto triangle = [&](double left, double right, double top = 3, double bottom = 13) {
    p.moveTo(left, top);
    p.lineTo(right, 8);
    p.lineTo(left, bottom);
    p.closeSubpath();
  };
  switch (glyph) {
    case Glyph::Run: triangle(4, 13); break;
    case Glyph::Play:  // with a ring: plays a recording
      p.addEllipse(QPointF(8, 8), 7.2, 7.2);
      p.addEllipse(QPointF(8, 8), 5.9, 5.9);
      p.moveTo(6.2, 4.8);
      p.lineTo(11.6, 8);
      p.lineTo(6.2, 11.2);
      p.closeSubpath();
      break;
    case Glyph::Pause:
      p.addRect(4, 3, 3, 10);
      p.addRect(9, 3, 3, 10);
      break;
    case Glyph::Stop: p.addRect(4, 4, 8, 8); break;
    case Glyph::StepNode:  // an arrow over a dot
      p.addEllipse(QPointF(8, 12.5), 2, 2);
      p.moveTo(2.5, 9);
      p.arcTo(QRectF(2.5, 3, 10, 10), 180, -150);
      p.lineTo(13.6, 4.2);
      p.lineTo(13.2, 9);
      p.lineTo(8.8, 7.4);
      p.lineTo(11, 6.6);
      p.arcTo(QRectF(4.3, 4.8, 7, 7), 30, 150);
      p.closeSubpath();
      break;
    case Glyph::First:
      p.addRect(3, 3, 2, 10);
      triangle(13, 5.5);
      break;
    case Glyph::Back: triangle(11, 4); break;
    case Glyph::Forward: triangle(5, 12); break;
    case Glyph::NextPeak:
      triangle(3, 10.5);
      p.addRect(11, 3, 2, 10);
      break;
    case Glyph::Open:
      p.moveTo(2, 4);
      p.lineTo(6, 4);
      p.lineTo(7.5, 5.5);
      p.lineTo(14, 5.5);
      p.lineTo(14, 13);
      p.lineTo(2, 13);
      p.closeSubpath();
      break;
  }
  return p;
}

class GlyphEngine : public QIconEngine {
 public:
  GlyphEngine(Glyph glyph, const QColor& colour) : glyph_(glyph), colour_(colour) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    QColor colour = colour_;
    if (mode == QIcon::Disabled) colour.setAlphaF(0.35f);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(rect.topLeft());
    painter->scale(rect.width() / 16.0, rect.height() / 16.0);
    painter->fillPath(path_of(glyph_), colour);
    painter->restore();
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect({0, 0}, size), mode, state);
    return pixmap;
  }
  QIconEngine* clone() const override { return new GlyphEngine(*this); }

 private:
  Glyph glyph_;
  QColor colour_;
};

}  // namespace

QIcon glyph_icon(Glyph glyph, const QColor& colour) { return QIcon(new GlyphEngine(glyph, colour)); }

}  // namespace arenascope::app
