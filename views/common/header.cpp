// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/header.h>

#include <algorithm>

namespace arenascope::views {

namespace {
constexpr int kHeight = 24, kChip = 16, kGap = 14, kSide = 10;
constexpr double kMaxOfPlot = 0.28;  // share of the plot's height available for the title and the legend
}  // namespace

Header::Header(QCustomPlot* plot) : QCPLayoutElement(plot) {
  setMinimumSize(10, kHeight);
  setMaximumSize(QWIDGETSIZE_MAX, kHeight);
  setMargins(QMargins(0, 0, 0, 0));
}

void Header::set_content(HeaderContent content) { content_ = std::move(content); }

QFont Header::bold() const {
  QFont font = mParentPlot->font();
  font.setBold(true);
  return font;
}

int Header::facts_width() const {
  const QFontMetrics metrics(mParentPlot->font());
  int required = content_.title.isEmpty() ? 0 : QFontMetrics(bold()).horizontalAdvance(content_.title) + kGap;
  for (const QString& fact : content_.facts) required += metrics.horizontalAdvance(fact) + kGap;
  return required;
}

int Header::chip_width(const LegendChip& chip) const {
  return kChip + 5 + QFontMetrics(mParentPlot->font()).horizontalAdvance(chip.text) + kGap;
}

std::vector<int> Header::rows_of_legend(QSize plot) const {
  const int width = plot.width() - 2 * kSide, row = QFontMetrics(mParentPlot->font()).height() + 2;
  const int most = static_cast<int>((plot.height() * kMaxOfPlot - kHeight) / row), beside = width - facts_width();
  int all = 0;
  for (const LegendChip& chip : content_.legend) all += chip_width(chip);
  std::vector<int> rows;
  int x = 0, at = all <= beside || most < 1 ? 0 : 1;
  for (const LegendChip& chip : content_.legend) {
    const int w = chip_width(chip);
    if (at == 0) {  // entries that do not fit are omitted
      x += w;
      rows.push_back(x <= std::max(beside, 0) ? 0 : -1);
      continue;
    }
    if (x > 0 && x + w - kGap > width) ++at, x = 0;
    x += w;
    rows.push_back(at <= most ? at : -1);
  }
  return rows;
}

void Header::update(UpdatePhase phase) {
  if (phase == upPreparation) {
    const std::vector<int> rows = rows_of_legend(mParentPlot->viewport().size());
    const int more = rows.empty() ? 0 : std::max(*std::max_element(rows.begin(), rows.end()), 0);
    const int height = kHeight + more * (QFontMetrics(mParentPlot->font()).height() + 2);
    if (height != minimumSize().height()) {
      setMinimumSize(10, height);
      setMaximumSize(QWIDGETSIZE_MAX, height);
    }
  }
  QCPLayoutElement::update(phase);
}

void Header::draw(QCPPainter* painter) {
  const QRect area = rect().adjusted(kSide, 0, -kSide, 0);
  painter->setFont(mParentPlot->font());
  const int line = painter->fontMetrics().height() + 2;
  const std::vector<int> rows = rows_of_legend(mParentPlot->viewport().size());
  int right = area.right();
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i] == 0) right -= chip_width(content_.legend[i]);
  draw_facts(painter, area.left(), right);
  int row = 0, x = right + kGap;
  for (size_t i = 0; i < rows.size(); ++i) {
    const LegendChip& chip = content_.legend[i];
    if (rows[i] < 0) continue;
    if (rows[i] != row) row = rows[i], x = area.left();
    const QRect box(x, area.top() + (row == 0 ? 0 : kHeight + (row - 1) * line), chip_width(chip) - kGap,
                    row == 0 ? kHeight : line);
    draw_chip(painter, QRect(x, box.center().y() - 5, kChip, 11), chip);
    painter->setPen(colours_.dim_text);
    painter->drawText(box.adjusted(kChip + 5, 0, 2, 0), Qt::AlignLeft | Qt::AlignVCenter, chip.text);
    x += box.width() + kGap;
  }
}

// The title, and as many facts as fit.
void Header::draw_facts(QCPPainter* painter, int left, int right) const {
  const QRect area(left, rect().top(), right - left, kHeight);
  if (!content_.title.isEmpty()) {
    painter->setFont(bold());
    painter->setPen(colours_.text);
    painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter, content_.title);
    left += painter->fontMetrics().horizontalAdvance(content_.title) + kGap;
  }
  painter->setFont(mParentPlot->font());
  painter->setPen(colours_.dim_text);
  const QFontMetrics metrics = painter->fontMetrics();
  for (const QString& fact : content_.facts) {
    const int width = metrics.horizontalAdvance(fact), room = right - left;
    const bool fits = width <= room;
    if (!fits && room <= 60) return;
    painter->drawText(QRect(left, area.top(), fits ? width + 2 : room, kHeight), Qt::AlignLeft | Qt::AlignVCenter,
                      fits ? fact : metrics.elidedText(fact, Qt::ElideRight, room));
    if (!fits) return;
    left += width + kGap;
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
