// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_plot.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace arenascope::app {
namespace {

constexpr int kMargin = 8;

// Colour scale from the theme's background over its work colour to its text colour.
QColor heat(const views::ThemeColours& colours, double share) {
  const QColor middle = colours[views::Role::Work];
  const QColor from = share < 0.5 ? colours.background : middle, to = share < 0.5 ? middle : colours.text;
  const double part = share < 0.5 ? 2 * share : 2 * share - 1;
  const auto mixed = [part](int a, int b) { return static_cast<int>(a + part * (b - a)); };
  return {mixed(from.red(), to.red()), mixed(from.green(), to.green()), mixed(from.blue(), to.blue())};
}

}  // namespace

TrainingPlot::TrainingPlot(views::Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(theme_, &views::Theme::changed, this, qOverload<>(&QWidget::update));
}

void TrainingPlot::set_training(TrainingJob* training) {
  training_ = training;
  update();
}

QString TrainingPlot::summary() const {
  if (!training_ || training_->steps().empty()) return {};
  const TrainingStepMetrics& last = training_->steps().back();
  return tr("Step %1: loss %2, accuracy %3 %")
      .arg(training_->steps().size())
      .arg(last.loss, 0, 'g', 4)
      .arg(100 * last.accuracy, 0, 'f', 1);
}

QRect TrainingPlot::curve_area() const {
  const int text = fontMetrics().height();
  const int height = (this->height() - 3 * kMargin - text) * 3 / 5;
  return {kMargin, kMargin + text, width() - 2 * kMargin, std::max(height, 0)};
}

QRect TrainingPlot::map_area() const {
  const QRect curves = curve_area();
  const int top = curves.bottom() + kMargin;
  return {kMargin, top, curves.width(), std::max(height() - top - kMargin, 0)};
}

TrainingPlot::Spot TrainingPlot::spot_at(const QPoint& position) const {
  if (!training_ || training_->steps().empty()) return {};
  const auto steps = static_cast<int>(training_->steps().size());
  const QRect curves = curve_area(), map = map_area();
  if (position.x() < curves.left() || position.x() > curves.right()) return {};
  Spot spot;
  spot.step = std::min((position.x() - curves.left()) * steps / std::max(curves.width(), 1), steps - 1);
  const auto parameters = static_cast<int>(training_->parameters().size());
  if (map.contains(position) && parameters > 0)
    spot.parameter = std::min((position.y() - map.top()) * parameters / std::max(map.height(), 1), parameters - 1);
  return spot;
}

void TrainingPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const views::ThemeColours& colours = theme_->colours();
  painter.fillRect(rect(), colours.background);
  painter.setPen(colours.dim_text);
  if (!training_ || training_->steps().empty()) {
    painter.drawText(rect().adjusted(kMargin, 0, -kMargin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Plot of loss, accuracy and gradient norms"));
    return;
  }
  painter.drawText(QRect(kMargin, kMargin / 2, width() - 2 * kMargin, fontMetrics().height()), Qt::AlignLeft,
                   fontMetrics().elidedText(summary(), Qt::ElideRight, width() - 2 * kMargin));
  draw_curves(painter, curve_area());
  draw_map(painter, map_area());
}

// Loss from 0 to its maximum, accuracy from 0 to 1; averaged if there are more steps than pixels.
void TrainingPlot::draw_curves(QPainter& painter, const QRect& area) const {
  const views::ThemeColours& colours = theme_->colours();
  const auto& steps = training_->steps();
  painter.setPen(colours.axis);
  painter.drawRect(area);
  double most = 1e-12;
  for (const TrainingStepMetrics& step : steps) most = std::max(most, step.loss);
  const size_t each = std::max<size_t>(steps.size() / static_cast<size_t>(std::max(area.width(), 1)), 1);
  QPolygonF loss, accuracy;
  for (size_t begin = 0; begin < steps.size(); begin += each) {
    const size_t end = std::min(begin + each, steps.size());
    double sum = 0, right = 0;
    for (size_t i = begin; i < end; ++i) sum += steps[i].loss, right += steps[i].accuracy;
    const auto count = static_cast<double>(end - begin);
    const double x =
        area.left() + (static_cast<double>(begin) + count / 2) / static_cast<double>(steps.size()) * area.width();
    loss << QPointF(x, area.bottom() - sum / count / most * area.height());
    accuracy << QPointF(x, area.bottom() - right / count * area.height());
  }
  painter.setRenderHint(QPainter::Antialiasing);
  QPen dashed(colours.category(2), 1.5);
  dashed.setDashPattern({5, 3});
  painter.setPen(dashed);
  painter.drawPolyline(accuracy);
  painter.setPen(QPen(colours[views::Role::Work], 2));
  painter.drawPolyline(loss);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(colours.dim_text);
  painter.drawText(area.adjusted(4, 2, -4, -2), Qt::AlignTop | Qt::AlignRight,
                   tr("loss (solid, up to %1), accuracy (dashed, up to 100 %)").arg(most, 0, 'g', 3));
}

// One row per parameter, one column per step; logarithmic between the smallest and largest norm.
void TrainingPlot::draw_map(QPainter& painter, const QRect& area) const {
  const auto& steps = training_->steps();
  const auto rows = static_cast<int>(training_->parameters().size());
  if (rows == 0 || area.height() < rows || area.width() < 1) return;
  double low = 1e300, high = -1e300;
  for (const TrainingStepMetrics& step : steps)
    for (float norm : step.norms)
      if (norm > 0) low = std::min(low, std::log(double(norm))), high = std::max(high, std::log(double(norm)));
  const auto columns = static_cast<int>(std::min<size_t>(steps.size(), static_cast<size_t>(area.width())));
  QImage image(columns, rows, QImage::Format_RGB32);
  for (int column = 0; column < columns; ++column) {
    const size_t step = static_cast<size_t>(column) * steps.size() / static_cast<size_t>(columns);
    for (int row = 0; row < rows; ++row) {
      const auto& norms = steps[step].norms;
      const double norm = static_cast<size_t>(row) < norms.size() ? double(norms[static_cast<size_t>(row)]) : 0;
      const double share = norm > 0 && high > low ? (std::log(norm) - low) / (high - low) : 0;
      image.setPixelColor(column, row, heat(theme_->colours(), share));
    }
  }
  painter.drawImage(area, image);
}

bool TrainingPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Spot spot = spot_at(help->pos());
  if (spot.step < 0) {
    QToolTip::hideText();
    return true;
  }
  const TrainingStepMetrics& step = training_->steps()[static_cast<size_t>(spot.step)];
  QString text = tr("Step %1: loss %2, accuracy %3 %")
                     .arg(spot.step + 1)
                     .arg(step.loss, 0, 'g', 4)
                     .arg(100 * step.accuracy, 0, 'f', 1);
  if (spot.parameter >= 0 && static_cast<size_t>(spot.parameter) < step.norms.size())
    text += QStringLiteral("\n") + tr("Gradient of %1: norm %2")
                                       .arg(training_->parameters()[spot.parameter])
                                       .arg(double(step.norms[static_cast<size_t>(spot.parameter)]), 0, 'g', 4);
  QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace arenascope::app
