// SPDX-License-Identifier: GPL-3.0-or-later
// Base of items that a view draws into a plot itself. The plot does not select them, does not scale its axes to them
// and does not list them in its legend.
#pragma once
#include <qcustomplot.h>

namespace arenascope::views {

class PlotLayer : public QCPAbstractPlottable {
 public:
  PlotLayer(QCPAxis* x, QCPAxis* y) : QCPAbstractPlottable(x, y) { setSelectable(QCP::stNone); }
  double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
  QCPRange getKeyRange(bool& found, QCP::SignDomain) const override { return found = false, QCPRange(); }
  QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
    return found = false, QCPRange();
  }

 protected:
  void drawLegendIcon(QCPPainter*, const QRectF&) const override {}
};

}  // namespace arenascope::views
