// SPDX-License-Identifier: GPL-3.0-or-later
// What horizontal lines across a plot are, beside the y axis in its margin, where no curve is: those that would meet are
// moved apart, and point at their line. Drawn on the overlay's layer, over the ticks.
#pragma once
#include <views/common/plot_layer.h>

#include <functional>
#include <vector>

namespace arenascope::views {

struct LineName {
  double value = 0;  // on the y axis
  QString text;
  QString short_text;  // where the margin is too narrow for the other
  QColor colour;
};

class LineNames : public PlotLayer {
 public:
  using Names = std::function<std::vector<LineName>()>;
  LineNames(QCPAxis* x, QCPAxis* y, Names names);
  void set_ground(const QColor& colour) { ground_ = colour; }

 protected:
  QRect clipRect() const override;
  void draw(QCPPainter* painter) override;
  void hide_ticks(QCPPainter* painter, const std::vector<double>& tops, int height) const;

 private:
  Names names_;
  QColor ground_;
};

// Where boxes of that height go, so that none meets another: sorted middles in, tops out. All stay in [top, bottom] where
// there is room.
std::vector<double> spread(const std::vector<double>& middles, double height, double top, double bottom);

}  // namespace arenascope::views
