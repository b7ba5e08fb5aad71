// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a roofline plot and chooses its points by mouse and keyboard.
#pragma once
#include <views/common/roofline_text.h>
#include <views/common/theme.h>
#include <views/roofline/roofline_picture.h>

#include <QWidget>

#include <memory>
#include <optional>

namespace arenascope::views {

struct RooflineData {
  SnapshotPtr snapshot;
  trace::Roofline roofline;
};
using RooflineDataPtr = std::shared_ptr<const RooflineData>;

class RooflineCanvas : public QWidget {
  Q_OBJECT
 public:
  explicit RooflineCanvas(const Theme* theme, QWidget* parent = nullptr);
  void set_data(RooflineDataPtr data);
  void set_roofs(const trace::Roofs& roofs, const QString& processor);  // of which they are
  void set_empty_text(const QString& text);
  // The selected node, marked if it has a point; invalid: none.
  void set_selected(NodeId node);
  const RooflineDataPtr& data() const { return data_; }
  const trace::Roofs& roofs() const { return roofs_; }
  const RooflinePicture& picture() const { return picture_; }
  NodeId selected() const { return selected_; }
  void draw(QPainter& painter, QSize size) const;
  QSize sizeHint() const override { return {420, 260}; }
  QSize minimumSizeHint() const override { return {160, 80}; }

 Q_SIGNALS:
  void chosen(arenascope::NodeId node);
  void hovered(arenascope::NodeId node);  // invalid: none

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QString tip(const trace::RooflinePoint& point) const;
  void lay_out();
  void describe();
  RooflinePicture picture_for(QSize size) const;
  const trace::RooflinePoint& point(const RooflineDot& dot) const { return data_->roofline.points[dot.point]; }
  std::optional<size_t> point_of(NodeId node) const;
  void set_hovered(NodeId node);
  void draw_grid(QPainter& painter, const RooflinePicture& picture) const;
  void draw_roof(QPainter& painter, const RooflinePicture& picture) const;
  void draw_dot(QPainter& painter, const RooflineDot& dot) const;
  QString arithmetic_text() const;
  QRectF arithmetic_label(const RooflinePicture& picture, const QFontMetrics& metrics) const;
  void draw_labels(QPainter& painter, const RooflinePicture& picture) const;

  const Theme* theme_;
  RooflineDataPtr data_;
  trace::Roofs roofs_;
  QString processor_;
  QString empty_text_;
  RooflinePicture picture_;
  NodeId selected_, hovered_;
};

}  // namespace arenascope::views
