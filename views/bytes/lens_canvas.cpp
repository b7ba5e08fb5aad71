// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/bytes/lens_canvas.h>

#include <views/bytes/lens_text.h>
#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

constexpr double kOperation = 30, kLegend = 26;
constexpr int kFontPixels = 12;
constexpr double kMaxScale = 1.7;

double whole_height(const LensPicture& picture) { return kOperation + picture.height + kLegend; }

}  // namespace

LensCanvas::LensCanvas(Theme* theme, QWidget* parent) : QAbstractScrollArea(parent), theme_(theme) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Byte lens"));
  connect(theme_, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void LensCanvas::set_frame(const lesson::LensFrame& frame, const QString& operation) {
  frame_ = frame;
  operation_ = operation;
  setAccessibleDescription(operation);
  arrange();
  show_current();
}

// A small picture is enlarged, as long as all of it fits.
LensCanvas::Layout LensCanvas::layout_for(QSize size) const {
  LensPicture plain = lens_picture(frame_, size.width());
  const double scale = std::min(size.height() / std::max(whole_height(plain), 1.0), kMaxScale);
  if (scale <= 1) return {std::move(plain), 1};
  LensPicture enlarged = lens_picture(frame_, size.width() / scale);
  if (whole_height(enlarged) * scale > size.height()) return {std::move(plain), 1};
  return {std::move(enlarged), scale};
}

void LensCanvas::arrange() {
  layout_ = layout_for(viewport()->size());
  const int height = static_cast<int>(whole_height(layout_.picture) * layout_.scale);
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(40);
  viewport()->update();
}

// Scrolls to the cells that the operation concerns.
void LensCanvas::show_current() {
  for (const LensBox& box : layout_.picture.boxes) {
    if (!frame_.strips[box.strip].cells[box.cell].current) continue;
    const int top = static_cast<int>((box.rect.top() + kOperation) * layout_.scale) - 40;
    const int bottom = static_cast<int>((box.rect.bottom() + kOperation) * layout_.scale) + 16;
    QScrollBar* bar = verticalScrollBar();
    if (top < bar->value() || bottom > bar->value() + viewport()->height()) bar->setValue(top);
    return;
  }
}

void LensCanvas::resizeEvent(QResizeEvent*) { arrange(); }

QColor LensCanvas::colour_of(lesson::CellKind kind) const {
  const ThemeColours& c = theme_->colours();
  switch (kind) {
    case lesson::CellKind::Free:
    case lesson::CellKind::Unvisited: return c.panel;
    case lesson::CellKind::Data: return c[Role::Work];
    case lesson::CellKind::Header: return c[Role::Input];
    case lesson::CellKind::Description: return c[Role::Weight];
    case lesson::CellKind::Table: return c[Role::Allocation];
    case lesson::CellKind::Padding: return mixed(c[Role::Hole], c.background, 0.5);
    case lesson::CellKind::Deferred: return c[Role::Wait];
    case lesson::CellKind::Scale: return c[Role::Output];
    case lesson::CellKind::Value: return c[Role::Copy];
  }
  return c.panel;
}

void LensCanvas::draw_box(QPainter& painter, const LensBox& box) const {
  const ThemeColours& c = theme_->colours();
  const lesson::LensCell& cell = frame_.strips[box.strip].cells[box.cell];
  const QColor fill = colour_of(cell.kind);
  painter.fillRect(box.rect, fill);
  if (cell.kind == lesson::CellKind::Padding) painter.fillRect(box.rect, hatch_brush(Hatch::Dots, c.text));
  if (cell.kind == lesson::CellKind::Deferred)
    painter.fillRect(box.rect, hatch_brush(Hatch::Diagonal, ThemeColours::text_on(fill)));
  painter.setPen(QPen(c.axis, 1));
  painter.setBrush(Qt::NoBrush);
  if (box.rect.width() > 3) painter.drawRect(box.rect);
  if (cell.current) {
    painter.setPen(QPen(c.selection_outer, 3));
    painter.drawRect(box.rect.adjusted(1, 1, -1, -1));
  }
  if (cell.label.empty() || !box.begins) return;
  const QString text = painter.fontMetrics().elidedText(QString::fromStdString(cell.label), Qt::ElideMiddle,
                                                        static_cast<int>(box.rect.width()) - 4);
  if (text.isEmpty() || text == QStringLiteral("…")) return;
  painter.setPen(ThemeColours::text_on(fill));
  painter.drawText(box.rect, Qt::AlignCenter, text);
}

// An arc below the cells.
void LensCanvas::draw_arrow(QPainter& painter, const LensArrow& arrow) const {
  const double sag = std::abs(arrow.to.x() - arrow.from.x()) > 1 ? 12 : 4;
  QPainterPath path(arrow.from);
  path.cubicTo(arrow.from + QPointF(0, sag), arrow.to + QPointF(0, sag), arrow.to);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_->colours().text, 1.4));
  painter.drawPath(path);
  painter.drawLine(arrow.to, arrow.to + QPointF(-3, 6));
  painter.drawLine(arrow.to, arrow.to + QPointF(3, 6));
}

double LensCanvas::draw_legend(QPainter& painter, const LensPicture& picture, double y) const {
  double x = 14;
  for (const lesson::CellKind kind : picture.kinds) {
    const QString text = LensText::kind(kind);
    painter.fillRect(QRectF(x, y + 6, 14, 12), colour_of(kind));
    painter.setPen(theme_->colours().axis);
    painter.drawRect(QRectF(x, y + 6, 14, 12));
    painter.setPen(theme_->colours().text);
    const double width = painter.fontMetrics().horizontalAdvance(text);
    painter.drawText(QRectF(x + 20, y, width + 4, 24), Qt::AlignVCenter, text);
    x += width + 40;
  }
  return y + kLegend;
}

void LensCanvas::draw(QPainter& painter, const Layout& layout, QSize size, int from) const {
  const LensPicture& picture = layout.picture;
  const ThemeColours& c = theme_->colours();
  painter.fillRect(QRect({0, 0}, size), c.background);
  painter.setRenderHint(QPainter::Antialiasing);
  QFont font = painter.font();
  font.setPixelSize(kFontPixels);
  painter.setFont(font);
  painter.save();
  painter.translate(0, -from);
  painter.scale(layout.scale, layout.scale);
  painter.setPen(c.text);
  painter.drawText(QRectF(14, 4, size.width() / layout.scale - 28, kOperation - 4), Qt::AlignVCenter | Qt::TextWordWrap,
                   operation_);
  painter.translate(0, kOperation);
  for (const QRectF& row : picture.rows) {
    painter.fillRect(row, c.panel);
    painter.setPen(QPen(c.grid, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(row);
  }
  for (const LensBox& box : picture.boxes) draw_box(painter, box);
  for (const LensLabel& label : picture.labels) {
    painter.setPen(label.heading ? c.text : c.dim_text);
    painter.drawText(label.rect, Qt::AlignLeft | Qt::AlignVCenter, label.text);
  }
  for (const LensArrow& arrow : picture.arrows) draw_arrow(painter, arrow);
  draw_legend(painter, picture, picture.height);
  painter.restore();
}

void LensCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  draw(painter, layout_, viewport()->size(), verticalScrollBar()->value());
}

void LensCanvas::paint(QPainter* painter, QSize size) {
  painter->save();
  painter->setClipRect(QRect({0, 0}, size));
  draw(*painter, layout_for(size), size, 0);
  painter->restore();
}

bool LensCanvas::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QPointF at = (help->pos() + QPointF(0, verticalScrollBar()->value())) / layout_.scale;
  const LensBox* box = layout_.picture.box_at(at - QPointF(0, kOperation));
  if (box == nullptr) {
    QToolTip::hideText();
    return true;
  }
  const lesson::LensStrip& strip = frame_.strips[box->strip];
  const lesson::LensCell& cell = strip.cells[box->cell];
  QToolTip::showText(help->globalPos(),
                     tr("%1 %2\n[%3, %4) of %5")
                         .arg(LensText::kind(cell.kind), QString::fromStdString(cell.label))
                         .arg(cell.begin)
                         .arg(cell.begin + cell.length)
                         .arg(LensText::strip(strip)),
                     this);
  return true;
}

}  // namespace arenascope::views
