// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map: address against step or time. Outlines show the plan, filled rectangles the observed memory.
#pragma once
#include <views/arena/arena_picture.h>
#include <views/common/cursor_readout.h>
#include <views/common/plot_view.h>

namespace arenascope::views {

struct ArenaViewState {
  ArenaMode mode = ArenaMode::Auto;
  SpaceChoice spaces;
  bool plan_outline = false;
  ArenaColour colour = ArenaColour::Kind;
  bool operator==(const ArenaViewState&) const = default;
};

class ArenaView : public PlotViewWith<ArenaViewState> {
  Q_OBJECT
 public:
  explicit ArenaView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Arena map"); }
  Selection pick(const QPointF& pixel) const override;
  FigureText tip(const QPointF& pixel) const override;
  const std::shared_ptr<const ArenaPicture>& picture() const { return picture_; }
  const RectPlottable* bodies() const { return bodies_; }
  // Selects the plan's arena or spaces, and which spaces.
  void set_shown(ArenaMode show, SpaceChoice choice);
  // If spaces are shown: also draws the memory requirement of the plan.
  void set_show_plan_outline(bool shown);
  ArenaColour colour() const { return state_.colour; }
  void set_colour(ArenaColour colour);
  void add_context_menu_actions(QMenu& menu) override;

 protected:
  PrepareFunction prepare_function() const override;
  void show_prepared(const PreparedPtr& prepared) override;
  void restyle() override;
  QString nothing_to_show() const override;
  void draw_overlay(QCPPainter* painter) override;
  bool y_moves() const override { return true; }
  QCPRange y_limits() const override;
  // Ctrl+drag selects a range of addresses.
  bool can_drag(const QPointF& pixel, Qt::KeyboardModifiers keys) const override;
  void drag_move(const QPointF& from, const QPointF& to) override;
  void drag_end(const QPointF& from) override;

 private:
  const ArenaItem* item_at(const QPointF& pixel) const;
  const trace::SliceInfo* slice_of(const ArenaItem& item) const;
  const trace::GraphInfo* graph_of(const ArenaItem& item) const;  // null: unknown
  QString label(uint32_t tag, int lines) const;
  void outline(QCPPainter* painter, const Selection& selection, bool selected) const;
  void draw_peak(QCPPainter* painter) const;
  CursorReadout readout_at(const QPointF& pixel) const;
  FigureText tip_of_empty(const QPointF& pixel) const;
  FigureText tip_of_space(const ArenaItem& item) const;
  FigureText tip_of_free(const trace::Space& space) const;
  void draw_bands(QCPPainter* painter) const;
  void add_colours(QMenu& menu);
  void update_header();
  void add_legend(HeaderContent& header) const;
  void update_space_header();

  RectPlottable *holes_, *ghosts_, *bodies_, *outlines_, *over_;
  std::shared_ptr<const ArenaPicture> picture_;
  std::optional<AddressRangeSelection> addresses_;  // while being dragged
  Bytes shown_top_ = -1;                            // the arena size for which the y range was set
};

}  // namespace arenascope::views
