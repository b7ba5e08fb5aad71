// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontier_plot.h"

#include <views/common/format.h>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace arenascope::app {
namespace {

constexpr double kEdge = 8, kDot = 4, kReach = 24;

}  // namespace

FrontierPlot::FrontierPlot(views::Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(theme_, &views::Theme::changed, this, qOverload<>(&QWidget::update));
}

void FrontierPlot::set_points(std::vector<FrontierPoint> points) {
  points_ = std::move(points);
  chosen_ = std::min(chosen_, std::max(static_cast<int>(points_.size()) - 1, 0));
  QStringList all;
  for (const FrontierPoint& point : points_) all << text_of(point);
  setAccessibleDescription(all.join(QStringLiteral("; ")));
  update();
}

void FrontierPlot::set_chosen(int point) {
  chosen_ = point;
  update();
}

QString FrontierPlot::text_of(const FrontierPoint& point) {
  return tr("Arena %1, %2 % more operations")
      .arg(views::format_bytes(point.arena))
      .arg(100 * point.extra_work, 0, 'f', 1);
}

double FrontierPlot::max_bytes() const {
  return points_.empty() ? 1 : 1.08 * static_cast<double>(std::max<Bytes>(points_.front().arena, 1));
}

double FrontierPlot::max_work() const {
  double most = 0;
  for (const FrontierPoint& point : points_) most = std::max(most, point.extra_work);
  return std::max(1.15 * most, 1e-6);
}

QRectF FrontierPlot::area() const {
  const double text = fontMetrics().height();
  return {kEdge, kEdge + text + 2, std::max(width() - 2 * kEdge, 1.0),
          std::max(height() - 2 * (kEdge + text + 2) - kDot, 1.0)};
}

QPointF FrontierPlot::position_of(int point) const {
  const FrontierPoint& p = points_[static_cast<size_t>(point)];
  const QRectF in = area();
  return {in.left() + static_cast<double>(p.arena) / max_bytes() * in.width(),
          in.bottom() - p.extra_work / max_work() * in.height()};
}

int FrontierPlot::point_at(const QPointF& position) const {
  int best = -1;
  double least = kReach;
  for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
    const QPointF away = position_of(i) - position;
    if (const double distance = std::hypot(away.x(), away.y()); distance < least) least = distance, best = i;
  }
  return best;
}

// x: bytes from 0; y: operations from 0.
void FrontierPlot::draw_axes(QPainter& painter) const {
  const views::ThemeColours& colours = theme_->colours();
  const QRectF in = area();
  painter.setPen(colours.axis);
  painter.drawLine(in.bottomLeft(), in.bottomRight());
  painter.drawLine(in.bottomLeft(), in.topLeft());
  painter.setPen(colours.dim_text);
  const QRectF above(kEdge, kEdge / 2, in.width(), fontMetrics().height());
  const QRectF below(kEdge, in.bottom() + 2 + kDot, in.width(), fontMetrics().height());
  const auto fitting = [&](const QString& text) {
    return fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(in.width()));
  };
  painter.drawText(above, Qt::AlignLeft,
                   fitting(tr("recomputed operations, up to %1 % of all").arg(100 * max_work() / 1.15, 0, 'f', 1)));
  painter.drawText(below, Qt::AlignRight, fitting(tr("arena size")));
  painter.drawText(below, Qt::AlignLeft, QStringLiteral("0"));
}

void FrontierPlot::draw_points(QPainter& painter) const {
  const views::ThemeColours& colours = theme_->colours();
  const auto count = static_cast<int>(points_.size());
  QPolygonF stairs;  // a capacity between two points uses the plan of the smaller one
  for (int i = 0; i < count; ++i) {
    if (i > 0) stairs << QPointF(position_of(i - 1).x(), position_of(i).y());
    stairs << position_of(i);
  }
  painter.setPen(QPen(colours[views::Role::Work], 2));
  painter.drawPolyline(stairs);
  for (int i = 0; i < count; ++i) {
    painter.setBrush(i == chosen_ ? colours[views::Role::Work] : colours.background);
    painter.setPen(QPen(colours[views::Role::Work], 2));
    painter.drawEllipse(position_of(i), i == chosen_ ? kDot + 2 : kDot, i == chosen_ ? kDot + 2 : kDot);
    const FrontierPoint& point = points_[static_cast<size_t>(i)];
    const QString bytes =
        QStringLiteral("%1 · %2 %").arg(views::format_bytes(point.arena)).arg(100 * point.extra_work, 0, 'f', 1);
    const double wide = fontMetrics().horizontalAdvance(bytes);
    const double left = std::clamp(position_of(i).x() - wide / 2, kEdge, std::max(width() - kEdge - wide, kEdge));
    if (i > 0 && std::abs(position_of(i).x() - position_of(i - 1).x()) < wide + 4)
      continue;  // no space next to the previous label
    const QRectF label(left, position_of(i).y() - kDot - 5 - fontMetrics().height(), wide, fontMetrics().height());
    painter.fillRect(label, colours.background);  // hides lines under the label
    painter.setPen(colours.text);
    painter.drawText(label, Qt::AlignCenter, bytes);
  }
}

void FrontierPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_->colours().background);
  if (points_.empty()) return;
  draw_axes(painter);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_points(painter);
}

void FrontierPlot::mousePressEvent(QMouseEvent* event) {
  if (const int point = point_at(event->position()); point >= 0) Q_EMIT chosen(point);
}

bool FrontierPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const int point = point_at(help->pos()); point >= 0)
    QToolTip::showText(help->globalPos(), text_of(points_[static_cast<size_t>(point)]), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace arenascope::app
