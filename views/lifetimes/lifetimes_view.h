// SPDX-License-Identifier: GPL-3.0-or-later
// A row a block of the arena: which tensors used it, one after the other, and at which level they were put together.
#pragma once
#include <views/lifetimes/lifetimes_picture.h>

class QScrollBar;

namespace arenascope::views {

class LifetimesView : public PlotView {
  Q_OBJECT
 public:
  explicit LifetimesView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Lifetimes"); }
  Selection pick(const QPointF& pixel) const override;
  FigureText tip(const QPointF& pixel) const override;
  const std::shared_ptr<const LifetimesPicture>& picture() const { return picture_; }
  const RectPlottable* spans() const { return spans_; }
  // Whose blocks are rows: the plan's, or spaces', and which of these.
  void set_shown(ArenaShow show, const SpaceChoice& choice);
  // Where spaces are shown: whether it is drawn when the plan would have had their tensors.
  void set_with_plan(bool shown);
  void add_choices(QMenu& menu) override;

 protected:
  Work work() const override;
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
  const trace::SpaceSlice* space_slice(uint32_t tag) const;  // null: the tag is of the plan's
  const trace::SliceInfo* plan_slice(uint32_t tag) const;    // null: the tag is of a space's
  void outline(QCPPainter* painter, const Selection& selection, bool selected) const;
  void fit_rows();
  void update_header();
  std::optional<size_t> row_at(const QPointF& pixel) const;
  void resizeEvent(QResizeEvent* event) override;

  Rows* rows_;
  RectPlottable *spans_, *shares_, *captions_, *ghosts_;
  LevelMarks* marks_;
  std::shared_ptr<const LifetimesPicture> picture_;
  ArenaShow show_ = ArenaShow::Auto;
  SpaceChoice choice_;
  bool with_plan_ = false;
  size_t shown_rows_ = SIZE_MAX;
  int shown_pixels_ = -1;
};

}  // namespace arenascope::views
