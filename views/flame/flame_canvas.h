// SPDX-License-Identifier: GPL-3.0-or-later
// The widget on which a flame graph is drawn: one box per frame, as wide as its weight. It shows a prepared tree, zooms
// and moves through it by mouse and keys, and emits a signal for a chosen frame.
#pragma once
#include <views/common/figure.h>
#include <views/common/session_source.h>
#include <views/common/theme.h>

#include <QAbstractScrollArea>

#include "flame_layout.h"

namespace arenascope::views {

// A tree and, if another document is compared, the totals of its frames there. Immutable.
struct FlameData {
  SnapshotPtr snapshot;  // that the tree was made of
  trace::FlameWeight weight = trace::FlameWeight::SpanTime;
  trace::FlameTree tree;
  std::vector<double> in_other;  // by frame; empty: no comparison
};
using FlameDataPtr = std::shared_ptr<const FlameData>;

class FlameCanvas : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit FlameCanvas(const Theme* theme, QWidget* parent = nullptr);

  void set_data(FlameDataPtr data);  // null: none; keeps the zoom and the current frame by their paths
  const FlameDataPtr& data() const { return data_; }
  void set_empty_text(const QString& text);
  void set_icicle(bool icicle);
  bool icicle() const { return icicle_; }
  void set_match(FlameMatch match);
  const FlameMatch& match() const { return match_; }
  // 0 is the root.
  void zoom_to(uint32_t frame);
  uint32_t zoomed() const { return zoomed_; }
  // The frame that the keyboard is on and that was chosen last; 0: none.
  void set_current(uint32_t frame);
  uint32_t current() const { return current_; }

  // As drawn, in coordinates of the viewport.
  std::vector<FlameBox> boxes() const;
  const FlameBox* box_at(const QPoint& point) const;  // null: none; valid until the next change
  QString tip(const FlameBox& box) const;
  QColor fill_of(const FlameBox& box) const;
  void draw(QPainter& painter, QSize size) const;  // all rows, from the root

 Q_SIGNALS:
  void chosen(uint32_t frame);  // by a click or a key
  void zoom_changed();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void lay_out();
  int row_height() const;
  void draw_box(QPainter& painter, const FlameBox& box, const QRectF& rect) const;
  void draw_outline(QPainter& painter, const FlameBox& box, const QRectF& rect) const;
  QString label(const FlameBox& box) const;
  QString difference_text(uint32_t frame) const;
  uint32_t next_frame(int key) const;
  bool handles(int key) const;
  void show_current();

  const Theme* theme_;
  FlameDataPtr data_;
  QString empty_text_;
  FlameMatch match_;
  FlameLayout layout_;
  uint32_t zoomed_ = 0, current_ = 0;
  int64_t hovered_ = -1;             // index of a box
  std::optional<uint32_t> pressed_;  // frame under a pressed button; a live refresh keeps it
  bool icicle_ = true;
};

}  // namespace arenascope::views
