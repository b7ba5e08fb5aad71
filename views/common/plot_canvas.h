// SPDX-License-Identifier: GPL-3.0-or-later
// A plot over the shared x axis, without what is drawn in it: the header, margins, ticks and colours, the overlay with
// playhead and selected ranges, and what a selection means on the axis.
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
  double last_frame_ms() const { return plot_->replotTime(); }
  // Pixels of what is drawn for each logical one; the screen's own unless a picture is to have more. Draws at once.
  void set_pixel_ratio(double ratio);

 protected:
  PlotCanvas(const ViewContext& context, QWidget* parent);

  virtual void restyle() = 0;                          // the theme is another
  virtual void draw_overlay(QCPPainter* painter) = 0;  // in the plot's overlay layer
  virtual void retranslate() {}
  // Why a view of what is open has nothing in it; empty: it has something, or nothing is open.
  virtual QString nothing_to_show() const { return {}; }
  // Whether dragging and Ctrl+wheel move and zoom the y axis too, and within what.
  virtual QCPRange y_limits() const { return {0, 0}; }
  virtual bool y_moves() const { return false; }
  // The steps or the time in which a selection lives, as a range of x.
  virtual std::optional<AxisRange> range_of(const Selection& selection) const;

  const ViewContext& context() const { return context_; }
  void use_context(const ViewContext& context) { context_ = context; }
  QCPAxis* x_axis() const { return plot_->xAxis; }
  QCPAxis* y_axis() const { return plot_->yAxis; }
  void set_header(HeaderContent content);
  void redraw();          // soon
  void redraw_overlay();  // soon; repaints no data
  void draw_playhead(QCPPainter* painter) const;
  void draw_notes(QCPPainter* painter) const;
  // A range of x over the whole height: what is selected, or lightly what is under the pointer.
  void draw_range(QCPPainter* painter, AxisRange range, bool selected) const;
  // Ranges of the selection and of what is hovered, as draw_range.
  void draw_selected_ranges(QCPPainter* painter) const;

  void lay_out();  // gives the plot's parts their places now
  void apply_axis();
  void apply_theme();
  static constexpr int kSideMargins = 96 + 14;  // left and right of the axes

  std::optional<AxisRange> chosen_;  // a range of x that is being chosen
  bool painting_ = false;            // into a picture, where nothing hovers

 private:
  ViewContext context_;
  QCustomPlot* plot_;
  Header* header_;
  OverlayPlottable* overlay_;
  bool overlay_asked_ = false;
};

}  // namespace arenascope::views
