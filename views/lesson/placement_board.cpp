// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/base/step_number.h>
#include <views/common/format.h>
#include <views/common/theme.h>
#include <views/lesson/lesson.h>
#include <views/lesson/placement_board.h>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {

constexpr int kFrameMilliseconds = 40;
constexpr double kStepsPerFrame = 0.1;

QString label_of(const lesson::Piece& piece) {
  return QStringLiteral("%1 %2").arg(text_of(piece.name), format_bytes(piece.bytes));
}

}  // namespace

PlacementBoard::PlacementBoard(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("placement_board"));
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Arena map to place tensors in"));
  timer_.setInterval(kFrameMilliseconds);
  connect(&timer_, &QTimer::timeout, this, [this] {
    played_ += kStepsPerFrame;
    if (played_ > collision_.last + 1) timer_.stop();
    update();
  });
}

void PlacementBoard::end_collision() {
  timer_.stop();
  collision_ = {};
}

void PlacementBoard::set_pieces(std::vector<lesson::Piece> pieces, int steps, Bytes unit, Bytes goal) {
  pieces_ = std::move(pieces);
  offsets_.assign(pieces_.size(), -1);
  steps_ = std::max(steps, 1);
  unit_ = std::max<Bytes>(unit, 1);
  top_ = 0;
  for (const lesson::Piece& piece : pieces_) top_ += piece.bytes;
  goal_ = goal;
  // Some space above the goal, for tensors that are put too high.
  if (goal > 0) top_ = std::min(top_, goal + goal / 3);
  for (const lesson::Piece& piece : pieces_) top_ = std::max(top_, piece.bytes);
  top_ = std::max<Bytes>(top_, 1);
  chosen_ = 0;
  end_collision();
  update();
}

std::vector<lesson::Placed> PlacementBoard::placed() const {
  std::vector<lesson::Placed> out;
  for (size_t i = 0; i < pieces_.size(); ++i)
    if (offsets_[i] >= 0) out.push_back({pieces_[i].name, offsets_[i]});
  return out;
}

void PlacementBoard::place(size_t piece, Bytes offset) {
  if (piece >= pieces_.size()) return;
  const Bytes most = std::max<Bytes>(top_ - pieces_[piece].bytes, 0);
  offsets_[piece] = offset < 0 ? -1 : std::min((offset + unit_ / 2) / unit_ * unit_, most / unit_ * unit_);
  end_collision();
  update();
  Q_EMIT moved(piece);
}

QRectF PlacementBoard::map() const {
  const double below = fontMetrics().height() + 6.0, beside = side() + 12;
  return {beside, 6, std::max(width() - beside - 8.0, 10.0), std::max(height() - below - 6.0, 10.0)};
}

double PlacementBoard::side() const {
  double widest = 58;
  for (const lesson::Piece& piece : pieces_)
    widest = std::max(widest, 8.0 + fontMetrics().horizontalAdvance(label_of(piece)));
  return std::min(widest, width() / 3.0);
}

double PlacementBoard::x_of(double step) const { return map().left() + map().width() * step / steps_; }
double PlacementBoard::scale() const { return map().height() / static_cast<double>(top_); }
double PlacementBoard::y_of(double offset) const { return map().bottom() - offset * scale(); }

QRectF PlacementBoard::shape_of(size_t i) const {
  const lesson::Piece& p = pieces_[i];
  const double tall = std::max(static_cast<double>(p.bytes) * scale(), 10.0);
  if (dragging_ && i == chosen_) {
    const double wide = x_of(p.last) - x_of(p.first);
    return {x_of(p.first), cursor_.y() - grabbed_.y(), wide, tall};
  }
  if (offsets_[i] < 0) {  // stacked next to the map, the first at the bottom
    const double each = map().height() / static_cast<double>(std::max<size_t>(pieces_.size(), 1));
    return {4, map().bottom() - each * static_cast<double>(i + 1) + 2, side(), std::max(each - 4, 6.0)};
  }
  const double bottom = y_of(static_cast<double>(offsets_[i]));
  return {x_of(p.first), bottom - static_cast<double>(p.bytes) * scale(), x_of(p.last) - x_of(p.first),
          std::max(static_cast<double>(p.bytes) * scale(), 3.0)};
}

QRect PlacementBoard::rect_of(size_t piece) const { return shape_of(piece).toRect(); }

QPoint PlacementBoard::point_of(size_t i, Bytes offset) const {
  const lesson::Piece& p = pieces_[i];
  return QPointF((x_of(p.first) + x_of(p.last)) / 2,
                 y_of(static_cast<double>(offset) + static_cast<double>(p.bytes) / 2))
      .toPoint();
}

void PlacementBoard::paintEvent(QPaintEvent*) {
  const ThemeColours c = ThemeColours::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), c.background);
  painter.fillRect(map(), c.panel);
  painter.setPen(c.grid);
  for (int step = 0; step <= steps_; ++step)
    painter.drawLine(QPointF(x_of(step), map().top()), QPointF(x_of(step), map().bottom()));
  painter.setPen(c.axis);
  painter.drawRect(map());
  for (int step = 0; step < steps_; ++step)
    painter.drawText(QRectF(x_of(step), map().bottom() + 2, x_of(step + 1) - x_of(step), fontMetrics().height() + 2.0),
                     Qt::AlignCenter, QString::number(step_number(step)));
  draw_goal(painter);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const QRectF shape = shape_of(i);
    const QColor fill = c.category(i);
    painter.fillRect(shape, fill);
    if (i == chosen_ && hasFocus()) {
      painter.setPen(QPen(c.selection_outer, 3));
      painter.drawRect(shape);
    }
    painter.setPen(i == chosen_ ? QPen(c.selection_inner, 1) : QPen(c.axis, 1));
    painter.drawRect(shape);
    painter.setPen(ThemeColours::text_on(fill));
    const QString full = label_of(pieces_[i]);
    const bool fits = fontMetrics().horizontalAdvance(full) < shape.width();
    painter.drawText(shape, Qt::AlignCenter, fits ? full : text_of(pieces_[i].name));
  }
  draw_collision(painter);
}

// The line that no tensor may cross, and its bytes.
void PlacementBoard::draw_goal(QPainter& painter) const {
  if (goal_ <= 0 || goal_ > top_) return;
  const ThemeColours c = ThemeColours::of(palette());
  const double y = y_of(static_cast<double>(goal_));
  painter.setPen(QPen(c.selection_outer, 2, Qt::DashLine));
  painter.drawLine(QPointF(map().left(), y), QPointF(map().right(), y));
  painter.setPen(c.text);
  painter.drawText(QRectF(map().left() + 4, y - fontMetrics().height() - 2, map().width() - 8, fontMetrics().height()),
                   Qt::AlignRight | Qt::AlignVCenter, tr("at most %1").arg(format_bytes(goal_)));
}

void PlacementBoard::play_collision(const lesson::Verdict& collision) {
  collision_ = collision;
  const bool animated = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
  played_ = animated ? 0 : collision.last + 1;
  if (animated) timer_.start();
  update();
}

QRectF PlacementBoard::collision_rect() const {
  if (collision_.why != lesson::Verdict::Why::Collides || played_ <= collision_.first) return {};
  const double until = std::min<double>(played_, collision_.last + 1);
  const double top = y_of(static_cast<double>(collision_.offset + collision_.bytes));
  return {x_of(collision_.first), top, x_of(until) - x_of(collision_.first),
          y_of(static_cast<double>(collision_.offset)) - top};
}

// The playhead of the run, and the bytes that one tensor has overwritten while the other still needs them.
void PlacementBoard::draw_collision(QPainter& painter) const {
  if (collision_.why != lesson::Verdict::Why::Collides) return;
  const ThemeColours c = ThemeColours::of(palette());
  if (timer_.isActive()) {
    painter.setPen(QPen(c.playhead, 2));
    painter.drawLine(QPointF(x_of(played_), map().top()), QPointF(x_of(played_), map().bottom()));
  }
  const QRectF lost = collision_rect();
  if (lost.isEmpty()) return;
  painter.fillRect(lost, c[Role::Wait]);
  painter.fillRect(lost, hatch_brush(Hatch::Diagonal, ThemeColours::text_on(c[Role::Wait])));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(c.text, 2));
  painter.drawRect(lost);
}

void PlacementBoard::choose(size_t piece) {
  chosen_ = piece;
  setAccessibleDescription(piece < pieces_.size() ? text_of(pieces_[piece].name) : QString());
  update();
}

// Tab cycles through the tensors before the focus leaves.
bool PlacementBoard::event(QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const int by = key->key() == Qt::Key_Tab ? 1 : key->key() == Qt::Key_Backtab ? -1 : 0;
    const auto to = static_cast<std::ptrdiff_t>(chosen_) + by;
    if (by != 0 && to >= 0 && to < static_cast<std::ptrdiff_t>(pieces_.size())) {
      choose(static_cast<size_t>(to));
      return true;
    }
  }
  // Overrides the window's shortcuts for arrow keys and Home.
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Home || key == Qt::Key_Delete) event->accept();
  }
  return QWidget::event(event);
}

void PlacementBoard::keyPressEvent(QKeyEvent* event) {
  if (pieces_.empty()) return QWidget::keyPressEvent(event);
  Bytes smallest = top_;
  for (const lesson::Piece& piece : pieces_) smallest = std::min(smallest, std::max(piece.bytes, unit_));
  const Bytes by = std::max(smallest / unit_ * unit_, unit_);
  const Bytes now = offsets_[chosen_];
  switch (event->key()) {
    case Qt::Key_Up: return place(chosen_, now < 0 ? 0 : now + by);
    case Qt::Key_Down: return place(chosen_, std::max<Bytes>(now - by, 0));
    case Qt::Key_Home: return place(chosen_, 0);
    case Qt::Key_Delete: return place(chosen_, -1);
    default: QWidget::keyPressEvent(event);
  }
}

void PlacementBoard::mousePressEvent(QMouseEvent* event) {
  for (size_t i = pieces_.size(); i-- > 0;) {
    const QRectF shape = shape_of(i);
    if (!shape.contains(event->position())) continue;
    choose(i);
    const double share = (event->position().y() - shape.top()) / std::max(shape.height(), 1.0);
    grabbed_ = QPointF(0, share * static_cast<double>(pieces_[i].bytes) * scale());
    cursor_ = event->position();
    dragging_ = true;
    setFocus();
    return;
  }
}

void PlacementBoard::mouseMoveEvent(QMouseEvent* event) {
  if (!dragging_) return;
  cursor_ = event->position();
  update();
}

void PlacementBoard::mouseReleaseEvent(QMouseEvent* event) {
  if (!dragging_) return;
  dragging_ = false;
  cursor_ = event->position();
  if (cursor_.x() < map().left() - 4) return place(chosen_, -1);
  const double bottom = cursor_.y() - grabbed_.y() + static_cast<double>(pieces_[chosen_].bytes) * scale();
  const double offset = std::max((map().bottom() - bottom) / scale(), 0.0);
  // Snaps to the nearest edge: the bottom, another tensor, or a grid of the smallest tensor's size.
  Bytes smallest = top_;
  for (const lesson::Piece& piece : pieces_) smallest = std::min(smallest, std::max(piece.bytes, unit_));
  std::vector<Bytes> edges{0, static_cast<Bytes>(std::llround(offset / static_cast<double>(smallest))) * smallest};
  for (size_t i = 0; i < pieces_.size(); ++i)
    if (i != chosen_ && offsets_[i] >= 0) edges.insert(edges.end(), {offsets_[i], offsets_[i] + pieces_[i].bytes});
  const auto away = [&](Bytes edge) { return std::abs(static_cast<double>(edge) - offset); };
  const Bytes nearest =
      *std::min_element(edges.begin(), edges.end(), [&](Bytes a, Bytes b) { return away(a) < away(b); });
  const Bytes best = away(nearest) * scale() <= 8 ? nearest : static_cast<Bytes>(std::llround(offset));
  place(chosen_, best);
}

}  // namespace arenascope::views
