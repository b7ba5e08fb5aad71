// SPDX-License-Identifier: GPL-3.0-or-later
// One row per block of the arena: the tensors that used it in sequence, and their reuse level.
#pragma once
#include <views/common/plot_view.h>
#include <views/lifetimes/lifetimes_picture.h>

class QScrollBar;

namespace arenascope::views {

struct LifetimesViewState {
  ArenaMode mode = ArenaMode::Auto;
  SpaceChoice spaces;
  bool plan_outline = false;
  bool operator==(const LifetimesViewState&) const = default;
};

class LifetimesView : public PlotViewWith<LifetimesViewState> {
  Q_OBJECT
 public:
  explicit LifetimesView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Lifetimes"); }
  Selection pick(const QPointF& pixel) const override;
  FigureText tip(const QPointF& pixel) const override;
  const std::shared_ptr<const LifetimesPicture>& picture() const { return picture_; }
  const RectPlottable* spans() const { return spans_; }
  // Selects the blocks of the plan or of spaces, and which spaces.
  void set_shown(ArenaMode show, const SpaceChoice& choice);
  // If spaces are shown: also draws the lifetimes of the tensors in the plan.
  void set_show_plan_outline(bool shown);
  void add_context_menu_actions(QMenu& menu) override;

 protected:
  PrepareFunction prepare_function() const override;
  void show_prepared(const PreparedPtr& prepared) override;
  void restyle() override;
  QString nothing_to_show() const override;
  void draw_overlay(QCPPainter* painter) override;
  bool y_moves() const override;
  QCPRange y_limits() const override;

 private:
  class Rows;
  class LevelMarks;
  const trace::PlanInfo* plan() const;
  QString label(uint32_t tag, int lines) const;
  const trace::SpaceAllocation* space_slice(uint32_t tag) const;  // null: the tag belongs to the plan
  const trace::SliceInfo* plan_slice(uint32_t tag) const;         // null: the tag belongs to a space
  void outline(QCPPainter* painter, const Selection& selection, bool selected) const;
  void fit_rows();
  void update_header();
  std::optional<size_t> row_at(const QPointF& pixel) const;
  void resizeEvent(QResizeEvent* event) override;

  Rows* rows_;
  RectPlottable *spans_, *shares_, *captions_, *ghosts_;
  LevelMarks* marks_;
  std::shared_ptr<const LifetimesPicture> picture_;
  size_t shown_rows_ = SIZE_MAX;
  int shown_pixels_ = -1;
};

}  // namespace arenascope::views
