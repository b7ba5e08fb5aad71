// SPDX-License-Identifier: GPL-3.0-or-later
#include "query_chart.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "query_table.h"

namespace arenascope::app {

using query::Quantity;
using query::Reference;
using views::Role;

namespace {

constexpr double kEdge = 8, kBetweenBars = 4, kReach = 12;
constexpr int kSummaryRows = 10;

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

// About four grid lines. Steps of bytes are multiples of KiB, MiB and so on.
double grid_step(double range, Quantity quantity) {
  const double least = std::max(range, 1e-12) / 4;
  if (quantity != Quantity::Bytes || least < 1024) return round_step(least);
  const double unit = std::pow(1024, std::floor(std::log2(least) / 10));
  return unit * round_step(least / unit);
}

}  // namespace

ChartChoice suggested_chart(const QueryResult& result) {
  ChartChoice out;
  const auto columns = static_cast<int>(result.rows.columns.size());
  int text = -1, first = -1, number = -1, with_unit = -1;
  for (int c = 0; c < columns; ++c) {
    const auto i = static_cast<size_t>(c);
    const bool is_id = result.rows.references[i] != Reference::None;
    if (!result.numeric[i]) {
      if (text < 0) text = c;
      continue;
    }
    if (first < 0) first = c;
    const Quantity quantity = query::quantity_of(result.rows.columns[i]);
    if (quantity == Quantity::Moment || is_id) continue;
    if (number < 0) number = c;
    if (with_unit < 0 && quantity != Quantity::Number) with_unit = c;
  }
  out.y = with_unit >= 0 ? with_unit : number;
  if (out.y < 0 || result.rows.rows.size() < 2) return {};
  out.x = text >= 0 ? text : first;
  if (out.x == out.y) out.x = -1;
  out.form = text >= 0 || out.x < 0 ? ChartForm::Bars : ChartForm::Line;
  return out;
}

QueryChart::QueryChart(views::Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("query_chart"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(theme_, &views::Theme::changed, this, qOverload<>(&QWidget::update));
}

void QueryChart::set_result(const QueryResultPtr& result, const ChartChoice& choice) {
  result_ = result;
  choice_ = result ? choice : ChartChoice();
  points_.clear();
  if (choice_.form != ChartForm::None) {
    for (size_t r = 0; r < result_->rows.rows.size(); ++r) {
      const double x = choice_.form == ChartForm::Line && choice_.x >= 0
                           ? query_number(*result_, r, static_cast<size_t>(choice_.x))
                           : static_cast<double>(r);
      const double y = query_number(*result_, r, static_cast<size_t>(choice_.y));
      if (std::isfinite(x) && std::isfinite(y)) points_.push_back({x, y, static_cast<int>(r)});
    }
    if (choice_.form == ChartForm::Line) std::ranges::stable_sort(points_, {}, &Point::x);
  }
  y_min_ = y_max_ = 0;
  for (const Point& p : points_) y_min_ = std::min(y_min_, p.y), y_max_ = std::max(y_max_, p.y);
  if (y_min_ == y_max_) y_max_ = y_min_ + 1;
  x_min_ = points_.empty() ? 0 : points_.front().x;
  // A range of one would vanish beside a large value.
  x_max_ = points_.empty() || points_.back().x <= x_min_ ? x_min_ + std::max(1.0, std::abs(x_min_) * 1e-9)
                                                         : points_.back().x;
  setAccessibleDescription(summary());
  update();
}

QString QueryChart::label_of(int row) const {
  return choice_.x >= 0 ? query_cell_text(*result_, static_cast<size_t>(row), static_cast<size_t>(choice_.x))
                        : QString::number(row + 1);
}

QString QueryChart::value_text(double value) const {
  return query_number_text(*result_, static_cast<size_t>(choice_.y), value);
}

QString QueryChart::summary() const {
  QStringList parts;
  for (const Point& p : points_) {
    if (parts.size() == kSummaryRows) {
      parts << QStringLiteral("…");
      break;
    }
    parts << QStringLiteral("%1: %2").arg(label_of(p.row), value_text(p.y));
  }
  return parts.join(QStringLiteral("; "));
}

double QueryChart::bar_height() const { return fontMetrics().height() + 2; }

int QueryChart::shown_bars(int height) const {
  const auto fitting = static_cast<int>((height - 2 * kEdge) / (bar_height() + kBetweenBars));
  const auto all = static_cast<int>(points_.size());
  return all <= fitting ? all : std::max(fitting - 1, 0);  // the last line states how many are not shown
}

double QueryChart::label_width(QSize size) const {
  double widest = 0;
  for (int i = 0; i < shown_bars(size.height()); ++i)
    widest = std::max(widest, double(fontMetrics().horizontalAdvance(label_of(points_[static_cast<size_t>(i)].row))));
  return std::min(widest, 0.45 * size.width());
}

void QueryChart::paint_bars(QPainter& painter, QSize size) const {
  const views::ThemeColours& colours = theme_->colours();
  const int shown = shown_bars(size.height());
  const double labels = label_width(size), left = kEdge + labels + 6;
  double values = 0;  // width of their texts
  for (int i = 0; i < shown; ++i)
    values = std::max(values, double(fontMetrics().horizontalAdvance(value_text(points_[static_cast<size_t>(i)].y))));
  const double width = std::max(size.width() - left - values - kEdge - 6, 10.0);
  const auto x_of = [&](double value) { return left + (value - y_min_) / (y_max_ - y_min_) * width; };
  double y = kEdge;
  for (int i = 0; i < shown; ++i, y += bar_height() + kBetweenBars) {
    const Point& p = points_[static_cast<size_t>(i)];
    painter.setPen(colours.text);
    painter.drawText(QRectF(kEdge, y, labels, bar_height()), Qt::AlignRight | Qt::AlignVCenter,
                     fontMetrics().elidedText(label_of(p.row), Qt::ElideMiddle, static_cast<int>(labels) + 1));
    const double from = std::min(x_of(0), x_of(p.y)), to = std::max(x_of(0), x_of(p.y));
    painter.fillRect(QRectF(from, y, std::max(to - from, 1.0), bar_height()), colours[Role::Work]);
    painter.drawText(QRectF(to + 4, y, values + 2, bar_height()), Qt::AlignLeft | Qt::AlignVCenter, value_text(p.y));
  }
  painter.setPen(colours.dim_text);
  if (const int more = static_cast<int>(points_.size()) - shown; more > 0)
    painter.drawText(QRectF(kEdge, y, size.width() - 2 * kEdge, bar_height()), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("%n more row(s)", nullptr, more));
  painter.setPen(colours.axis);
  painter.drawLine(QPointF(x_of(0), kEdge / 2), QPointF(x_of(0), y));
}

QRectF QueryChart::line_area(QSize size) const {
  double labels = 0;
  const double step =
      grid_step(y_max_ - y_min_, query::quantity_of(result_->rows.columns[static_cast<size_t>(choice_.y)]));
  for (double y = std::ceil(y_min_ / step) * step; y <= y_max_; y += step)
    labels = std::max(labels, double(fontMetrics().horizontalAdvance(value_text(y))));
  const double text = fontMetrics().height(), left = kEdge + labels + 6;
  return {left, kEdge + text / 2, std::max(size.width() - left - 2 * kEdge, 10.0),
          std::max(size.height() - 2 * kEdge - 2 * text, 10.0)};
}

QPointF QueryChart::position_of(const Point& point, const QRectF& area) const {
  return {area.left() + (point.x - x_min_) / (x_max_ - x_min_) * area.width(),
          area.bottom() - (point.y - y_min_) / (y_max_ - y_min_) * area.height()};
}

void QueryChart::paint_axes(QPainter& painter, const QRectF& area) const {
  const views::ThemeColours& colours = theme_->colours();
  const double step =
      grid_step(y_max_ - y_min_, query::quantity_of(result_->rows.columns[static_cast<size_t>(choice_.y)]));
  const double text = fontMetrics().height();
  for (double y = std::ceil(y_min_ / step) * step; y <= y_max_; y += step) {
    const double at = position_of({x_min_, y, 0}, area).y();
    painter.setPen(colours.grid);
    painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
    painter.setPen(colours.dim_text);
    painter.drawText(QRectF(0, at - text / 2, area.left() - 6, text), Qt::AlignRight | Qt::AlignVCenter, value_text(y));
  }
  const QRectF below(area.left(), area.bottom() + 2, area.width(), text);
  const auto x_text = [&](double x) {
    return choice_.x >= 0 ? query_number_text(*result_, static_cast<size_t>(choice_.x), x) : QString::number(x + 1);
  };
  painter.drawText(below, Qt::AlignLeft, x_text(x_min_));
  painter.drawText(below, Qt::AlignRight, x_text(x_max_));
  if (choice_.x >= 0)
    painter.drawText(below, Qt::AlignHCenter,
                     QString::fromStdString(result_->rows.columns[static_cast<size_t>(choice_.x)]));
  painter.setPen(colours.axis);
  painter.drawLine(area.bottomLeft(), area.topLeft());
  painter.drawLine(area.bottomLeft(), area.bottomRight());
}

// The first, lowest, highest and last point of each pixel column are connected.
void QueryChart::paint_line(QPainter& painter, QSize size) const {
  const QRectF area = line_area(size);
  paint_axes(painter, area);
  QPolygonF line;
  for (size_t i = 0; i < points_.size();) {
    const QPointF first = position_of(points_[i], area);
    QPointF low = first, high = first, last = first;
    for (++i; i < points_.size() && position_of(points_[i], area).x() < std::floor(first.x()) + 1; ++i) {
      last = position_of(points_[i], area);
      if (last.y() > low.y()) low = last;
      if (last.y() < high.y()) high = last;
    }
    line << first << low << high << last;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen((*theme_)[Role::Work], 2));
  painter.drawPolyline(line);
}

void QueryChart::paint(QPainter* painter, QSize size) {
  painter->fillRect(QRect(QPoint(), size), theme_->colours().background);
  painter->setFont(font());
  if (!result_ || choice_.form == ChartForm::None || points_.empty()) {
    painter->setPen(theme_->colours().dim_text);
    return painter->drawText(QRectF(QPointF(), QSizeF(size)).adjusted(kEdge, 0, -kEdge, 0),
                             int(Qt::AlignCenter) | int(Qt::TextWordWrap),
                             tr("A chart needs a result with a numeric column"));
  }
  choice_.form == ChartForm::Bars ? paint_bars(*painter, size) : paint_line(*painter, size);
}

void QueryChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(&painter, size());
}

int QueryChart::row_at(const QPointF& position) const {
  if (choice_.form == ChartForm::Bars) {
    const double index = (position.y() - kEdge) / (bar_height() + kBetweenBars);
    return index < 0 || index >= shown_bars(height()) ? -1 : points_[static_cast<size_t>(index)].row;
  }
  if (choice_.form == ChartForm::None || points_.empty()) return -1;
  const QRectF area = line_area(size());
  const double x = x_min_ + (position.x() - area.left()) / area.width() * (x_max_ - x_min_);
  const auto after = std::ranges::lower_bound(points_, x, {}, &Point::x);
  int best = -1;
  double least = kReach;
  for (auto it = after - (after == points_.begin() ? 0 : 1); it != points_.end() && it <= after; ++it)
    if (const double away = std::abs(position_of(*it, area).x() - position.x()); away < least)
      least = away, best = it->row;
  return best;
}

void QueryChart::mousePressEvent(QMouseEvent* event) {
  if (const int row = row_at(event->position()); row >= 0) Q_EMIT chosen(row);
}

bool QueryChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int row = row_at(help->pos());
  if (row < 0) {
    QToolTip::hideText();
    return true;
  }
  QStringList lines;
  for (size_t c = 0; c < result_->rows.columns.size(); ++c)
    lines << QStringLiteral("%1: %2").arg(QString::fromStdString(result_->rows.columns[c]),
                                          query_cell_text(*result_, static_cast<size_t>(row), c));
  QToolTip::showText(help->globalPos(), lines.join(u'\n'), this);
  return true;
}

}  // namespace arenascope::app
