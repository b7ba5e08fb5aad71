// SPDX-License-Identifier: GPL-3.0-or-later
#include "colour_box.h"

#include <QEvent>
#include <QSignalBlocker>

#include <algorithm>

namespace arenascope::views {
namespace {

constexpr int kAlways = static_cast<int>(GraphColour::Column);

}  // namespace

ColourBox::ColourBox(QWidget* parent) : QComboBox(parent) {
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setIconSize({0, 0});  // no icons; otherwise rows are as tall as one
  setMinimumContentsLength(10);
  setMaxVisibleItems(24);
  retranslate();
  connect(this, &QComboBox::activated, this,
          [this](int i) { choose(static_cast<GraphColour>(std::min(i, kAlways)), itemData(i).toInt()); });
}

void ColourBox::retranslate() {
  const QStringList colours{tr("State"), tr("Op"),    tr("Backend"),        tr("Mean time"),
                            tr("Bytes"), tr("Block"), tr("Difference of B")};
  for (int i = 0; i < colours.size(); ++i)
    if (i < count())
      setItemText(i, colours[i]);
    else
      addItem(colours[i], -1);
  setToolTip(tr("Graph colouring"));
  setAccessibleName(tr("Colour by"));
}

void ColourBox::show_choices(const SessionSource& source) {
  const QSignalBlocker quiet(this);
  retranslate();  // titles are compared with it
  reader_.forget();
  while (count() > kAlways) removeItem(count() - 1);
  QStringList there;
  for (int i = 0; i < kAlways; ++i) there << itemText(i);
  const QStringList titles = reader_.columns.titles ? reader_.columns.titles(source) : QStringList();
  for (int column = 0; column < titles.size(); ++column) {
    if (there.contains(titles[column])) continue;
    if (count() == kAlways) insertSeparator(kAlways);
    addItem(titles[column], column);
  }
  setCurrentIndex(place());
}

void ColourBox::show_choices(const SessionSource& source, GraphColour colour, int column) {
  colour_ = colour;
  column_ = column;
  show_choices(source);
}

int ColourBox::place() const {
  const int at = static_cast<int>(colour_);
  return at < kAlways ? at : findData(column_);
}

void ColourBox::choose(GraphColour colour, int column) {
  const bool other = colour != colour_ || column != column_;
  colour_ = colour;
  column_ = column;
  setCurrentIndex(place());
  Q_EMIT chosen();
  if (other) Q_EMIT changed();
}

void ColourBox::next_column() {
  const int first = kAlways + 1;  // after the separator
  if (count() <= first) return;
  const int at = colour_ == GraphColour::Column ? place() : -1;
  choose(GraphColour::Column, itemData(at < first || at + 1 == count() ? first : at + 1).toInt());
}

void ColourBox::colour_scene(GraphScene& scene, const SessionSource& source, Step current,
                             const ThemeColours& colours) {
  views::colour_scene(scene, colour_, *source.snapshot(), source.plan(), current, colours);
  if (colour_ == GraphColour::Difference)
    colour_by_difference(scene, *source.snapshot(), source.comparison().get(), colours);
  else if (colour_ == GraphColour::Column)
    colour_by_column(scene, reader_.read(source, column_), colours);
}

void ColourBox::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QComboBox::changeEvent(event);
}

}  // namespace arenascope::views
