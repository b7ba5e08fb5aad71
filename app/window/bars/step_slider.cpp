// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_slider.h"

#include <arenascope/base/step_number.h>
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
  update_plan();
}

void StepSlider::listen() {
  QObject* bond = bond_.reset();
  connect(source_, &SessionSource::changed, bond, [this] { update_plan(); });
  connect(axis_, &SharedAxis::current_changed, bond, [this] { update(); });
  connect(axis_, &SharedAxis::mapping_changed, bond, [this] { update(); });
}

void StepSlider::set_context(const ViewContext& context) {
  source_ = context.source;
  axis_ = context.axis;
  listen();
  update_plan();
  update();
}

void StepSlider::update_plan() {
  const trace::PlanInfo* plan = source_->plan();
  if (source_->plan_id() == plan_ && source_->session().get() == session_) return;
  plan_ = source_->plan_id();
  session_ = source_->session().get();
  peak_ = peak_of(plan);
  setToolTip(peak_.step.valid()
                 ? tr("Peak at step %1: %2 live").arg(step_number(peak_.step)).arg(format_bytes(peak_.bytes))
                 : QString());
  update();
}

void StepSlider::set_breakpoints(std::set<int32_t> steps) {
  breakpoints_ = std::move(steps);
  update();
}

int32_t StepSlider::next_peak(int32_t after) const {
  if (peak_.live.empty()) return -1;
  const auto n = static_cast<int32_t>(peak_.live.size());
  // Significant peaks: local maxima of at least half of the highest.
  auto at = [&](int32_t i) { return i < 0 || i >= n ? Bytes{-1} : peak_.live[static_cast<size_t>(i)]; };
  for (int32_t k = 1; k <= n; ++k) {
    const int32_t i = (after + k) % n;
    if (i >= 0 && at(i) * 2 >= peak_.bytes && at(i) > at(i - 1) && at(i) >= at(i + 1)) return i;
  }
  return peak_step();
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
  if (!peak_.live.empty() && peak_.bytes > 0) {  // live bytes, one column per pixel
    QColor fill = colours[Role::Work];
    fill.setAlpha(110);
    const int pixels = std::max(1, static_cast<int>(groove.width()));
    const size_t n = peak_.live.size();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int x = 0; x < pixels; ++x) {
      const size_t a = n * static_cast<size_t>(x) / static_cast<size_t>(pixels);
      const size_t b = std::max(a + 1, n * static_cast<size_t>(x + 1) / static_cast<size_t>(pixels));
      const Bytes high = *std::max_element(peak_.live.begin() + static_cast<ptrdiff_t>(a),
                                           peak_.live.begin() + static_cast<ptrdiff_t>(std::min(b, n)));
      const double h = groove.height() * static_cast<double>(high) / static_cast<double>(peak_.bytes);
      painter.fillRect(QRectF(groove.left() + x, groove.bottom() - h, 1, h), fill);
    }
    painter.setRenderHint(QPainter::Antialiasing);
  }
  painter.setPen(QPen(hasFocus() ? colours[Role::Work] : colours.axis, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(groove);
  if (axis_->steps() <= 0) return;
  painter.setPen(Qt::NoPen);
  if (peak_.step.valid()) {
    const double x = x_of(peak_.step.value + 0.5);
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
