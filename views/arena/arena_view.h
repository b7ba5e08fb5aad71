// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map: address against step or time. Outlines are the plan, bodies are what was really touched.
#pragma once
#include <views/arena/arena_picture.h>
#include <views/common/moment.h>

namespace arenascope::views {

class ArenaView : public PlotView {
  Q_OBJECT
 public:
  explicit ArenaView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Arena map"); }
  Selection pick(const QPointF& pixel) const override;
  FigureText tip(const QPointF& pixel) const override;
  const std::shared_ptr<const ArenaPicture>& picture() const { return picture_; }
  const RectPlottable* bodies() const { return bodies_; }
  // What is mapped: the plan's arena or spaces, and which of these.
  void set_shown(ArenaShow show, SpaceChoice choice);
  // Where spaces are shown: whether what the plan would need is drawn under them.
  void set_with_plan(bool shown);
  ArenaColour colour() const { return colour_; }
  void set_colour(ArenaColour colour);
  void add_choices(QMenu& menu) override;

 protected:
  Work work() const override;
  void show_prepared(const PreparedPtr& prepared) override;
  void restyle() override;
  QString nothing_to_show() const override;
  void draw_overlay(QCPPainter* painter) override;
  bool y_moves() const override { return true; }
  QCPRange y_limits() const override;
  // A range of addresses is chosen by Ctrl and dragging.
  bool can_grab(const QPointF& pixel, Qt::KeyboardModifiers keys) const override;
  void dragged(const QPointF& from, const QPointF& to) override;
  void dropped(const QPointF& from) override;

 private:
  const ArenaItem* item_at(const QPointF& pixel) const;
  const trace::SliceInfo* slice_of(const ArenaItem& item) const;
  const trace::GraphInfo* graph_of(const ArenaItem& item) const;  // null: nobody told it
  QString label(uint32_t tag, int lines) const;
  void outline(QCPPainter* painter, const Selection& selection, bool selected) const;
  void draw_peak(QCPPainter* painter) const;
  Moment moment_at(const QPointF& pixel) const;
  FigureText tip_of_nothing(const QPointF& pixel) const;
  FigureText tip_of_space(const ArenaItem& item) const;
  FigureText tip_of_free(const trace::Space& space) const;
  void draw_bands(QCPPainter* painter) const;
  void add_colours(QMenu& menu);
  void update_header();
  void add_legend(HeaderContent& header) const;
  void update_space_header();

  RectPlottable *holes_, *ghosts_, *bodies_, *outlines_, *over_;
  std::shared_ptr<const ArenaPicture> picture_;
  ArenaShow show_ = ArenaShow::Auto;
  SpaceChoice choice_;
  bool with_plan_ = false;
  std::optional<AddressRangeSelection> addresses_;  // as far as it was dragged
  ArenaColour colour_ = ArenaColour::Kind;
  Bytes shown_top_ = -1;  // the arena for which the y range was set
};

}  // namespace arenascope::views
