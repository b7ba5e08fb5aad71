// SPDX-License-Identifier: GPL-3.0-or-later
// What occupancy, arena map, lifetimes and timeline have in common: a plot over the shared x axis (plot_canvas.h), the
// mouse, and the two steps of drawing. Preparing is pure and runs in the background for more than is visible, so that
// panning draws what is there; drawing is dumb.
#pragma once
#include <views/common/background.h>
#include <views/common/export.h>
#include <views/common/figure.h>
#include <views/common/plot_canvas.h>

class QMenu;

namespace arenascope::views {

// A moment of all that a picture depends on, safe to hand to a worker.
struct PrepareInput {
  SnapshotPtr snapshot;
  std::shared_ptr<const trace::PlanInfo> shown_plan;  // keeps `plan` alive where it is not the snapshot's
  trace::RunId run;
  const trace::GraphInfo* graph = nullptr;
  const trace::PlanInfo* plan = nullptr;
  const trace::PlanInfo* ghost = nullptr;
  AxisFrame axis;                                                // its range is what to prepare
  int pixels = 1;                                                // over that range
  std::shared_ptr<const trace::PlanInfo> plan_before = nullptr;  // keeps `ghost` alive where it is not the snapshot's
  ComparisonPtr comparison = nullptr;                            // null: nothing is compared with

  // The same of what is compared with, on our axis. Only with a comparison.
  PrepareInput of_other() const;
};

// The base of each view's prepared picture.
struct Prepared {
  AxisRange covered{-1e300, 1e300};  // where it is complete
  double per_pixel = 0;              // its resolution in x; 0: exact
  AxisMode mode = AxisMode::Step;
  virtual ~Prepared() = default;
};
using PreparedPtr = std::shared_ptr<const Prepared>;

class PlotView : public PlotCanvas, public Paintable {
  Q_OBJECT
 public:
  ~PlotView() override;

  void set_context(const ViewContext& context);  // of another document; the theme stays
  void paint(QPainter* painter, QSize size) override;
  void prepare_now();  // for tests and exports: blocks until what is shown is up to date
  // What lies under a point of the plot, and the text about it.
  virtual Selection pick(const QPointF& pixel) const = 0;
  virtual FigureText tip(const QPointF& pixel) const = 0;
  // Puts into a context menu what of the data can be shown.
  virtual void add_choices(QMenu&) {}

 public Q_SLOTS:
  void frame_selection();
  void show_all();  // in y too

 Q_SIGNALS:
  void activated(const arenascope::views::Selection& selection);  // double click
  void painted();                                                 // the data was drawn anew

 protected:
  using Work = std::function<PreparedPtr(const PrepareInput&, std::stop_token)>;

  PlotView(const ViewContext& context, QWidget* parent);
  // Called by each view at the end of its constructor.
  void start();

  // A pure function to run elsewhere; it must not refer to the view.
  virtual Work work() const = 0;
  virtual void show_prepared(const PreparedPtr& prepared) = 0;  // takes it in; no drawing
  void prepare();                                               // soon, in the background
  // A thing of the view's own that can be dragged: whether it is at `pixel`, from where to where, and that it is let go.
  virtual bool can_grab(const QPointF&, Qt::KeyboardModifiers) const { return false; }
  virtual void dragged(const QPointF& /*from*/, const QPointF& /*to*/) {}
  virtual void dropped(const QPointF& /*from*/) {}

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
  bool is_prepared(int pixels) const;  // what is shown is of the newest data, and fine enough for so many
  bool wheel(QWheelEvent* event);
  bool press(QMouseEvent* event);
  bool move(QMouseEvent* event);
  bool release(QMouseEvent* event);
  void select_range(AxisRange range);
  void hover_at(const QPointF& pixel, const QPoint& global);

  ContextBond bond_;
  Background background_;
  PreparedPtr prepared_;
  bool asked_ = false;  // prepare() will run when control comes back to the event loop
  bool stale_ = true;   // what is shown is not of the newest data
  QPointF pressed_;
  AxisRange pressed_range_;
  QCPRange pressed_y_;
  enum class Drag : uint8_t { None, Maybe, Pan, Range, Own } drag_ = Drag::None;
  double drag_from_ = 0;  // of a range being chosen, in x
};

}  // namespace arenascope::views
