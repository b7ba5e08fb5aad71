// SPDX-License-Identifier: GPL-3.0-or-later
// A plot over the shared x axis without its data: header, margins, ticks and colours, the overlay with the playhead and
// selected ranges, and the range of x that a selection covers.
#pragma once
#include <views/common/header.h>
#include <views/common/view_context.h>

#include <QWidget>

namespace arenascope::views {

class PlotCanvas : public QWidget {
  Q_OBJECT
 public:
  QCustomPlot* plot() const { return plot_; }
  const HeaderContent& header() const { return header_->content(); }
  const ThemeColours& colours() const { return context_.theme->colours(); }
  virtual QString view_name() const = 0;
  // Milliseconds of the last repaint of the data.
  QString reason_if_empty() const;  // one sentence; empty if there is something to show, or no document
  double last_frame_ms() const { return plot_->replotTime(); }
  // Device pixels per logical pixel; defaults to the screen's ratio and is set for exports. Repaints immediately.
  void set_pixel_ratio(double ratio);

 protected:
  PlotCanvas(const ViewContext& context, QWidget* parent);

  virtual void restyle() = 0;                          // applies the colours of the current theme
  virtual void draw_overlay(QCPPainter* painter) = 0;  // draws into the plot's overlay layer
  virtual void retranslate() {}
  // The message shown if the view has nothing to display for the open document; otherwise empty.
  virtual QString nothing_to_show() const { return {}; }
  // y_moves(): dragging and Ctrl+wheel also move and zoom the y axis, within y_limits().
  virtual QCPRange y_limits() const { return {0, 0}; }
  virtual bool y_moves() const { return false; }
  // The steps or time covered by a selection, as a range of x.
  virtual std::optional<AxisRange> range_of(const Selection& selection) const;

  const ViewContext& context() const { return context_; }
  void use_context(const ViewContext& context) { context_ = context; }
  QCPAxis* x_axis() const { return plot_->xAxis; }
  QCPAxis* y_axis() const { return plot_->yAxis; }
  void set_header(HeaderContent content);
  void redraw();          // from the event loop
  void redraw_overlay();  // from the event loop; does not repaint the data
  void draw_playhead(QCPPainter* painter) const;
  void draw_notes(QCPPainter* painter) const;
  // Highlights a range of x over the whole height: strongly if selected, lightly if hovered.
  void draw_range(QCPPainter* painter, AxisRange range, bool selected) const;
  // Draws the ranges of the selected and the hovered item with draw_range().
  void draw_selected_ranges(QCPPainter* painter) const;

  void lay_out();  // performs the plot's layout immediately
  void apply_axis();
  // All events are at one time, as in a memory snapshot without a history: there is no time to draw an axis of.
  bool shows_moment() const;
  void show_axes();  // hides those without values: of an empty plot, and the time of a single moment
  void apply_theme();
  static constexpr int kSideMargins = 96 + 14;  // left and right of the axis rectangle

  std::optional<AxisRange> chosen_;  // the range of x being selected with the mouse
  bool painting_ = false;            // exporting: hover is not drawn

 private:
  ViewContext context_;
  QCustomPlot* plot_;
  Header* header_;
  OverlayPlottable* overlay_;
  bool overlay_asked_ = false;
};

}  // namespace arenascope::views
