// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a frame of the byte lens, with a legend of its kinds of cells. Scrolls vertically.
#pragma once
#include <views/bytes/lens_picture.h>
#include <views/common/export.h>
#include <views/common/theme.h>

#include <QAbstractScrollArea>

namespace arenascope::views {

class LensCanvas : public QAbstractScrollArea, public Paintable {
  Q_OBJECT
 public:
  explicit LensCanvas(Theme* theme, QWidget* parent = nullptr);
  void set_frame(const lesson::LensFrame& frame, const QString& operation);
  const LensPicture& picture() const { return layout_.picture; }
  double scale() const { return layout_.scale; }
  void paint(QPainter* painter, QSize size) override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct Layout {
    LensPicture picture;
    double scale = 1;  // pixels per unit of the picture
  };
  Layout layout_for(QSize size) const;
  void arrange();
  void show_current();
  void draw(QPainter& painter, const Layout& layout, QSize size, int from) const;
  void draw_box(QPainter& painter, const LensBox& box) const;
  void draw_arrow(QPainter& painter, const LensArrow& arrow) const;
  double draw_legend(QPainter& painter, const LensPicture& picture, double y) const;
  QColor colour_of(lesson::CellKind kind) const;

  Theme* theme_;
  lesson::LensFrame frame_;
  QString operation_;
  Layout layout_;
};

}  // namespace arenascope::views
