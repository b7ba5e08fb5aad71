// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/bytes/lens_canvas.h>

#include <views/bytes/lens_text.h>
#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QStyle>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace arenascope::views {
namespace {

constexpr int kFontPixels = 12;
constexpr double kMaxScale = 1.7;

}  // namespace

LensCanvas::LensCanvas(Theme* theme, QWidget* parent) : QAbstractScrollArea(parent), theme_(theme) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Byte lens"));
  connect(theme_, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
  morph_.setStartValue(0.0);
  morph_.setEndValue(1.0);
  connect(&morph_, &QVariantAnimation::valueChanged, viewport(), [this] { viewport()->update(); });
}

void LensCanvas::set_frame(const lesson::LensFrame& frame, const QString& operation,
                           const std::set<lesson::CellKind>& kinds) {
  const lesson::LensFrame before = std::exchange(frame_, frame);
  const Layout layout = layout_;
  kinds_ = kinds;
  operation_ = operation;
  setAccessibleDescription(operation);
  arrange();
  show_current();
  begin_morph(before, layout);
}

LensCanvas::CellKey LensCanvas::key_of(const lesson::LensFrame& frame, const LensBox& box) {
  const lesson::LensStrip& strip = frame.strips[box.strip];
  const lesson::LensCell& cell = strip.cells[box.cell];
  // Cells with equal labels are counted.
  const auto equal = cell.label.empty() ? cell.begin
                                        : std::ranges::count(strip.cells.begin(), strip.cells.begin() + box.cell,
                                                             cell.label, &lesson::LensCell::label);
  return {strip.title, cell.label, equal, box.row};
}

void LensCanvas::begin_morph(const lesson::LensFrame& before, const Layout& layout) {
  morph_.stop();
  before_.clear();
  if (pace_ <= 0 || !isVisible() || style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) <= 0)
    return;
  const double scale = layout.scale / layout_.scale;
  for (const LensBox& box : layout.picture.boxes) {
    const QRectF& at = box.rect;
    before_[key_of(before, box)] = QRectF(at.left() * scale, (at.top() + layout.above) * scale - layout_.above,
                                          at.width() * scale, at.height() * scale);
  }
  morph_.setDuration(pace_);
  morph_.start();
}

QRectF LensCanvas::shown_rect(size_t box) const {
  const LensBox& shown = layout_.picture.boxes[box];
  if (!morphing()) return shown.rect;
  const auto at = before_.find(key_of(frame_, shown));
  const double t = morph_.currentValue().toDouble();
  const QRectF to = shown.rect;
  // A new cell grows from its left edge.
  const QRectF from = at == before_.end() ? QRectF(to.left(), to.top(), 0, to.height()) : at->second;
  const auto mix = [t](double a, double b) { return a + (b - a) * t; };
  return {mix(from.left(), to.left()), mix(from.top(), to.top()), mix(from.width(), to.width()),
          mix(from.height(), to.height())};
}

// A small picture is enlarged, as long as all of it fits.
LensCanvas::Layout LensCanvas::layout_for(QSize size) const {
  const auto layout = [&](double scale) {
    const double width = size.width() / scale;
    return Layout{lens_picture(frame_, width, kinds_), scale, LensPicture::text_height(operation_, width)};
  };
  Layout plain = layout(1);
  const double scale = std::min(size.height() / std::max(plain.height(), 1.0), kMaxScale);
  if (scale <= 1) return plain;
  Layout enlarged = layout(scale);
  return enlarged.height() * scale > size.height() ? plain : enlarged;
}

void LensCanvas::arrange() {
  layout_ = layout_for(viewport()->size());
  const int height = static_cast<int>(layout_.height() * layout_.scale);
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(40);
  viewport()->update();
}

// Scrolls to the cells that the operation concerns.
void LensCanvas::show_current() {
  for (const LensBox& box : layout_.picture.boxes) {
    if (!frame_.strips[box.strip].cells[box.cell].current) continue;
    const int top = static_cast<int>((box.rect.top() + layout_.above) * layout_.scale) - 40;
    const int bottom = static_cast<int>((box.rect.bottom() + layout_.above) * layout_.scale) + 16;
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
    case lesson::CellKind::Value:
    case lesson::CellKind::SetBit: return c[Role::Copy];
    case lesson::CellKind::ClearBit: return c.panel;
    case lesson::CellKind::LowerBound:
    case lesson::CellKind::Activation: return c[Role::Work];
    case lesson::CellKind::TwoLevel:
    case lesson::CellKind::WeightCopy: return c[Role::Wait];
    case lesson::CellKind::MaxBlock:
    case lesson::CellKind::Gradient: return c[Role::Input];
    case lesson::CellKind::BinaryBlock: return c[Role::Copy];
    case lesson::CellKind::NoReuse: return mixed(c[Role::Hole], c.background, 0.5);
    case lesson::CellKind::Output: return c[Role::Output];
  }
  return c.panel;
}

void LensCanvas::draw_box(QPainter& painter, const LensBox& box, const QRectF& rect) const {
  const ThemeColours& c = theme_->colours();
  const lesson::LensCell& cell = frame_.strips[box.strip].cells[box.cell];
  const QColor fill = colour_of(cell.kind);
  painter.fillRect(rect, fill);
  if (cell.kind == lesson::CellKind::Padding) painter.fillRect(rect, hatch_brush(Hatch::Dots, c.text));
  if (cell.kind == lesson::CellKind::Deferred)
    painter.fillRect(rect, hatch_brush(Hatch::Diagonal, ThemeColours::text_on(fill)));
  painter.setPen(QPen(c.axis, 1));
  painter.setBrush(Qt::NoBrush);
  if (rect.width() > 3) painter.drawRect(rect);
  if (cell.current) {
    painter.setPen(QPen(c.selection_outer, 3));
    painter.drawRect(rect.adjusted(1, 1, -1, -1));
  }
  if (cell.label.empty() || !box.begins) return;
  const QString text = painter.fontMetrics().elidedText(QString::fromStdString(cell.label), Qt::ElideMiddle,
                                                        static_cast<int>(rect.width()) - 4);
  if (text.isEmpty() || text == QStringLiteral("…")) return;
  painter.setPen(ThemeColours::text_on(fill));
  painter.drawText(rect, Qt::AlignCenter, text);
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

void LensCanvas::draw_legend(QPainter& painter, const LensPicture& picture) const {
  for (const LensKey& key : picture.legend) {
    const QRectF square(key.rect.left(), key.rect.top() + 6, 14, 12);
    painter.fillRect(square, colour_of(key.kind));
    painter.setPen(theme_->colours().axis);
    painter.drawRect(square);
    painter.setPen(theme_->colours().text);
    painter.drawText(key.rect.adjusted(20, 0, 0, 0), Qt::AlignVCenter, LensText::kind(key.kind));
  }
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
  painter.drawText(QRectF(14, 4, size.width() / layout.scale - 28, layout.above - 4),
                   Qt::AlignVCenter | Qt::TextWordWrap, operation_);
  painter.translate(0, layout.above);
  for (const QRectF& row : picture.rows) {
    painter.fillRect(row, c.panel);
    painter.setPen(QPen(c.grid, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(row);
  }
  const bool moves = &layout == &layout_;  // an export shows where the cells are in the end
  for (size_t i = 0; i < picture.boxes.size(); ++i)
    draw_box(painter, picture.boxes[i], moves ? shown_rect(i) : picture.boxes[i].rect);
  for (const LensLabel& label : picture.labels) {
    painter.setPen(label.heading ? c.text : c.dim_text);
    painter.drawText(label.rect, Qt::AlignLeft | Qt::AlignVCenter, label.text);
  }
  for (const LensArrow& arrow : picture.arrows) draw_arrow(painter, arrow);
  draw_legend(painter, picture);
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
  const LensBox* box = layout_.picture.box_at(at - QPointF(0, layout_.above));
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
