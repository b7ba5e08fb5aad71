// SPDX-License-Identifier: GPL-3.0-or-later
// Chart of the result of a query: bars of a numeric column by row, or a line of one numeric column over another.
#pragma once
#include <views/common/export.h>
#include <views/common/theme.h>

#include <QWidget>

#include "app/window/document/query_job.h"

namespace arenascope::app {

enum class ChartForm : uint8_t { None, Bars, Line };

struct ChartChoice {
  ChartForm form = ChartForm::None;
  int x = -1;  // column with the labels of bars, or the x values of a line; -1: none
  int y = -1;  // numeric column
  bool operator==(const ChartChoice&) const = default;
};

// Bars labelled by the first text column, or a line over the first of two numeric columns. The y column is the first
// one with a unit, otherwise the first numeric one that identifies no item.
ChartChoice suggested_chart(const QueryResult& result);

class QueryChart : public QWidget, public views::Paintable {
  Q_OBJECT
 public:
  explicit QueryChart(views::Theme* theme, QWidget* parent = nullptr);
  void set_result(const QueryResultPtr& result, const ChartChoice& choice);
  const ChartChoice& choice() const { return choice_; }
  QString summary() const;                    // as text
  int row_at(const QPointF& position) const;  // of the result; -1: none
  void paint(QPainter* painter, QSize size) override;
  QSize sizeHint() const override { return {360, 200}; }
  QSize minimumSizeHint() const override { return {160, 90}; }

 Q_SIGNALS:
  void chosen(int row);  // of the result, by a click

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Point {
    double x, y;
    int row;
  };
  double bar_height() const;
  int shown_bars(int height) const;
  QString label_of(int row) const;
  QString value_text(double value) const;
  double label_width(QSize size) const;
  QRectF line_area(QSize size) const;
  QPointF position_of(const Point& point, const QRectF& area) const;
  void paint_bars(QPainter& painter, QSize size) const;
  void paint_line(QPainter& painter, QSize size) const;
  void paint_axes(QPainter& painter, const QRectF& area) const;

  views::Theme* theme_;
  QueryResultPtr result_;
  ChartChoice choice_;
  std::vector<Point> points_;                             // rows with a value; for a line, by ascending x
  double x_min_ = 0, x_max_ = 0, y_min_ = 0, y_max_ = 0;  // the y range includes 0
};

}  // namespace arenascope::app
