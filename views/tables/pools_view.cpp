// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tables/pools_view.h>

#include <views/common/format.h>
#include <views/common/spaces.h>
#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <tuple>

namespace arenascope::views {
namespace {
constexpr double kBarLine = 22, kBarHeight = 16, kBarsLeft = 8, kBarText = 190, kBarsTop = 6;
}  // namespace

PoolsView::PoolsView(SessionSource* source, Theme* theme, QWidget* parent)
    : QAbstractScrollArea(parent), source_(source), theme_(theme) {
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Pools"));
  setAccessibleDescription(tr("Memory held by allocators, block by block. The table next to it has the same content."));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  listen();
  connect(theme_, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
  take();
}

void PoolsView::set_context(const ViewContext& context) {
  source_ = context.source;
  listen();
  take();
}

void PoolsView::listen() {
  connect(source_, &SessionSource::changed, connections_.reset(), [this] {
    if (isVisible()) take();
  });
}

void PoolsView::take() {
  rows_ = pool_rows(*source_->snapshot());
  std::stable_sort(rows_.begin(), rows_.end(), [](const PoolRow& a, const PoolRow& b) {
    const auto rank = [](const PoolRow& row) {
      const int use = row.storage == trace::StorageType::Dynamic    ? 0
                      : row.storage == trace::StorageType::Separate ? 1
                                                                    : 2;
      return std::tuple(use, row.image.valid(), -row.bytes);
    };
    return rank(a) < rank(b);
  });
  update_scroll_bar();
  viewport()->update();
}

std::vector<PoolsView::Bar> PoolsView::bars(int width) const {
  std::vector<Bar> out;
  Bytes largest = 1;
  for (const PoolRow& row : rows_) largest = std::max(largest, row.bytes);
  const double room = std::max(width - kBarsLeft - kBarText - 12.0, 40.0);
  double y = kBarsTop;
  QString heading;
  for (const PoolRow& row : rows_) {
    Bar bar;
    bar.row = row;
    const QString own =
        row.image.valid() ? tr("images, %1").arg(pool_use_text(row)) : tr("buffers, %1").arg(pool_use_text(row));
    if (own != heading) {
      bar.heading = heading = own;
      y += kBarLine;
    }
    const auto wide = [&](Bytes bytes) { return room * static_cast<double>(bytes) / static_cast<double>(largest); };
    const double left = kBarsLeft + kBarText;
    bar.whole = QRectF(left, y, wide(row.bytes), kBarHeight);
    bar.requested = QRectF(left, y, wide(std::min(row.requested(), row.bytes)), kBarHeight);
    bar.waste = QRectF(bar.requested.right(), y, wide(row.waste()), kBarHeight);
    y += kBarLine;
    out.push_back(std::move(bar));
  }
  return out;
}

void PoolsView::update_scroll_bar() {
  const auto all = bars(viewport()->width());
  const double height = all.empty() ? 0 : all.back().whole.bottom() + 12;
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(height) - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(static_cast<int>(kBarLine));
}

// Changes while it was hidden were not taken.
void PoolsView::showEvent(QShowEvent*) { take(); }

void PoolsView::resizeEvent(QResizeEvent*) { update_scroll_bar(); }

void PoolsView::draw(QPainter& painter, QSize size, int from) const {
  const ThemeColours& colours = theme_->colours();
  painter.fillRect(QRect({0, 0}, size), colours.background);
  QFont font = painter.font();
  font.setPixelSize(11);
  painter.setFont(font);
  if (rows_.empty()) {
    painter.setPen(colours.dim_text);
    painter.drawText(QRect({0, 0}, size), Qt::AlignCenter, tr("No allocator holds any memory."));
    return;
  }
  painter.save();
  painter.translate(0, -from);
  const QFontMetricsF metrics(font);
  for (const Bar& bar : bars(size.width())) {
    if (bar.whole.bottom() < from || bar.whole.top() - kBarLine > from + size.height()) continue;
    if (!bar.heading.isEmpty()) {
      painter.setPen(colours.dim_text);
      painter.drawText(QRectF(kBarsLeft, bar.whole.top() - kBarLine, size.width() - 2 * kBarsLeft, kBarLine),
                       Qt::AlignVCenter, bar.heading);
    }
    const QColor kind = bar.row.storage == trace::StorageType::Static ? colours[Role::Weight] : colours[Role::Work];
    const QString text = bar.row.tensor.isEmpty() ? DisplayNames::kind(bar.row.kind) : bar.row.tensor;
    painter.setPen(colours.text);
    painter.drawText(QRectF(kBarsLeft, bar.whole.top(), kBarText - 66, kBarHeight), Qt::AlignVCenter,
                     metrics.elidedText(text, Qt::ElideMiddle, kBarText - 66));
    painter.drawText(QRectF(kBarsLeft + kBarText - 64, bar.whole.top(), 58, kBarHeight),
                     Qt::AlignRight | Qt::AlignVCenter, format_bytes(bar.row.bytes));
    painter.setPen(Qt::NoPen);
    if (bar.row.used > 0)
      painter.fillRect(bar.requested, kind);
    else
      painter.fillRect(bar.whole, hatch_brush(Hatch::Dots, colours[Role::Hole]));
    painter.fillRect(bar.waste, hatch_brush(Hatch::Diagonal, colours.dim_text));
    painter.setPen(QPen(mixed(kind, colours.text, 0.2), 1));
    painter.drawRect(bar.whole);
  }
  painter.restore();
}

void PoolsView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  draw(painter, viewport()->size(), verticalScrollBar()->value());
}

void PoolsView::paint(QPainter* painter, QSize size) {
  take();
  painter->save();
  painter->setClipRect(QRect({0, 0}, size));
  draw(*painter, size, 0);
  painter->restore();
}

bool PoolsView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const QPointF at = help->pos() + QPointF(0, verticalScrollBar()->value());
  for (const Bar& bar : bars(viewport()->width())) {
    if (at.y() < bar.whole.top() || at.y() > bar.whole.bottom()) continue;
    const PoolRow& row = bar.row;
    QToolTip::showText(
        help->globalPos(),
        tr("%1, %2\nblock %3, requested %4, waste %5\nallocated %6 times")
            .arg(pool_storage_text(row), pool_use_text(row), format_bytes_exact(row.bytes),
                 format_bytes_exact(row.requested()), format_bytes_exact(row.waste()), format_count(row.uses)),
        this);
    return true;
  }
  QToolTip::hideText();
  return true;
}

}  // namespace arenascope::views
