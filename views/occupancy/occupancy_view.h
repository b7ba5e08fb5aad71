// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes over steps or time: live and reserved bytes, capacity, lower bound and peak.
#pragma once
#include <views/common/cursor_readout.h>
#include <views/common/plot_view.h>
#include <views/occupancy/line_labels.h>
#include <views/occupancy/occupancy_picture.h>

namespace arenascope::views {

struct OccupancyViewState {
  OccupancyScope scope = OccupancyScope::Auto;
  bool plan_outline = false;
  bool operator==(const OccupancyViewState&) const = default;
};

class OccupancyView : public PlotViewWith<OccupancyViewState> {
  Q_OBJECT
 public:
  explicit OccupancyView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Occupancy"); }
  Selection pick(const QPointF& pixel) const override;
  FigureText tip(const QPointF& pixel) const override;
  OccupancyScope scope() const { return state_.scope; }
  void add_context_menu_actions(QMenu& menu) override;
  const std::shared_ptr<const OccupancyPicture>& picture() const { return picture_; }

  // The memory limit for planning; 0: none.
  Bytes fit_under() const { return fit_under_; }
  double fit_line_y() const;  // in pixels of the plot

 public Q_SLOTS:
  void set_scope(arenascope::views::OccupancyScope scope);
  void set_fit_under(arenascope::Bytes bytes);
  void set_show_plan_outline(bool shown);  // also show the requirement of a plan that the run did not use

 Q_SIGNALS:
  void fit_under_dragged(arenascope::Bytes bytes);  // while dragging
  void fit_under_set(arenascope::Bytes bytes);      // at the end of dragging

 protected:
  PrepareFunction prepare_function() const override;
  void show_prepared(const PreparedPtr& prepared) override;
  void restyle() override;
  QString nothing_to_show() const override;
  void draw_overlay(QCPPainter* painter) override;
  bool can_drag(const QPointF& pixel, Qt::KeyboardModifiers keys) const override;
  void drag_move(const QPointF& from, const QPointF& to) override;
  void drag_end(const QPointF& from) override;

 private:
  class Curves;
  void fit_y();
  void resizeEvent(QResizeEvent* event) override;
  std::vector<LineLabel> line_labels() const;
  CursorReadout readout_at(const QPointF& pixel) const;
  std::optional<Step> step_under(const QPointF& pixel) const;
  FigureText tip_of_step(const CursorReadout& readout, const Selection& node) const;
  FigureText tip_of_other(double x) const;
  FigureText tip_of_layer(const CursorReadout& readout, const OccupancyPicture::Kind& layer) const;
  void update_header();
  void add_legend(HeaderContent& header) const;
  QString layer_name(const OccupancyPicture::Kind& layer) const;

  Curves* curves_;
  LineLabels* names_;
  Bytes fit_under_ = 0;
  bool dragging_ = false;
  std::shared_ptr<const OccupancyPicture> picture_;
  std::shared_ptr<PlanCurves> plan_curves_ = std::make_shared<PlanCurves>();
};

}  // namespace arenascope::views
