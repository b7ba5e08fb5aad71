// SPDX-License-Identifier: GPL-3.0-or-later
// One row per worker thread, device queue and copy engine: work spans, barrier waits (hatched), and the last arriver at
// each barrier.
#pragma once
#include <views/common/plot_view.h>
#include <views/timeline/timeline_flow.h>
#include <views/timeline/timeline_picture.h>

namespace arenascope::views {

struct TimelineViewState {
  std::set<std::string> pinned;  // track names
  TimelineColour colour = TimelineColour::Activity;
  bool operator==(const TimelineViewState&) const = default;
};

class TimelineView : public PlotViewWith<TimelineViewState> {
  Q_OBJECT
 public:
  explicit TimelineView(const ViewContext& context, QWidget* parent = nullptr);

  QString view_name() const override { return tr("Timeline"); }
  Selection pick(const QPointF& pixel) const override;
  FigureText tip(const QPointF& pixel) const override;
  const std::shared_ptr<const TimelinePicture>& picture() const { return picture_; }
  const RectPlottable* spans() const { return spans_; }
  // True if rows are scrolled and pinned rows cover others at the top.
  bool pinned_rows_cover() const;
  // The y axis for drawing: `y` is the upper edge of a row, or the middle of a span.
  const QCPAxis* axis_of(double y) const {
    return pinned_rows_cover() && y > -picture_->pinned_height ? top_ : y_axis();
  }
  double pinned_bottom() const { return pinned_rows_cover() ? top_->coordToPixel(-picture_->pinned_height) : -1e9; }
  RectPlottable* pinned_spans() const { return pinned_spans_; }
  QString row_name(const TimelineRow& row) const;
  // Puts rows of tracks with that name first.
  void pin_row(const QString& track, bool pinned);
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
  QRect rect_of(const Rect& span) const;  // visible part in pixels; empty if hidden by pinned rows
  const TimelineItem* item_at(const QPointF& pixel) const;
  QString label(uint32_t tag, int lines) const;
  void outline(QCPPainter* painter, const Selection& selection, bool selected) const;
  void draw_pauses(QCPPainter* painter) const;
  void draw_barriers(QCPPainter* painter) const;
  void draw_flow(QCPPainter* painter);
  const trace::Snapshot& snapshot_of(const TimelineItem& item) const;
  const trace::GraphInfo* graph_of(const TimelineItem& item) const;
  FigureText tip_of_cell(const TimelineItem& item) const;
  FigureText tip_of_span(const TimelineItem& item) const;
  FigureText tip_of_wait(const trace::Snapshot& s, const trace::Event& e, const std::string& whose) const;
  void fit_rows();
  void update_header();
  void add_legend(HeaderContent& h) const;
  void resizeEvent(QResizeEvent* event) override;

  RectPlottable* spans_;
  QCPAxis* top_;  // axis of pinned rows: like the y axis, but not scrolled
  RectPlottable* pinned_spans_;
  std::shared_ptr<const TimelinePicture> picture_;
  Flow flow_;  // flow of the selected node
  trace::GraphId flow_graph_;
  double shown_height_ = -1;  // total row height for which the y range was set
  int shown_pixels_ = -1;
};

}  // namespace arenascope::views
