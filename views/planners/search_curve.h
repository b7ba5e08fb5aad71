// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of a search: the smallest arena so far over time, down to the lower bound, and the memory limit.
#pragma once
#include <views/common/theme.h>
#include <views/planners/plan_request.h>

#include <QWidget>

namespace arenascope::views {

class SearchCurve : public QWidget {
  Q_OBJECT
 public:
  explicit SearchCurve(Theme* theme, QWidget* parent = nullptr);

  void show_progress(SearchProgress progress);
  void set_fit_under(Bytes bytes);  // 0: no limit
  const std::vector<SearchProgress::Point>& points() const { return progress_.points; }
  QString summary() const;  // textual summary, for accessibility
  QSize sizeHint() const override { return {190, 110}; }
  QSize minimumSizeHint() const override { return {120, 54}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void draw_curve(QPainter& painter, const QRect& whole) const;
  QRect draw_axes(QPainter& painter, const QRect& whole, double most, double least, double seconds) const;

  Theme* theme_;
  SearchProgress progress_;
  Bytes fit_under_ = 0;
};

}  // namespace arenascope::views
