// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse input in plotted views.
#pragma once
#include <views/common/plot_view.h>

#include <QApplication>
#include <QWheelEvent>

namespace arenascope::test {

// The centre of a rectangle in plot coordinates, in pixels of the plot widget.
inline QPoint middle_of(const views::PlotView& view, const views::Rect& r) {
  return {static_cast<int>(view.plot()->xAxis->coordToPixel((r.x0 + r.x1) / 2)),
          static_cast<int>(view.plot()->yAxis->coordToPixel((r.y0 + r.y1) / 2))};
}

inline void wheel(QWidget* at, QPoint pos, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QWheelEvent event(pos, at->mapToGlobal(pos), QPoint(), QPoint(0, 120 * notches), Qt::NoButton, modifiers,
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(at, &event);
}

}  // namespace arenascope::test
