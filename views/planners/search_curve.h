// SPDX-License-Identifier: GPL-3.0-or-later
// How a search gets on: the smallest arena so far over the seconds, down to the lower bound, and the bytes to fit
// under.
#pragma once
#include <views/common/theme.h>

#include <arenascope/base/ids.h>
#include <QWidget>
#include <vector>

namespace arenascope::views {

class SearchCurve : public QWidget {
  Q_OBJECT
 public:
  struct Point {
    double seconds = 0;
    Bytes arena = 0;
    Bytes bound = 0;
  };
  explicit SearchCurve(Theme* theme, QWidget* parent = nullptr);

  void begin(double budget_seconds);  // forgets the points
  void add(const Point& point);
  void end(double seconds);
  void set_fit_under(Bytes bytes);  // 0: nothing
  const std::vector<Point>& points() const { return points_; }
  QString summary() const;  // the same in words
  QSize sizeHint() const override { return {260, 110}; }
  QSize minimumSizeHint() const override { return {120, 54}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Theme* theme_;
  std::vector<Point> points_;
  double budget_ = 0, ended_ = -1;
  Bytes fit_under_ = 0;
};

}  // namespace arenascope::views
