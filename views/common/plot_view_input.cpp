// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard input of a PlotView: the wheel zooms, dragging pans, Shift+drag selects a range of steps, a click
// selects.
#include <views/common/plot_view.h>

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QTimer>
#include <QToolTip>
#include <cmath>
#include <utility>

namespace arenascope::views {

void PlotView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    setAccessibleName(view_name());
    retranslate();
    prepare();
  } else if (event->type() == QEvent::FontChange) {
    apply_theme();
  }
  QWidget::changeEvent(event);
}

void PlotView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (plot()->bufferDevicePixelRatio() != devicePixelRatioF()) plot()->setBufferDevicePixelRatio(devicePixelRatioF());
  apply_axis();
  if (stale_) prepare();
}

void PlotView::show_all() {
  context().axis->frame_all();
  if (y_moves()) y_axis()->setRange(y_limits());
  redraw();
}

bool PlotView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != plot()) return QWidget::eventFilter(watched, event);
  switch (event->type()) {
    case QEvent::Wheel: return wheel(static_cast<QWheelEvent*>(event));
    case QEvent::MouseButtonPress: return press(static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove: return move(static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease: return release(static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonDblClick: {
      const Selection picked = pick(static_cast<QMouseEvent*>(event)->position());
      if (!picked.empty()) {
        context().selection->select(picked);
        frame_selection();
        Q_EMIT activated(picked);
      } else {
        context().axis->frame_all();
      }
      return true;
    }
    case QEvent::Leave:
      context().selection->hover({});
      QToolTip::hideText();
      return false;
    case QEvent::ContextMenu: {  // by the mouse; the plot keeps it from its parent
      if (contextMenuPolicy() != Qt::CustomContextMenu) return false;
      Q_EMIT customContextMenuRequested(plot()->mapTo(this, static_cast<QContextMenuEvent*>(event)->pos()));
      return true;
    }
    case QEvent::Resize: QTimer::singleShot(0, this, [this] { axis_moved(); }); return false;
    case QEvent::ToolTip: {
      const auto* help = static_cast<QHelpEvent*>(event);
      const QString text = tip(help->pos()).text;
      if (text.isEmpty()) {
        QToolTip::hideText();
      } else {
        QToolTip::showText(help->globalPos(), text, plot());
      }
      return true;
    }
    default: return false;
  }
}

bool PlotView::wheel(QWheelEvent* event) {
  const QPoint angle = event->angleDelta();
  const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
  if (notches == 0) return true;
  if ((event->modifiers() & Qt::ShiftModifier) || (angle.x() != 0 && angle.y() == 0)) {
    context().axis->pan(-notches * 0.1);
  } else if (event->modifiers() & Qt::ControlModifier) {
    if (y_moves()) {
      const QCPRange limits = y_limits();
      const QCPRange now = y_axis()->range();
      const AxisRange to =
          zoomed({now.lower, now.upper}, std::pow(1.25, -notches), y_axis()->pixelToCoord(event->position().y()),
                 {limits.lower, limits.upper}, limits.size() * 1e-6);
      y_axis()->setRange(to.lo, to.hi);
      redraw();
    }
  } else {
    context().axis->zoom(std::pow(1.25, -notches), x_axis()->pixelToCoord(event->position().x()));
  }
  return true;
}

bool PlotView::press(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return false;
  pressed_ = event->position();
  pressed_range_ = context().axis->range();
  pressed_y_ = y_axis()->range();
  drag_ = event->button() == Qt::LeftButton && can_drag(pressed_, event->modifiers()) ? Drag::Own : Drag::Maybe;
  if (drag_ == Drag::Own) return true;
  if (event->modifiers() & Qt::ShiftModifier) {
    drag_ = Drag::Range;
    drag_from_ = x_axis()->pixelToCoord(pressed_.x());
    chosen_ = AxisRange{drag_from_, drag_from_};
  }
  return true;
}

bool PlotView::move(QMouseEvent* event) {
  const QPointF at = event->position();
  if (drag_ == Drag::Own) {
    drag_move(pressed_, at);
    return true;
  }
  if (drag_ == Drag::Maybe && (at - pressed_).manhattanLength() > 4) drag_ = Drag::Pan;
  if (drag_ == Drag::Pan) {
    const int width = std::max(plot()->axisRect()->width(), 1), height = std::max(plot()->axisRect()->height(), 1);
    const double delta = -(at.x() - pressed_.x()) / width * pressed_range_.length();
    if (y_moves()) {
      double dy = (at.y() - pressed_.y()) / height * pressed_y_.size();
      if (y_axis()->rangeReversed()) dy = -dy;
      const QCPRange limits = y_limits();
      const AxisRange to = panned({pressed_y_.lower, pressed_y_.upper}, dy, {limits.lower, limits.upper});
      y_axis()->setRange(to.lo, to.hi);
      redraw();
    }
    context().axis->set_range(panned(pressed_range_, delta, context().axis->limits()));
    return true;
  }
  if (drag_ == Drag::Range) {
    const double to = x_axis()->pixelToCoord(at.x());
    chosen_ = AxisRange{std::min(drag_from_, to), std::max(drag_from_, to)};
    redraw_overlay();
    return true;
  }
  if (event->buttons() == Qt::NoButton) {
    plot()->setCursor(can_drag(at, event->modifiers()) ? Qt::SplitVCursor : Qt::ArrowCursor);
    hover_at(at, event->globalPosition().toPoint());
  }
  return true;
}

bool PlotView::release(QMouseEvent* event) {
  const Drag was = std::exchange(drag_, Drag::None);
  if (was == Drag::None) return false;
  if (was == Drag::Own) {
    drag_end(pressed_);
    return true;
  }
  if (was == Drag::Range) {
    if (const auto range = std::exchange(chosen_, std::nullopt)) select_range(*range);
    redraw_overlay();
  } else if (was == Drag::Maybe) {
    context().selection->select(pick(event->position()));
    const QRect area = plot()->axisRect()->rect();
    if (area.contains(event->position().toPoint()) && context().axis->steps() > 0) {
      const double step = context().axis->frame().step_of_x(x_axis()->pixelToCoord(event->position().x()));
      context().axis->set_current(Step(std::clamp(static_cast<int>(std::floor(step)), 0, context().axis->steps() - 1)));
    }
  }
  return true;
}

// Selects steps if there are any; in traces without steps, and over several runs, time.
void PlotView::select_range(AxisRange range) {
  const AxisFrame& f = context().axis->frame();
  if (!context().axis->has_steps() || context().axis->frame().by_runs()) {
    const Nanoseconds begin = f.time_of_x(range.lo), end = f.time_of_x(range.hi);
    if (end > begin) context().selection->select(TimeRangeSelection{begin, end});
    return;
  }
  const int most = context().axis->steps();
  const int first = std::clamp(static_cast<int>(std::floor(f.step_of_x(range.lo))), 0, most);
  const int last = std::clamp(static_cast<int>(std::ceil(f.step_of_x(range.hi))), 0, most);
  if (last > first) context().selection->select(StepRangeSelection{Step(first), Step(last)});
}

void PlotView::hover_at(const QPointF& pixel, const QPoint& global) {
  context().selection->hover(pick(pixel));
  if (QToolTip::isVisible()) {  // a visible tooltip follows the pointer
    const QString text = tip(pixel).text;
    if (text.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(global, text, plot());
    }
  }
}

}  // namespace arenascope::views
