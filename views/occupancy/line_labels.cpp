// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/occupancy/line_labels.h>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

LineLabels::LineLabels(QCPAxis* x, QCPAxis* y, Labels names) : PlotLayer(x, y), labels_(std::move(names)) {
  setLayer(QStringLiteral("overlay"));
}

QRect LineLabels::clipRect() const {
  const QRect area = mKeyAxis->axisRect()->rect();
  return {0, area.top() - 8, area.left() + 1, area.height() + 16};
}

std::vector<double> spread(const std::vector<double>& middles, double height, double top, double bottom) {
  std::vector<double> tops;
  double least = top;
  for (const double middle : middles) {
    tops.push_back(std::max(middle - height / 2, least));
    least = tops.back() + height;
  }
  double most = bottom - height;
  for (size_t i = tops.size(); i-- > 0; most = tops[i] - height) tops[i] = std::min(tops[i], std::max(most, top));
  return tops;
}

// Hides tick labels that a label would overlap.
void LineLabels::hide_ticks(QCPPainter* p, const std::vector<double>& tops, int height) const {
  QVector<double> ticks;
  mValueAxis->ticker()->generate(mValueAxis->range(), mParentPlot->locale(), QLatin1Char('g'), 6, ticks, nullptr,
                                 nullptr);
  p->setAntialiasing(false);
  for (const double tick : ticks) {
    const double y = mValueAxis->coordToPixel(tick) - height / 2.0;
    if (std::any_of(tops.begin(), tops.end(), [&](double top) { return std::abs(top - y) < height; }))
      p->fillRect(QRectF(0, y - 1, mKeyAxis->axisRect()->left() - 6, height + 2), ground_);
  }
}

void LineLabels::draw(QCPPainter* p) {
  const QRect area = mKeyAxis->axisRect()->rect();
  p->setFont(mParentPlot->font());
  const QFontMetrics metrics = p->fontMetrics();
  const int height = metrics.height();
  if (area.height() < 3 * height) return;
  std::vector<LineLabel> names = labels_();
  std::erase_if(names, [&](const LineLabel& name) {
    const double y = mValueAxis->coordToPixel(name.value);
    return y < area.top() - 1 || y > area.bottom() + 1;
  });
  std::stable_sort(names.begin(), names.end(),
                   [](const LineLabel& a, const LineLabel& b) { return a.value > b.value; });
  std::vector<double> middles;
  for (const LineLabel& name : names) middles.push_back(mValueAxis->coordToPixel(name.value));
  const std::vector<double> tops = spread(middles, height, area.top() - 2, area.bottom() + 3);
  hide_ticks(p, tops, height);
  const int right = area.left() - 10;
  for (size_t i = 0; i < names.size(); ++i) {
    const QString& text = metrics.horizontalAdvance(names[i].text) <= right - 2 ? names[i].text : names[i].short_text;
    const QRectF box(2, tops[i], right - 2, height);
    p->setAntialiasing(false);
    p->fillRect(QRectF(0, box.top(), area.left(), height), ground_);
    p->setPen(names[i].colour);
    p->drawText(box, Qt::AlignRight | Qt::AlignVCenter, text);
    p->setAntialiasing(true);
    p->setPen(QPen(names[i].colour, 2));
    p->drawLine(QLineF(right + 2, box.center().y(), area.left() - 1, middles[i]));
    p->setAntialiasing(false);
  }
}

}  // namespace arenascope::views
