// SPDX-License-Identifier: GPL-3.0-or-later
// Slider for the current step over a small occupancy plot, with the peak and breakpoints marked.
#pragma once
#include <views/common/plan_peak.h>
#include <views/common/view_context.h>
#include <QWidget>

#include <set>
#include <vector>

namespace arenascope::app {

class StepSlider : public QWidget {
  Q_OBJECT
 public:
  StepSlider(views::SessionSource* source, views::SharedAxis* axis, views::Theme* theme, QWidget* parent = nullptr);
  void set_context(const views::ViewContext& context);  // context of another document; the theme is kept
  void set_breakpoints(std::set<int32_t> steps);
  int32_t peak_step() const { return peak_.step.value; }  // -1 without a plan
  // The next local maximum of the occupancy after a step, wrapping around; -1 without a plan.
  int32_t next_peak(int32_t after) const;
  QSize sizeHint() const override { return {320, 26}; }
  QSize minimumSizeHint() const override { return {120, 22}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void listen();
  void update_plan();
  double x_of(double step) const;
  void go_to(double x);

  views::ConnectionScope bond_;
  views::SessionSource* source_;
  views::SharedAxis* axis_;
  views::Theme* theme_;
  trace::PlanId plan_;
  const void* session_ = nullptr;
  views::PlanPeak peak_;
  std::set<int32_t> breakpoints_;
};

}  // namespace arenascope::app
