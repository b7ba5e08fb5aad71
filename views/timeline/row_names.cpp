// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/timeline/row_names.h>

#include <algorithm>
#include <utility>

namespace arenascope::views {

RowNames::RowNames(QStringList names, const QFontMetrics& metrics, int width)
    : names_(std::move(names)), metrics_(metrics), width_(width) {}

QString RowNames::without_program(const QString& name) const {
  const qsizetype comma = name.indexOf(QStringLiteral(", "));
  if (comma < 0 || metrics_.horizontalAdvance(name) <= width_) return name;
  const QString program = name.first(comma + 2);
  const auto is_shared = [&](const QString& each) { return each.startsWith(program); };
  return std::ranges::count_if(names_, is_shared) > 1 ? name.sliced(comma + 2) : name;
}

QString RowNames::elided(const QString& name) {
  for (const Qt::TextElideMode mode : {Qt::ElideMiddle, Qt::ElideRight, Qt::ElideLeft}) {
    QString text = metrics_.elidedText(name, mode, width_);
    if (text == name || all_elided(mode).count(text) < 2) return text;
  }
  return metrics_.elidedText(name, Qt::ElideMiddle, width_);
}

const QStringList& RowNames::all_elided(Qt::TextElideMode mode) {
  QStringList& all = elided_[mode];
  if (all.isEmpty())
    for (const QString& name : names_) all << metrics_.elidedText(without_program(name), mode, width_);
  return all;
}

}  // namespace arenascope::views
