// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/timeline/row_names.h>
#include <views/timeline/timeline_rows.h>
#include <views/timeline/timeline_view.h>

#include <cmath>
#include <utility>

namespace arenascope::views {

namespace {

// Splits a name that is too long for one line at a space; otherwise a single line.
std::pair<QString, QString> in_two(const QString& name, const QFontMetrics& metrics, int width) {
  for (qsizetype blank = name.lastIndexOf(u' '); blank > 0; blank = name.lastIndexOf(u' ', blank - 1))
    if (metrics.horizontalAdvance(name.first(blank)) <= width) return {name.first(blank), name.sliced(blank + 1)};
  return {name, {}};
}

}  // namespace

TimelineRows::TimelineRows(QCPAxis* x, QCPAxis* y, const TimelineView* view) : PlotLayer(x, y), view_(view) {
  setLayer(QStringLiteral("grid"));
}

QRect TimelineRows::clipRect() const {  // the names are left of the axis
  const QRect area = mKeyAxis->axisRect()->rect();
  return area.adjusted(-area.left(), 0, 0, 0);
}

void TimelineRows::draw(QCPPainter* p) {
  if (!view_->picture()) return;
  const QRect area = mKeyAxis->axisRect()->rect();
  const ThemeColours& c = view_->colours();
  p->setAntialiasing(false);
  p->setFont(mParentPlot->font());
  const QFontMetrics metrics = p->fontMetrics();
  const double over = view_->pinned_bottom();
  // Left of the axis, within the visible part of the row.
  const auto box_of = [&](const TimelineRow& row) {
    const QCPAxis* axis = view_->axis_of(-row.top - row.height / 2);
    const double bottom = axis->coordToPixel(-row.top - row.height);
    const double top = axis == mValueAxis ? std::max(axis->coordToPixel(-row.top), over) : axis->coordToPixel(-row.top);
    if (bottom < std::max<double>(area.top(), top) || top > area.bottom()) return QRectF();
    const double first = std::max<double>(top, area.top());
    return QRectF(8, first, area.left() - 16, std::min<double>(bottom, area.bottom()) - first);
  };
  const double lowest = metrics.height() * 0.8;
  QStringList visible;
  for (const TimelineRow& row : view_->picture()->rows)
    if (row.track.valid() && box_of(row).height() >= lowest) visible << view_->row_name(row);
  RowNames names(std::move(visible), metrics, area.left() - 16);
  for (const TimelineRow& row : view_->picture()->rows) {
    const QRectF box = box_of(row);
    if (box.isNull()) continue;
    const QCPAxis* axis = view_->axis_of(-row.top - row.height / 2);
    const int line = static_cast<int>(std::lround(axis->coordToPixel(-row.top - row.height)));
    if (line <= area.bottom()) p->fillRect(QRect(6, line, area.right() - 6, 1), c.grid);
    if (box.height() < lowest) continue;
    const bool two =
        row.track.valid() && box.height() >= 2 * metrics.height() + 2 && row.share.busy + row.share.waiting > 0;
    const int width = static_cast<int>(box.width());
    p->setPen(row.track.valid() && !row.other ? c.text : c.dim_text);
    QFont font = mParentPlot->font();
    font.setBold(row.pinned);
    p->setFont(font);
    if (row.other)
      p->fillRect(QRect(2, static_cast<int>(box.top()) + 1, 2, static_cast<int>(box.height()) - 2), c.category(1));
    std::pair<QString, QString> name{names.without_program(view_->row_name(row)), {}};
    if (!two && box.height() >= 2 * metrics.height() && metrics.horizontalAdvance(name.first) > width)
      name = in_two(name.first, metrics, width);
    const double middle = box.center().y();
    const QRectF first(box.left(),
                       two || !name.second.isEmpty() ? middle - metrics.height() : middle - metrics.height() / 2.0,
                       width, metrics.height());
    p->drawText(first, Qt::AlignRight | Qt::AlignVCenter, names.elided(name.first));
    p->drawText(first.translated(0, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
                metrics.elidedText(name.second, Qt::ElideMiddle, width));
    p->setFont(mParentPlot->font());
    if (!two) continue;
    p->setPen(c.dim_text);
    p->drawText(
        first.translated(0, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
        metrics.elidedText(TimelineView::tr("%1 busy").arg(format_percent(row.share.busy)), Qt::ElideRight, width));
  }
}

TimelinePinnedGround::TimelinePinnedGround(QCPAxis* x, QCPAxis* y, const TimelineView* view)
    : PlotLayer(x, y), view_(view) {}

void TimelinePinnedGround::draw(QCPPainter* p) {
  view_->pinned_spans()->setVisible(view_->pinned_rows_cover());
  if (!view_->pinned_rows_cover()) return;
  const QRect area = mKeyAxis->axisRect()->rect();
  p->setAntialiasing(false);
  const int bottom = static_cast<int>(std::lround(view_->pinned_bottom()));
  p->fillRect(QRect(area.left(), area.top(), area.width(), bottom - area.top()), view_->colours().background);
  p->fillRect(QRect(area.left(), bottom, area.width(), 2), view_->colours().dim_text);
}

}  // namespace arenascope::views
