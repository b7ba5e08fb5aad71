// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/inspector/facts_delegate.h>

#include <QPainter>
#include <QTextCharFormat>
#include <QTreeView>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {
constexpr int kMargin = 8, kGap = 1, kAboveSection = 9, kBarHeight = 5;
}

const InspectorFact* FactsDelegate::fact_of(const QModelIndex& index) const {
  return static_cast<const InspectorModel*>(index.model())->fact(index);
}

// Headings and facts without a label have the width of both columns.
int FactsDelegate::width_of(const QModelIndex& index) const {
  const InspectorFact* fact = fact_of(index);
  const bool spanned = fact == nullptr || InspectorModel::is_spanned(*fact);
  return (spanned ? view_->viewport()->width() : view_->columnWidth(index.column())) - kMargin;
}

QFont FactsDelegate::font_of(const QModelIndex& index, const QFont& base) const {
  QFont font = base;
  const InspectorFact* fact = fact_of(index);
  if (fact == nullptr) {
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 0.9);
  } else if (fact->kind == InspectorFact::Kind::Title) {
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 1.2);
  }
  return font;
}

int FactsDelegate::top_of(const QModelIndex& index) const {
  const InspectorFact* fact = fact_of(index);
  return fact == nullptr ? kAboveSection : fact->kind == InspectorFact::Kind::Title ? kMargin : kGap;
}

void FactsDelegate::lay_out(Cell& cell, const QModelIndex& index, const QFont& font, int width) const {
  const InspectorFact* fact = fact_of(index);
  const ThemeColours& colours = theme_->colours();
  const QString text = index.data().toString();
  cell.layout.setText(text);
  cell.layout.setFont(font_of(index, font));
  QTextOption wrapping;
  wrapping.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  cell.layout.setTextOption(wrapping);
  const bool is_label = fact == nullptr || fact->kind == InspectorFact::Kind::Subtitle ||
                        (index.column() == InspectorModel::kLabel && !InspectorModel::is_spanned(*fact));
  QList<QTextLayout::FormatRange> formats;
  const auto add = [&](int from, int length, const QColor& colour) {
    QTextCharFormat format;
    format.setForeground(colour);
    formats.append({from, length, format});
  };
  const auto all = static_cast<int>(text.size());
  add(0, all, is_label ? colours.dim_text : colours.text);
  if (!is_label) {
    const auto value = static_cast<int>(fact->value.size());
    if (!fact->link.empty()) add(0, value, colours.dark ? colours.category(4) : colours.category(0));
    if (all > value) add(value, all - value, colours.dim_text);
  }
  cell.layout.setFormats(formats);
  cell.layout.beginLayout();
  cell.height = 0;
  // Each line has the height of the view's font: glyphs of another script come from another font.
  const QFontMetricsF metrics(cell.layout.font());
  for (QTextLine line = cell.layout.createLine(); line.isValid(); line = cell.layout.createLine()) {
    line.setLineWidth(std::max(width, 20));
    line.setPosition({0, cell.height + metrics.ascent() - line.ascent()});
    cell.height += metrics.height();
  }
  cell.layout.endLayout();
}

void FactsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const ThemeColours& colours = theme_->colours();
  const InspectorFact* fact = fact_of(index);
  if (option.state & QStyle::State_Selected) {
    QColor shade = option.palette.highlight().color();
    shade.setAlpha(60);
    painter->fillRect(option.rect, shade);
  }
  Cell cell;
  lay_out(cell, index, option.font, width_of(index));
  const int left = option.rect.left() + (index.column() == InspectorModel::kLabel ? kMargin : 0);
  cell.layout.draw(painter, QPointF(left, option.rect.top() + top_of(index)));
  if (fact == nullptr || !fact->bar || index.column() != InspectorModel::kValue) return;
  const QRectF track(left, option.rect.bottom() - kBarHeight - 1, option.rect.width() - 2 * kMargin, kBarHeight);
  painter->fillRect(track, colours.grid);
  const double begin = std::clamp(fact->bar->begin, 0.0, 1.0), end = std::clamp(fact->bar->end, begin, 1.0);
  painter->fillRect(QRectF(track.left() + begin * track.width(), track.top(),
                           std::max((end - begin) * track.width(), 2.0), track.height()),
                    colours[Role::Work]);
}

QSize FactsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const InspectorFact* fact = fact_of(index);
  Cell cell;
  lay_out(cell, index, option.font, width_of(index));
  const int bar = fact != nullptr && fact->bar ? kBarHeight + 2 : 0;
  return {static_cast<int>(cell.layout.boundingRect().width()) + kMargin,
          top_of(index) + static_cast<int>(std::ceil(cell.height)) + bar + kGap};
}

}  // namespace arenascope::views
