// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes over steps or time: what lives, what is reserved, the capacity, the lower bound and the peak.
#pragma once
#include <views/occupancy/occupancy_picture.h>

namespace arenascope::views {

class OccupancyView : public PlotView {
  Q_OBJECT
 public:
  explicit OccupancyView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Occupancy"); }
  Selection pick(const QPointF& pixel) const override;
  QString describe(const QPointF& pixel) const override;
  OccupancyScope scope() const { return scope_; }
  const std::shared_ptr<const OccupancyPicture>& picture() const { return picture_; }

 public Q_SLOTS:
  void set_scope(arenascope::views::OccupancyScope scope);

 protected:
  Work work() const override;
  void show_prepared(const PreparedPtr& prepared) override;
  void restyle() override;
  void draw_overlay(QCPPainter* painter) override;

 private:
  class Curves;
  std::optional<Step> step_under(const QPointF& pixel) const;
  void update_header();

  Curves* curves_;
  OccupancyScope scope_ = OccupancyScope::Arena;
  std::shared_ptr<const OccupancyPicture> picture_;
};

}  // namespace arenascope::views
