// SPDX-License-Identifier: GPL-3.0-or-later
#include "flame_canvas.h"

#include <views/common/flame_text.h>
#include <views/common/format.h>
#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

namespace arenascope::views {

using trace::FlameFrame;
using trace::FlameKind;

namespace {

constexpr double kTextFrom = 30;  // pixels of a box with a label
constexpr double kSmallChange = 0.005;

bool is_structure(FlameKind kind) {
  return kind == FlameKind::All || kind == FlameKind::Track || kind == FlameKind::Graph || kind == FlameKind::Layer;
}

// Frames of one file, op or span name share a colour.
std::string_view colour_key(FlameKind kind, std::string_view name) {
  if (kind == FlameKind::Node) return name.substr(0, name.find(' '));
  if (kind != FlameKind::Function) return name;
  const std::string_view file = name.substr(name.rfind(' ') + 1);
  return file.substr(0, file.find(':'));
}

size_t colour_number(std::string_view key) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash % 7;  // without the last category, which is black
}

}  // namespace

FlameCanvas::FlameCanvas(const Theme* theme, QWidget* parent) : QAbstractScrollArea(parent), theme_(theme) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  setMinimumSize(160, 60);
  connect(theme_, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

int FlameCanvas::row_height() const { return fontMetrics().height() + 4; }

void FlameCanvas::set_data(FlameDataPtr data) {
  const auto path = [this](uint32_t frame) { return data_ ? path_of(data_->tree, frame) : QStringList(); };
  const QStringList zoomed = path(zoomed_), current = path(current_), pressed = path(pressed_.value_or(0));
  data_ = std::move(data);
  zoomed_ = data_ ? frame_on_path(data_->tree, zoomed) : 0;
  current_ = data_ ? frame_on_path(data_->tree, current) : 0;
  if (data_ && path_of(data_->tree, current_) != current) current_ = 0;
  if (pressed_) pressed_ = data_ ? frame_on_path(data_->tree, pressed) : 0;
  if (pressed_ && (!data_ || path_of(data_->tree, *pressed_) != pressed)) pressed_.reset();
  match_ = {};
  lay_out();
  Q_EMIT zoom_changed();
}

void FlameCanvas::set_empty_text(const QString& text) {
  empty_text_ = text;
  viewport()->update();
}

void FlameCanvas::set_icicle(bool icicle) {
  icicle_ = icicle;
  lay_out();
  verticalScrollBar()->setValue(icicle ? 0 : verticalScrollBar()->maximum());
}

void FlameCanvas::set_match(FlameMatch match) {
  match_ = std::move(match);
  viewport()->update();
}

void FlameCanvas::zoom_to(uint32_t frame) {
  if (!data_ || frame >= data_->tree.frames.size()) return;
  zoomed_ = frame;
  lay_out();
  Q_EMIT zoom_changed();
}

void FlameCanvas::set_current(uint32_t frame) {
  if (!data_ || frame >= data_->tree.frames.size()) return;
  current_ = frame;
  show_current();
}

// A screen reader announces the frame, and its row is scrolled into view.
void FlameCanvas::show_current() {
  const auto box = std::ranges::find_if(layout_.boxes, [&](const FlameBox& b) { return b.contains(current_); });
  if (box != layout_.boxes.end()) {
    setAccessibleDescription(tip(*box));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    QScrollBar* bar = verticalScrollBar();
    const int top = static_cast<int>(box->rect.top()), bottom = static_cast<int>(box->rect.bottom());
    if (top < bar->value()) bar->setValue(top);
    if (bottom > bar->value() + viewport()->height()) bar->setValue(bottom - viewport()->height());
  }
  viewport()->update();
}

void FlameCanvas::lay_out() {
  hovered_ = -1;
  QScrollBar* bar = verticalScrollBar();
  const bool at_bottom = bar->value() == bar->maximum();
  layout_ = {};
  if (data_ && !data_->tree.empty())
    layout_ = lay_out_flame(data_->tree, zoomed_,
                            {static_cast<double>(viewport()->width()), static_cast<double>(row_height()), icicle_});
  bar->setRange(0, std::max(0, layout_.rows * row_height() - viewport()->height()));
  bar->setPageStep(viewport()->height());
  bar->setSingleStep(row_height());
  if (!icicle_ && at_bottom) bar->setValue(bar->maximum());
  viewport()->update();
}

// A flame graph that is lower than the view is aligned to its lower edge.
static int top_of(const QAbstractScrollArea& area, int height, bool icicle) {
  return area.verticalScrollBar()->value() - (icicle ? 0 : std::max(0, area.viewport()->height() - height));
}

std::vector<FlameBox> FlameCanvas::boxes() const {
  std::vector<FlameBox> out = layout_.boxes;
  const int top = top_of(*this, layout_.rows * row_height(), icicle_);
  for (FlameBox& box : out) box.rect.translate(0, -top);
  return out;
}

const FlameBox* FlameCanvas::box_at(const QPoint& point) const {
  const QPointF at = point + QPoint(0, top_of(*this, layout_.rows * row_height(), icicle_));
  const auto found = std::ranges::find_if(layout_.boxes, [&](const FlameBox& box) {
    return at.x() >= box.rect.left() && at.x() < box.rect.right() && at.y() >= box.rect.top() &&
           at.y() < box.rect.bottom();
  });
  return found == layout_.boxes.end() ? nullptr : &*found;
}

// --- drawing

QColor FlameCanvas::fill_of(const FlameBox& box) const {
  const ThemeColours& colours = theme_->colours();
  const FlameFrame& frame = data_->tree.frames[box.frame];
  if (!data_->in_other.empty()) {
    const double other = data_->in_other[box.frame], change = frame.total - other;
    const double share = change / std::max({frame.total, other, 1e-300});
    const QColor towards = colours[change > 0 ? Role::Wait : Role::Work];
    if (std::abs(share) < kSmallChange) return mixed(colours.background, colours.text, 0.14);
    return mixed(colours.background, towards, 0.25 + 0.6 * std::min(std::abs(share), 1.0));
  }
  const bool dimmed = !match_.matched.empty() && !match_.matched[box.frame];
  if (!match_.matched.empty() && !dimmed) return colours[Role::Output];
  const std::string& name = data_->tree.name(frame);
  const QColor own = is_structure(frame.kind) || frame.kind == FlameKind::NoStack
                         ? mixed(colours.background, colours.text, 0.16)
                         : mixed(colours.category(colour_number(colour_key(frame.kind, name))), colours.background,
                                 colours.dark ? 0.45 : 0.5);
  return dimmed ? mixed(own, colours.background, 0.65) : own;
}

QString FlameCanvas::difference_text(uint32_t frame) const {
  const double total = data_->tree.frames[frame].total, other = data_->in_other[frame];
  if (other <= 0) return tr("not in B");
  const double share = total / other - 1;
  if (std::abs(share) < kSmallChange) return tr("as in B");
  return (share > 0 ? QStringLiteral("+") : QStringLiteral("−")) + format_percent(std::abs(share));
}

QString FlameCanvas::label(const FlameBox& box) const {
  if (box.frames > 1) return {};
  const QString name = FlameText::name(data_->tree, box.frame);
  return data_->in_other.empty() ? name : name + QStringLiteral("  ") + difference_text(box.frame);
}

void FlameCanvas::draw_box(QPainter& painter, const FlameBox& box, const QRectF& rect) const {
  const ThemeColours& colours = theme_->colours();
  const QColor fill = fill_of(box);
  const QRectF inner = rect.adjusted(0, 0, rect.width() > 3 ? -1 : 0, -1);
  painter.fillRect(inner, fill);
  if (box.frames > 1) painter.fillRect(inner, hatch_brush(Hatch::Dots, mixed(fill, colours.text, 0.5)));
  const bool matched = !match_.matched.empty() && match_.matched[box.frame];
  if (matched && rect.width() > 4) {
    painter.setPen(QPen(colours.text, 1));
    painter.drawRect(inner.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  if (rect.width() < kTextFrom) return;
  const QString text = painter.fontMetrics().elidedText(label(box), Qt::ElideRight, static_cast<int>(rect.width()) - 8);
  painter.setPen(ThemeColours::text_on(fill));
  painter.drawText(inner.adjusted(4, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
}

void FlameCanvas::draw_outline(QPainter& painter, const FlameBox& box, const QRectF& rect) const {
  const ThemeColours& colours = theme_->colours();
  const bool hovered = hovered_ >= 0 && &layout_.boxes[static_cast<size_t>(hovered_)] == &box;
  painter.setBrush(Qt::NoBrush);
  if (current_ != 0 && box.contains(current_)) {
    painter.setPen(QPen(colours.selection_outer, 3));
    painter.drawRect(rect.adjusted(1.5, 1.5, -2.5, -2.5));
    painter.setPen(QPen(colours.selection_inner, 1));
    painter.drawRect(rect.adjusted(1.5, 1.5, -2.5, -2.5));
  } else if (hovered) {
    painter.setPen(QPen(colours.hover, 1));
    painter.drawRect(rect.adjusted(0.5, 0.5, -1.5, -1.5));
  }
}

void FlameCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const QRectF view = viewport()->rect();
  painter.fillRect(view, theme_->colours().background);
  if (layout_.boxes.empty()) {
    painter.setPen(theme_->colours().dim_text);
    painter.drawText(view.adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
    return;
  }
  const int top = top_of(*this, layout_.rows * row_height(), icicle_);
  for (const auto pass : {&FlameCanvas::draw_box, &FlameCanvas::draw_outline})
    for (const FlameBox& box : layout_.boxes)
      if (const QRectF rect = box.rect.translated(0, -top); rect.intersects(view)) (this->*pass)(painter, box, rect);
}

void FlameCanvas::draw(QPainter& painter, QSize size) const {
  painter.fillRect(QRect({0, 0}, size), theme_->colours().background);
  if (!data_ || data_->tree.empty()) {
    painter.setPen(theme_->colours().dim_text);
    painter.drawText(QRect({0, 0}, size), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
    return;
  }
  const FlameLayout all = lay_out_flame(
      data_->tree, zoomed_, {static_cast<double>(size.width()), static_cast<double>(row_height()), icicle_});
  const double down = icicle_ ? 0 : std::max(0, size.height() - all.rows * row_height());
  for (const FlameBox& box : all.boxes)
    if (box.rect.top() + down < size.height()) draw_box(painter, box, box.rect.translated(0, down));
}

QString FlameCanvas::tip(const FlameBox& box) const {
  const trace::FlameTree& tree = data_->tree;
  const FlameFrame& frame = tree.frames[box.frame];
  const double all = tree.root().total;
  const auto with_share = [&](double value) {
    return QStringLiteral("%1 (%2)").arg(FlameText::value(value, tree.unit), format_percent(value / all));
  };
  if (box.frames > 1) {
    double sum = 0;
    for (uint32_t i = 0; i < box.frames; ++i) sum += tree.frames[box.frame + i].total;
    return tr("%n narrow frame(s)", nullptr, static_cast<int>(box.frames)) + QStringLiteral("\n") +
           tr("total %1").arg(with_share(sum));
  }
  QStringList lines{FlameText::name(tree, box.frame), tr("total %1").arg(with_share(frame.total)),
                    tr("self %1").arg(with_share(frame.self))};
  if (box.frame == 0) lines.removeLast();
  if (frame.count > 0) lines << FlameText::count(frame.count, frame.kind);
  if (zoomed_ != 0 && frame.depth > tree.frames[zoomed_].depth)
    lines
        << tr("%1 of %2").arg(format_percent(frame.total / tree.frames[zoomed_].total), FlameText::name(tree, zoomed_));
  if (!data_->in_other.empty())
    lines << tr("in B %1: %2").arg(FlameText::value(data_->in_other[box.frame], tree.unit), difference_text(box.frame));
  return lines.join(u'\n');
}

// --- mouse and keys

void FlameCanvas::resizeEvent(QResizeEvent*) { lay_out(); }

void FlameCanvas::mousePressEvent(QMouseEvent* event) {
  const FlameBox* box = box_at(event->pos());
  pressed_ = box == nullptr ? std::nullopt : std::optional(box->frame);
  if (event->button() == Qt::RightButton && box != nullptr) set_current(box->frame);  // the context menu acts on it
}

void FlameCanvas::mouseMoveEvent(QMouseEvent* event) {
  const FlameBox* box = box_at(event->pos());
  const int64_t over = box == nullptr ? -1 : box - layout_.boxes.data();
  if (std::exchange(hovered_, over) != over) viewport()->update();
}

void FlameCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const FlameBox* box = box_at(event->pos());
  const auto pressed = std::exchange(pressed_, std::nullopt);
  if (event->button() != Qt::LeftButton || box == nullptr || pressed != box->frame) return;
  const uint32_t frame = box->frames > 1 ? data_->tree.frames[box->frame].parent : box->frame;
  current_ = frame;
  zoom_to(frame);
  show_current();
  Q_EMIT chosen(frame);
}

bool FlameCanvas::handles(int key) const {
  switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Backspace: return data_ && !data_->tree.empty();
    default: return false;
  }
}

// The frame that an arrow key leads to; itself if there is none.
uint32_t FlameCanvas::next_frame(int key) const {
  const trace::FlameTree& tree = data_->tree;
  const FlameFrame& frame = tree.frames[current_];
  if (key == (icicle_ ? Qt::Key_Up : Qt::Key_Down)) return frame.parent;
  if (key == (icicle_ ? Qt::Key_Down : Qt::Key_Up)) return frame.children > 0 ? frame.first_child : current_;
  if (current_ == 0) return 0;
  const FlameFrame& parent = tree.frames[frame.parent];
  if (key == Qt::Key_Left) return current_ > parent.first_child ? current_ - 1 : current_;
  return current_ + 1 < parent.first_child + parent.children ? current_ + 1 : current_;
}

void FlameCanvas::keyPressEvent(QKeyEvent* event) {
  if ((event->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier || !handles(event->key()))
    return QAbstractScrollArea::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: zoom_to(current_); return show_current();
    case Qt::Key_Backspace: zoom_to(data_->tree.frames[zoomed_].parent); return show_current();
    case Qt::Key_Home: zoom_to(0); return show_current();
    default: break;
  }
  const uint32_t next = next_frame(event->key());
  const bool is_drawn = std::ranges::any_of(layout_.boxes, [&](const FlameBox& b) { return b.contains(next); });
  if (!is_drawn) zoom_to(data_->tree.frames[next].parent);  // beside the frame that is zoomed to
  set_current(next);
  Q_EMIT chosen(current_);
}

bool FlameCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if ((key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier && handles(key->key())) {
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::FontChange) lay_out();
  return QAbstractScrollArea::event(event);
}

bool FlameCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave && std::exchange(hovered_, -1) >= 0) viewport()->update();
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  auto* help = static_cast<QHelpEvent*>(event);
  if (const FlameBox* box = box_at(help->pos()))
    QToolTip::showText(help->globalPos(), tip(*box), viewport());
  else
    QToolTip::hideText();
  return true;
}

}  // namespace arenascope::views
