// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/header.h>

namespace arenascope::views {

namespace {
constexpr int kHeight = 24, kChip = 16, kGap = 14;
}

Header::Header(QCustomPlot* plot) : QCPLayoutElement(plot) {
  setMinimumSize(10, kHeight);
  setMaximumSize(QWIDGETSIZE_MAX, kHeight);
  setMargins(QMargins(0, 0, 0, 0));
}

void Header::set_content(HeaderContent content) { content_ = std::move(content); }

void Header::draw(QCPPainter* painter) {
  const QRect area = rect().adjusted(10, 0, -10, 0);
  QFont font = mParentPlot->font();
  QFont bold = font;
  bold.setBold(true);
  const QFontMetrics metrics(font), bold_metrics(bold);
  int left = area.left();
  if (!content_.title.isEmpty()) {
    painter->setFont(bold);
    painter->setPen(colours_.text);
    painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter, content_.title);
    left += bold_metrics.horizontalAdvance(content_.title) + kGap;
  }
  painter->setFont(font);
  int wanted = 0;  // by the facts; the legend takes what is left
  for (const QString& fact : content_.facts) wanted += metrics.horizontalAdvance(fact) + kGap;
  const int for_facts = std::min(wanted, std::max(area.right() - left, 0));
  int right = area.right();
  std::vector<const LegendChip*> shown;
  int room = area.right() - left - for_facts;
  for (const LegendChip& chip : content_.legend) {
    const int width = kChip + 5 + metrics.horizontalAdvance(chip.text) + kGap;
    if (width > room) break;
    room -= width;
    right -= width;
    shown.push_back(&chip);
  }
  for (const QString& fact : content_.facts) {
    const int width = metrics.horizontalAdvance(fact);
    if (left + width > right) {
      if (right - left > 60) {
        painter->setPen(colours_.dim_text);
        painter->drawText(QRect(left, area.top(), right - left, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                          metrics.elidedText(fact, Qt::ElideRight, right - left));
      }
      break;
    }
    painter->setPen(colours_.dim_text);
    painter->drawText(QRect(left, area.top(), width + 2, area.height()), Qt::AlignLeft | Qt::AlignVCenter, fact);
    left += width + kGap;
  }
  int x = right + kGap;
  for (const LegendChip* chip : shown) {
    draw_chip(painter, QRect(x, area.center().y() - 5, kChip, 11), *chip);
    painter->setPen(colours_.dim_text);
    const int width = metrics.horizontalAdvance(chip->text);
    painter->drawText(QRect(x + kChip + 5, area.top(), width + 2, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                      chip->text);
    x += kChip + 5 + width + kGap;
  }
}

void Header::draw_chip(QCPPainter* painter, const QRect& box, const LegendChip& chip) const {
  const RectStyle& s = chip.style;
  painter->setAntialiasing(false);
  if (chip.shape == LegendChip::Shape::Line || chip.shape == LegendChip::Shape::DashedLine) {
    painter->setPen(QPen(s.outline, 2, chip.shape == LegendChip::Shape::Line ? Qt::SolidLine : Qt::DashLine));
    painter->drawLine(QLineF(box.left(), box.center().y(), box.right(), box.center().y()));
    return;
  }
  if (chip.shape == LegendChip::Shape::Triangle) {
    painter->setAntialiasing(true);
    painter->setPen(Qt::NoPen);
    painter->setBrush(s.fill);
    const QPoint c = box.center();
    painter->drawPolygon(QPolygon({{c.x() - 5, box.top() + 1}, {c.x() + 5, box.top() + 1}, {c.x(), box.bottom()}}));
    painter->setAntialiasing(false);
    return;
  }
  draw_styled_rect(painter, box, box, s);
}

}  // namespace arenascope::views
