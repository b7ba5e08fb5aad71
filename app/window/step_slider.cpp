// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_slider.h"

#include <views/common/format.h>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace arenascope::app {

using namespace views;

StepSlider::StepSlider(SessionSource* source, SharedAxis* axis, Theme* theme, QWidget* parent)
    : QWidget(parent), source_(source), axis_(axis), theme_(theme) {
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Step"));
  listen();
  connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
  take_plan();
}

void StepSlider::listen() {
  QObject* bond = bond_.renew();
  connect(source_, &SessionSource::changed, bond, [this] { take_plan(); });
  connect(axis_, &SharedAxis::current_changed, bond, [this] { update(); });
  connect(axis_, &SharedAxis::mapping_changed, bond, [this] { update(); });
}

void StepSlider::set_context(const ViewContext& context) {
  source_ = context.source;
  axis_ = context.axis;
  listen();
  take_plan();
  update();
}

void StepSlider::take_plan() {
  const trace::PlanInfo* plan = source_->plan();
  if (source_->plan_id() == plan_ && source_->session().get() == session_) return;
  plan_ = source_->plan_id();
  session_ = source_->session().get();
  live_ = plan ? trace::Snapshot::occupancy(*plan) : std::vector<Bytes>();
  const auto it = std::max_element(live_.begin(), live_.end());
  most_ = it == live_.end() ? 0 : *it;
  peak_ = it == live_.end() ? -1 : static_cast<int32_t>(it - live_.begin());
  setToolTip(peak_ < 0 ? QString() : tr("Peak at step %1: %2 live").arg(peak_).arg(format_bytes(most_)));
  update();
}

void StepSlider::set_breakpoints(std::set<int32_t> steps) {
  breakpoints_ = std::move(steps);
  update();
}

int32_t StepSlider::next_peak(int32_t after) const {
  if (live_.empty()) return -1;
  const auto n = static_cast<int32_t>(live_.size());
  // Peaks that matter: local maxima of at least half of the highest.
  auto at = [&](int32_t i) { return i < 0 || i >= n ? Bytes{-1} : live_[static_cast<size_t>(i)]; };
  for (int32_t k = 1; k <= n; ++k) {
    const int32_t i = (after + k) % n;
    if (i >= 0 && at(i) * 2 >= most_ && at(i) > at(i - 1) && at(i) >= at(i + 1)) return i;
  }
  return peak_;
}

double StepSlider::x_of(double step) const {
  const double steps = std::max(axis_->steps(), 1);
  return 8 + (width() - 16) * step / steps;
}

void StepSlider::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const ThemeColours& colours = theme_->colours();
  const double top = 5, bottom = height() - 4;
  const QRectF groove(8, top, width() - 16, bottom - top);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colours.background);
  painter.drawRect(groove);
  if (!live_.empty() && most_ > 0) {  // what lives, one column a pixel
    QColor fill = colours[Role::Work];
    fill.setAlpha(110);
    const int pixels = std::max(1, static_cast<int>(groove.width()));
    const size_t n = live_.size();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int x = 0; x < pixels; ++x) {
      const size_t a = n * static_cast<size_t>(x) / static_cast<size_t>(pixels);
      const size_t b = std::max(a + 1, n * static_cast<size_t>(x + 1) / static_cast<size_t>(pixels));
      const Bytes high = *std::max_element(live_.begin() + static_cast<ptrdiff_t>(a),
                                           live_.begin() + static_cast<ptrdiff_t>(std::min(b, n)));
      const double h = groove.height() * static_cast<double>(high) / static_cast<double>(most_);
      painter.fillRect(QRectF(groove.left() + x, groove.bottom() - h, 1, h), fill);
    }
    painter.setRenderHint(QPainter::Antialiasing);
  }
  painter.setPen(QPen(hasFocus() ? colours[Role::Work] : colours.axis, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(groove);
  if (axis_->steps() <= 0) return;
  painter.setPen(Qt::NoPen);
  if (peak_ >= 0) {
    const double x = x_of(peak_ + 0.5);
    painter.setBrush(colours.peak);
    painter.drawPolygon(QPolygonF{{x - 4.5, 0.5}, {x + 4.5, 0.5}, {x, 6.5}});
  }
  painter.setBrush(colours.breakpoint);
  for (int32_t step : breakpoints_) painter.drawEllipse(QPointF(x_of(step + 0.5), height() - 4.5), 3.2, 3.2);
  if (!axis_->current().valid()) return;
  const double x = x_of(axis_->current().value + 0.5);
  painter.setPen(QPen(colours.background, 1));
  painter.setBrush(colours.playhead);
  painter.drawRoundedRect(QRectF(x - 2.5, 1, 5, height() - 2), 2, 2);
}

void StepSlider::go_to(double x) {
  const int steps = axis_->steps();
  if (steps <= 0) return;
  const double step = (x - 8) / std::max(width() - 16, 1) * steps;
  axis_->set_current(Step(std::clamp(static_cast<int32_t>(std::floor(step)), 0, steps - 1)));
}

void StepSlider::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) go_to(event->position().x());
}

void StepSlider::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) go_to(event->position().x());
}

void StepSlider::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left: axis_->step_by(-1); break;
    case Qt::Key_Right: axis_->step_by(1); break;
    case Qt::Key_Home: axis_->set_current(Step(0)); break;
    case Qt::Key_End: axis_->set_current(Step(std::max(axis_->steps() - 1, 0))); break;
    default: QWidget::keyPressEvent(event);
  }
}

}  // namespace arenascope::app
