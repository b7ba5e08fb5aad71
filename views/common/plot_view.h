// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the occupancy, arena map, lifetimes and timeline views: a plot over the shared x axis (plot_canvas.h), mouse
// handling, and two phases of drawing. Preparation is a pure function that runs in the background for more than the
// visible range, so that panning needs no new data; drawing only paints the prepared result.
#pragma once
#include <views/common/background.h>
#include <views/common/export.h>
#include <views/common/figure.h>
#include <views/common/plot_canvas.h>
#include <views/common/prepare_input.h>
#include <views/common/prepared.h>

class QMenu;

namespace arenascope::views {

class PlotView : public PlotCanvas, public Paintable {
  Q_OBJECT
 public:
  ~PlotView() override;

  void set_context(const ViewContext& context);  // switches to another document; the theme is kept
  void paint(QPainter* painter, QSize size) override;
  void prepare_now();  // blocks until the view is up to date; for tests and exports
  // The item under a point of the plot, and its tooltip.
  virtual Selection pick(const QPointF& pixel) const = 0;
  virtual FigureText tip(const QPointF& pixel) const = 0;
  // Adds the view's display options to a context menu.
  virtual void add_context_menu_actions(QMenu&) {}

 public Q_SLOTS:
  void frame_selection();
  void show_all();  // including the y axis

 Q_SIGNALS:
  void activated(const arenascope::views::Selection& selection);  // double click
  void painted();                                                 // the data was repainted

 protected:
  using PrepareFunction = std::function<PreparedPtr(const PrepareInput&, std::stop_token)>;

  PlotView(const ViewContext& context, QWidget* parent);
  // Must be called by each view at the end of its constructor.
  void start();

  // Returns a pure function that runs on a worker; it must not refer to the view.
  virtual PrepareFunction prepare_function() const = 0;
  virtual void show_prepared(const PreparedPtr& prepared) = 0;  // stores the prepared data; does not draw
  void prepare();                                               // from the event loop, in the background
  // An item of the view itself that can be dragged: can_drag() tests whether it is at `pixel`, drag_move() is called
  // while dragging, drag_end() when the button is released.
  virtual bool can_drag(const QPointF&, Qt::KeyboardModifiers) const { return false; }
  virtual void drag_move(const QPointF& /*from*/, const QPointF& /*to*/) {}
  virtual void drag_end(const QPointF& /*from*/) {}

  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void listen();
  void show_nothing();
  PrepareInput input(AxisRange range, int pixels) const;
  void request();
  void take(const PreparedPtr& prepared);
  void show_fitted(const PreparedPtr& prepared);
  void axis_moved();
  bool covers(int pixels) const;
  bool is_prepared(int pixels) const;  // the current data is shown, at least at a resolution of `pixels`
  bool wheel(QWheelEvent* event);
  bool press(QMouseEvent* event);
  bool move(QMouseEvent* event);
  bool release(QMouseEvent* event);
  void select_range(AxisRange range);
  void hover_at(const QPointF& pixel, const QPoint& global);

  ConnectionScope connections_;
  Background background_;
  PreparedPtr prepared_;
  bool asked_ = false;  // prepare() will run from the event loop
  bool stale_ = true;   // the shown data is outdated
  QPointF pressed_;
  AxisRange pressed_range_;
  QCPRange pressed_y_;
  enum class Drag : uint8_t { None, Maybe, Pan, Range, Own } drag_ = Drag::None;
  double drag_from_ = 0;  // start of a range being selected, in x
};

// A plot with choices that belong to a document; they are kept while another one is shown.
template <class State>
class PlotViewWith : public PlotView {
 public:
  using ViewState = State;
  const State& view_state() const { return state_; }
  void set_view_state(const State& state) {
    if (state == state_) return;
    state_ = state;
    prepare();
  }

 protected:
  PlotViewWith(const ViewContext& context, QWidget* parent) : PlotView(context, parent) {}
  State state_;
};

}  // namespace arenascope::views
