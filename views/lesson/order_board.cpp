// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/base/step_number.h>
#include <views/common/format.h>
#include <views/common/theme.h>
#include <views/lesson/lesson.h>
#include <views/lesson/order_board.h>

#include <QPainter>
#include <QStyle>
#include <algorithm>

namespace arenascope::views {
namespace {

constexpr int kOrderFrameMilliseconds = 40;
constexpr double kOrderStepsPerFrame = 0.1, kOrderGap = 12;

}  // namespace

OrderBoard::OrderBoard(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("order_board"));
  setAccessibleName(tr("Bytes alive at each step of this order"));
  timer_.setInterval(kOrderFrameMilliseconds);
  connect(&timer_, &QTimer::timeout, this, [this] {
    played_ += kOrderStepsPerFrame;
    if (played_ >= static_cast<double>(steps())) timer_.stop();
    update();
  });
  hide();
}

size_t OrderBoard::steps() const {
  return std::max(order_.given.live.size() + (order_.node.empty() ? 0 : 1), order_.better.live.size());
}

void OrderBoard::play(lesson::PlayedOrder order) {
  order_ = std::move(order);
  const bool animated = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
  played_ = animated ? 0 : static_cast<double>(steps());
  if (animated) timer_.start();
  describe();
  show();
  update();
}

void OrderBoard::clear() {
  timer_.stop();
  order_ = {};
  hide();
}

void OrderBoard::describe() {
  if (!order_.node.empty())
    setAccessibleDescription(tr("Step %1: %2 reads %3")
                                 .arg(step_number(Step(order_.given.live.size())))
                                 .arg(text_of(order_.node), text_of(order_.missing)));
  else
    setAccessibleDescription(format_bytes(order_.given.peak()));
}

Bytes OrderBoard::top() const { return std::max<Bytes>({order_.given.peak(), order_.better.peak(), order_.limit, 1}); }

QRectF OrderBoard::area(bool better) const {
  const double line = fontMetrics().height() + 4.0;
  const bool both = !order_.better.live.empty();
  const double wide = both ? (width() - kOrderGap) / 2 : width();
  return {better ? wide + kOrderGap : 0, line, wide, std::max(height() - 2 * line, 10.0)};
}

QRectF OrderBoard::column(bool better, size_t step) const {
  const QRectF in = area(better);
  const double wide = in.width() / static_cast<double>(std::max<size_t>(steps(), 1));
  return {in.left() + wide * static_cast<double>(step), in.top(), wide, in.height()};
}

QRectF OrderBoard::bar(bool better, size_t step) const {
  const lesson::OrderRun& run = better ? order_.better : order_.given;
  if (step >= run.live.size() || static_cast<double>(step) >= played_) return {};
  const QRectF in = column(better, step).adjusted(2, 0, -2, 0);
  const double high = in.height() * static_cast<double>(run.live[step]) / static_cast<double>(top());
  return {in.left(), in.bottom() - high, in.width(), high};
}

QRectF OrderBoard::failure() const {
  const size_t step = order_.given.live.size();
  if (order_.node.empty() || played_ <= static_cast<double>(step)) return {};
  return column(false, step).adjusted(2, 0, -2, 0);
}

void OrderBoard::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), ThemeColours::of(palette()).background);
  draw_run(painter, false);
  if (!order_.better.live.empty()) draw_run(painter, true);
  draw_failure(painter);
}

// Nodes of the better order are not named: they are the answer.
void OrderBoard::draw_run(QPainter& painter, bool better) const {
  const ThemeColours c = ThemeColours::of(palette());
  const lesson::OrderRun& run = better ? order_.better : order_.given;
  const QRectF in = area(better);
  painter.fillRect(in, c.panel);
  painter.setPen(c.text);
  const bool done = played_ >= static_cast<double>(run.live.size());
  const QString title = better ? tr("a better order") : tr("your order");
  const QString peak = done && order_.node.empty() ? tr("%1: peak %2").arg(title, format_bytes(run.peak())) : title;
  painter.drawText(QRectF(in.left() + 2, 0, in.width() - 4, in.top()), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(peak, Qt::ElideRight, static_cast<int>(in.width()) - 4));
  for (size_t step = 0; step < run.live.size(); ++step) {
    const QRectF shape = bar(better, step), all = column(better, step);
    const bool highest = run.live[step] == run.peak() && order_.node.empty();
    painter.fillRect(shape, highest && run.peak() > order_.limit ? c[Role::Wait] : c[Role::Work]);
    painter.setPen(highest ? QPen(c.text, 2) : QPen(c.axis, 1));
    if (!shape.isEmpty()) painter.drawRect(shape);
    painter.setPen(c.dim_text);
    const QString label = better ? QString::number(step_number(Step(step))) : text_of(run.nodes[step]);
    painter.drawText(QRectF(all.left(), in.bottom(), all.width(), height() - in.bottom()), Qt::AlignCenter,
                     fontMetrics().elidedText(label, Qt::ElideMiddle, static_cast<int>(all.width())));
  }
  draw_limit(painter, in);
}

void OrderBoard::draw_limit(QPainter& painter, const QRectF& in) const {
  if (order_.limit <= 0) return;
  const ThemeColours c = ThemeColours::of(palette());
  const double y = in.bottom() - in.height() * static_cast<double>(order_.limit) / static_cast<double>(top());
  painter.setPen(QPen(c.selection_outer, 2, Qt::DashLine));
  painter.drawLine(QPointF(in.left(), y), QPointF(in.right(), y));
}

// The node runs into nothing: its missing input as an empty outline.
void OrderBoard::draw_failure(QPainter& painter) const {
  const QRectF at = failure();
  if (at.isEmpty()) return;
  const ThemeColours c = ThemeColours::of(palette());
  painter.fillRect(at, hatch_brush(Hatch::Diagonal, c[Role::Wait]));
  painter.setPen(QPen(c[Role::Wait], 2, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(at);
  painter.setPen(c.text);
  painter.drawText(QRectF(at.left() - 2, at.bottom(), at.width() + 4, height() - at.bottom()), Qt::AlignCenter,
                   fontMetrics().elidedText(text_of(order_.node), Qt::ElideMiddle, static_cast<int>(at.width())));
  const QString text = tr("%1 is missing").arg(text_of(order_.missing));
  const double wide = fontMetrics().horizontalAdvance(text) + 8.0;
  const QRectF note(std::clamp(at.center().x() - wide / 2, 0.0, std::max(width() - wide, 0.0)),
                    at.center().y() - fontMetrics().height() / 2.0 - 2, wide, fontMetrics().height() + 4.0);
  painter.fillRect(note, c.background);
  painter.setPen(c.text);
  painter.drawRect(note);
  painter.drawText(note, Qt::AlignCenter, text);
}

}  // namespace arenascope::views
