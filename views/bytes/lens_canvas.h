// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a frame of the byte lens, with a legend of its kinds of cells. Scrolls vertically.
#pragma once
#include <views/bytes/lens_picture.h>
#include <views/common/export.h>
#include <views/common/theme.h>

#include <QAbstractScrollArea>
#include <QVariantAnimation>
#include <map>
#include <tuple>

namespace arenascope::views {

class LensCanvas : public QAbstractScrollArea, public Paintable {
  Q_OBJECT
 public:
  explicit LensCanvas(Theme* theme, QWidget* parent = nullptr);
  // `kinds`: those of all frames, so that the legend stays while they are stepped.
  void set_frame(const lesson::LensFrame& frame, const QString& operation, const std::set<lesson::CellKind>& kinds);
  // Cells move from one frame to the next in this time; 0: at once.
  void set_pace(int milliseconds) { pace_ = milliseconds; }
  bool morphing() const { return morph_.state() == QAbstractAnimation::Running; }
  QRectF shown_rect(size_t box) const;  // of a box of the picture, while it moves
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
    double above = 0;  // height of the operation's text
    double height() const { return above + picture.height; }
  };
  // A cell is the same in two frames if strip and label are, or its position in the strip.
  using CellKey = std::tuple<std::string, std::string, int64_t, int64_t>;
  static CellKey key_of(const lesson::LensFrame& frame, const LensBox& box);
  void begin_morph(const lesson::LensFrame& before, const Layout& layout);
  Layout layout_for(QSize size) const;
  void arrange();
  void show_current();
  void draw(QPainter& painter, const Layout& layout, QSize size, int from) const;
  void draw_box(QPainter& painter, const LensBox& box, const QRectF& rect) const;
  void draw_arrow(QPainter& painter, const LensArrow& arrow) const;
  void draw_legend(QPainter& painter, const LensPicture& picture) const;
  QColor colour_of(lesson::CellKind kind) const;

  Theme* theme_;
  lesson::LensFrame frame_;
  std::set<lesson::CellKind> kinds_;
  QString operation_;
  Layout layout_;
  int pace_ = 0;
  QVariantAnimation morph_;
  std::map<CellKey, QRectF> before_;  // where the cells were, in units of the current picture
};

}  // namespace arenascope::views
