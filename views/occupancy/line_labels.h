// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of horizontal lines across a plot, in the margin of the y axis, where they cover no curve. Labels that would
// overlap are moved apart and connected to their line. Drawn on the overlay layer, above the tick labels.
#pragma once
#include <views/common/plot_layer.h>

#include <functional>
#include <vector>

namespace arenascope::views {

struct LineLabel {
  double value = 0;  // on the y axis
  QString text;
  QString short_text;  // used if the margin is too narrow
  QColor colour;
};

class LineLabels : public PlotLayer {
 public:
  using Labels = std::function<std::vector<LineLabel>()>;
  LineLabels(QCPAxis* x, QCPAxis* y, Labels names);
  void set_ground(const QColor& colour) { ground_ = colour; }

 protected:
  QRect clipRect() const override;
  void draw(QCPPainter* painter) override;
  void hide_ticks(QCPPainter* painter, const std::vector<double>& tops, int height) const;

 private:
  Labels labels_;
  QColor ground_;
};

// Distributes boxes of equal height without overlaps: sorted middles in, tops out. All are within [top, bottom] if they
// fit.
std::vector<double> spread(const std::vector<double>& middles, double height, double top, double bottom);

}  // namespace arenascope::views
