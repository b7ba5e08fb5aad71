// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram of the durations of the selected node or span, with their percentiles.
#pragma once
#include <views/common/background.h>
#include <views/common/export.h>
#include <views/common/view_context.h>
#include <views/durations/durations_data.h>

#include <QTimer>
#include <QWidget>

namespace arenascope::views {

class DurationsView : public QWidget, public Paintable {
  Q_OBJECT
 public:
  explicit DurationsView(const ViewContext& context, QWidget* parent = nullptr);
  void set_context(const ViewContext& context);

  const DurationsDataPtr& data() const { return data_; }
  // The bin under a position; negative: none.
  int bin_at(const QPointF& position) const;
  QRectF rect_of(size_t bin) const;  // of its column, over the whole height
  QString to_csv() const { return data_ ? DurationsText::to_csv(*data_) : QString(); }

  void paint(QPainter* painter, QSize size) override;
  void prepare_now();  // blocks until the view is up to date; for tests and exports
  QSize sizeHint() const override { return {420, 220}; }
  QSize minimumSizeHint() const override { return {160, 80}; }

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void listen();
  void retranslate();
  void prepare_soon();
  void prepare();
  void take(DurationsDataPtr data);
  QRectF area_in(QSize size) const;
  QRectF column_in(const QRectF& area, size_t bin) const;
  double x_of(double duration, const QRectF& area) const;
  void draw(QPainter& painter, QSize size) const;
  void draw_count(QPainter& painter, const QRectF& bar, size_t count, const QColor& fill) const;
  void draw_bins(QPainter& painter, const QRectF& area) const;
  void draw_percentiles(QPainter& painter, const QRectF& area) const;
  void draw_axis(QPainter& painter, const QRectF& area) const;

  ViewContext context_;
  ConnectionScope connections_;
  Background preparing_;
  QTimer timer_;
  DurationsDataPtr data_;
  int hovered_ = -1;
  bool stale_ = true;
};

}  // namespace arenascope::views
