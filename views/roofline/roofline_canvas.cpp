// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/roofline/roofline_canvas.h>

#include <views/common/rates.h>
#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace arenascope::views {

namespace {

constexpr double kReach = 8;  // pixels around a point's centre
constexpr double kMargin = 10;

QPolygonF triangle(const QPointF& centre, double radius) {
  return {centre + QPointF(0, -radius), centre + QPointF(radius, radius * 0.8),
          centre + QPointF(-radius, radius * 0.8)};
}

}  // namespace

RooflineCanvas::RooflineCanvas(const Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RooflineCanvas::set_data(RooflineDataPtr data) {
  data_ = std::move(data);
  hovered_ = {};
  lay_out();
}

// Compared with the roofs only if they are those of the processor that ran the nodes.
QString RooflineCanvas::tip(const trace::RooflinePoint& point) const {
  const bool comparable = RooflineText::is_same_processor(data_->roofline, processor_);
  return RooflineText::tip(*data_->snapshot, data_->roofline, point, comparable ? roofs_ : trace::Roofs());
}

void RooflineCanvas::set_roofs(const trace::Roofs& roofs, const QString& processor) {
  processor_ = processor;
  roofs_ = roofs;
  lay_out();
}

void RooflineCanvas::set_empty_text(const QString& text) {
  empty_text_ = text;
  update();
}

void RooflineCanvas::set_selected(NodeId node) {
  selected_ = node;
  describe();
  update();
}

std::optional<size_t> RooflineCanvas::point_of(NodeId node) const {
  if (!data_ || !node.valid()) return std::nullopt;
  const auto& points = data_->roofline.points;
  const auto found = std::ranges::find(points, node, &trace::RooflinePoint::node);
  return found == points.end() ? std::nullopt : std::optional(static_cast<size_t>(found - points.begin()));
}

// A screen reader announces the selected point.
void RooflineCanvas::describe() {
  const auto point = point_of(selected_);
  const QString text = point ? tip(data_->roofline.points[*point]) : QString();
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
}

RooflinePicture RooflineCanvas::picture_for(QSize size) const {
  const QFontMetrics metrics = fontMetrics();
  const double left = metrics.horizontalAdvance(QStringLiteral("0.0001")) + kMargin + 4, below = metrics.height() + 8;
  const QRectF area(left, kMargin + metrics.height(), std::max(size.width() - left - 2 * kMargin, 1.0),
                    std::max(size.height() - below - kMargin - metrics.height(), 1.0));
  return lay_out_roofline(data_->roofline, roofs_, area);
}

void RooflineCanvas::lay_out() {
  picture_ = data_ ? picture_for(size()) : RooflinePicture();
  describe();
  update();
}

// --- drawing

void RooflineCanvas::draw_grid(QPainter& painter, const RooflinePicture& picture) const {
  const ThemeColours& colours = theme_->colours();
  const QRectF& area = picture.area;
  const QFontMetrics metrics = painter.fontMetrics();
  const auto line = [&](const RooflineTick& tick, const QLineF& at) {
    painter.setPen(QPen(tick.labelled ? colours.grid : mixed(colours.grid, colours.background, 0.5), 1));
    painter.drawLine(at);
  };
  for (const RooflineTick& tick : picture.x_ticks)
    line(tick, {tick.position, area.top(), tick.position, area.bottom()});
  for (const RooflineTick& tick : picture.y_ticks)
    line(tick, {area.left(), tick.position, area.right(), tick.position});
  painter.setPen(colours.axis);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  painter.drawLine(area.bottomLeft(), area.topLeft());
  painter.setPen(colours.dim_text);
  const QString x_title = RooflineText::tr("FLOP/B");
  const double title_left = area.right() - metrics.horizontalAdvance(x_title);
  for (const RooflineTick& tick : picture.x_ticks) {
    const QString text = QString::number(tick.value);
    const double half = metrics.horizontalAdvance(text) / 2.0 + 6;
    if (tick.labelled && tick.position + half < title_left)
      painter.drawText(QRectF(tick.position - half, area.bottom() + 3, 2 * half, metrics.height()), Qt::AlignCenter,
                       text);
  }
  for (const RooflineTick& tick : picture.y_ticks)
    if (tick.labelled)
      painter.drawText(QRectF(0, tick.position - metrics.height() / 2.0, area.left() - 5, metrics.height()),
                       Qt::AlignRight | Qt::AlignVCenter, QString::number(tick.value));
  painter.drawText(QPointF(title_left, area.bottom() + 3 + metrics.ascent()), x_title);
  painter.drawText(QPointF(kMargin, area.top() - metrics.descent() - 5), RooflineText::tr("GFLOP/s"));
}

QString RooflineCanvas::arithmetic_text() const {
  return RooflineText::tr("%1 GFLOP/s").arg(format_rate(roofs_.gflops));
}

// Above the right end of the roof; null if there is no space.
QRectF RooflineCanvas::arithmetic_label(const RooflinePicture& picture, const QFontMetrics& metrics) const {
  if (picture.roof.size() < 3) return {};
  const double width = metrics.horizontalAdvance(arithmetic_text()), height = metrics.height();
  const QPointF ridge = picture.roof[1], end = picture.roof[2];
  if (end.x() - ridge.x() <= width) return {};
  return {end.x() - width, end.y() - height - 2, width, height};
}

void RooflineCanvas::draw_roof(QPainter& painter, const RooflinePicture& picture) const {
  if (picture.roof.size() < 3) return;
  const ThemeColours& colours = theme_->colours();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colours.peak, 2));
  painter.drawPolyline(picture.roof);
  const QFontMetrics metrics = painter.fontMetrics();
  const QPointF ridge = picture.roof[1], begin = picture.roof[0];
  const QString memory = RooflineText::tr("%1 GB/s").arg(format_rate(roofs_.bandwidth));
  painter.drawText(arithmetic_label(picture, metrics), Qt::AlignRight | Qt::AlignVCenter, arithmetic_text());
  const QLineF slope(begin, ridge);
  if (slope.length() < metrics.horizontalAdvance(memory) + 30) return;
  painter.save();
  painter.translate(slope.pointAt(0.5));
  painter.rotate(-slope.angle());
  painter.drawText(QPointF(-metrics.horizontalAdvance(memory) / 2.0, -5), memory);
  painter.restore();
}

void RooflineCanvas::draw_dot(QPainter& painter, const RooflineDot& dot) const {
  const ThemeColours& colours = theme_->colours();
  const trace::RooflinePoint& at = point(dot);
  const auto outline = [&](double radius) {
    at.on_device ? painter.drawPolygon(triangle(dot.centre, radius)) : painter.drawEllipse(dot.centre, radius, radius);
  };
  QColor fill = colours[at.on_device ? Role::Copy : Role::Work];
  fill.setAlphaF(0.75F);
  painter.setBrush(fill);
  painter.setPen(QPen(colours.background, 1));
  outline(dot.radius);
  painter.setBrush(Qt::NoBrush);
  if (at.node == selected_) {
    painter.setPen(QPen(colours.selection_outer, 3));
    outline(dot.radius + 2);
    painter.setPen(QPen(colours.selection_inner, 1));
    outline(dot.radius + 2);
  } else if (at.node == hovered_) {
    painter.setPen(QPen(colours.hover, 2));
    outline(dot.radius + 1);
  }
}

// Names of the nodes that take the most time and of the selected one, where they cover no other name.
void RooflineCanvas::draw_labels(QPainter& painter, const RooflinePicture& picture) const {
  const QFontMetrics metrics = painter.fontMetrics();
  std::vector<QRectF> taken{arithmetic_label(picture, metrics)};
  const auto label = [&](const RooflineDot& dot) {
    const QString full = RooflineText::name(*data_->snapshot, data_->roofline, point(dot));
    const QString text = metrics.elidedText(full, Qt::ElideMiddle, 180);
    const double width = metrics.horizontalAdvance(text), height = metrics.height(), gap = dot.radius + 4;
    const QRectF sides[] = {{dot.centre.x() + gap, dot.centre.y() - height / 2, width, height},
                            {dot.centre.x() - gap - width, dot.centre.y() - height / 2, width, height},
                            {dot.centre.x() - width / 2, dot.centre.y() + gap, width, height}};
    for (const QRectF& side : sides) {
      const auto covers = [&](const QRectF& other) { return other.intersects(side); };
      if (!picture.area.contains(side) || std::ranges::any_of(taken, covers)) continue;
      painter.drawText(side, Qt::AlignLeft | Qt::AlignVCenter, text);
      return taken.push_back(side);
    }
  };
  painter.setPen(theme_->colours().text);
  const auto selected =
      std::ranges::find_if(picture.dots, [&](const auto& dot) { return point(dot).node == selected_; });
  if (selected != picture.dots.end()) label(*selected);
  for (const RooflineDot& dot : picture.dots)
    if (dot.labelled && point(dot).node != selected_) label(dot);
}

void RooflineCanvas::draw(QPainter& painter, QSize size) const {
  painter.fillRect(QRect({0, 0}, size), theme_->colours().background);
  if (!data_ || data_->roofline.points.empty()) {
    painter.setPen(theme_->colours().dim_text);
    painter.drawText(QRect({0, 0}, size).adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
    return;
  }
  const RooflinePicture picture = picture_for(size);
  draw_grid(painter, picture);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_roof(painter, picture);
  for (const RooflineDot& dot : picture.dots) draw_dot(painter, dot);
  draw_labels(painter, picture);
}

void RooflineCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  draw(painter, size());
}

void RooflineCanvas::resizeEvent(QResizeEvent*) { lay_out(); }

// --- mouse and keys

void RooflineCanvas::set_hovered(NodeId node) {
  if (std::exchange(hovered_, node) == node) return;
  update();
  Q_EMIT hovered(node);
}

void RooflineCanvas::mouseMoveEvent(QMouseEvent* event) {
  const RooflineDot* dot = picture_.dot_at(event->position(), kReach);
  set_hovered(dot == nullptr ? NodeId() : point(*dot).node);
}

void RooflineCanvas::leaveEvent(QEvent*) { set_hovered({}); }

// The right button selects as well, because the context menu acts on the selection.
void RooflineCanvas::mousePressEvent(QMouseEvent* event) {
  if (const RooflineDot* dot = picture_.dot_at(event->position(), kReach)) Q_EMIT chosen(point(*dot).node);
}

// Left and right go through the points by intensity.
void RooflineCanvas::keyPressEvent(QKeyEvent* event) {
  const bool left = event->key() == Qt::Key_Left, right = event->key() == Qt::Key_Right;
  if ((!left && !right) || (event->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier || picture_.dots.empty())
    return QWidget::keyPressEvent(event);
  std::vector<size_t> order;
  for (const RooflineDot& dot : picture_.dots) order.push_back(dot.point);
  const auto& points = data_->roofline.points;
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(points[i].intensity, points[i].node.value); });
  const auto now = std::ranges::find_if(order, [&](size_t i) { return points[i].node == selected_; });
  size_t next = left ? order.size() - 1 : 0;
  if (now != order.end()) {
    const auto at = static_cast<size_t>(now - order.begin());
    next = left ? (at > 0 ? at - 1 : at) : std::min(at + 1, order.size() - 1);
  }
  Q_EMIT chosen(points[order[next]].node);
}

bool RooflineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() == Qt::NoModifier && (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right)) {
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::FontChange) lay_out();
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const RooflineDot* dot = picture_.dot_at(help->pos(), kReach))
    QToolTip::showText(help->globalPos(), tip(point(*dot)), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace arenascope::views
