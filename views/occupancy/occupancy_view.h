// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes over steps or time: what lives, what is reserved, the capacity, the lower bound and the peak.
#pragma once
#include <views/common/moment.h>
#include <views/occupancy/line_names.h>
#include <views/occupancy/occupancy_picture.h>

namespace arenascope::views {

class OccupancyView : public PlotView {
  Q_OBJECT
 public:
  explicit OccupancyView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Occupancy"); }
  Selection pick(const QPointF& pixel) const override;
  FigureText tip(const QPointF& pixel) const override;
  OccupancyScope scope() const { return scope_; }
  void add_choices(QMenu& menu) override;
  const std::shared_ptr<const OccupancyPicture>& picture() const { return picture_; }

  // The line to fit under; 0: none.
  Bytes fit_under() const { return fit_under_; }
  double fit_line_y() const;  // in pixels of the plot

 public Q_SLOTS:
  void set_scope(arenascope::views::OccupancyScope scope);
  void set_fit_under(arenascope::Bytes bytes);
  void set_with_plan(bool shown);  // what a plan would need, where a run used none

 Q_SIGNALS:
  void fit_under_dragged(arenascope::Bytes bytes);  // while it is dragged
  void fit_under_dropped(arenascope::Bytes bytes);  // it is let go there

 protected:
  Work work() const override;
  void show_prepared(const PreparedPtr& prepared) override;
  void restyle() override;
  QString nothing_to_show() const override;
  void draw_overlay(QCPPainter* painter) override;
  bool can_grab(const QPointF& pixel, Qt::KeyboardModifiers keys) const override;
  void dragged(const QPointF& from, const QPointF& to) override;
  void dropped(const QPointF& from) override;

 private:
  class Curves;
  void fit_y();
  void resizeEvent(QResizeEvent* event) override;
  std::vector<LineName> line_names() const;
  Moment moment_at(const QPointF& pixel) const;
  std::optional<Step> step_under(const QPointF& pixel) const;
  FigureText tip_of_step(const Moment& moment, const Selection& node) const;
  FigureText tip_of_other(double x) const;
  FigureText tip_of_layer(const Moment& moment, const OccupancyPicture::Kind& layer) const;
  void update_header();
  QString layer_name(const OccupancyPicture::Kind& layer) const;

  Curves* curves_;
  LineNames* names_;
  OccupancyScope scope_ = OccupancyScope::Auto;
  bool with_plan_ = false;
  Bytes fit_under_ = 0;
  bool dragging_ = false;
  std::shared_ptr<const OccupancyPicture> picture_;
  std::shared_ptr<PlanCurves> plan_curves_ = std::make_shared<PlanCurves>();
};

}  // namespace arenascope::views
