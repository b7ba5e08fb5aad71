// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_columns.h"

#include <views/common/format.h>
#include <views/tables/table.h>

#include <cmath>

namespace arenascope::app {

using namespace views;

namespace {

QString bytes_text(double v) {
  return v < 0 ? QStringLiteral("−") + format_bytes(static_cast<Bytes>(-v)) : format_bytes(static_cast<Bytes>(v));
}
QString time_text(double v) {
  return v < 0 ? QStringLiteral("−") + format_ns(static_cast<Nanoseconds>(-v)) : format_ns(static_cast<Nanoseconds>(v));
}
QString share_text(double v) { return format_percent(v); }
QString address_text(double v) { return format_address(static_cast<Bytes>(v)); }
QString count_text(double v) { return format_count(static_cast<int64_t>(std::llround(v))); }

using NumberText = QString (*)(double);

NumberText text_for(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::Bytes: return bytes_text;
    case FigureUnit::Time: return time_text;
    case FigureUnit::Share: return share_text;
    case FigureUnit::Address: return address_text;
    default: return count_text;
  }
}

// The titles are the same for all graphs, so no graph is needed.
QStringList titles(const SessionSource& source) {
  TableInput input = TableInput::of(source);
  if (!input.graph) return {};
  auto none = std::make_shared<trace::GraphInfo>();
  none->id = input.graph->id;
  input.graph = none;
  input.plan = nullptr;
  QStringList all;
  const TablePtr table = nodes_table(input);
  for (const Column& c : table->columns) all << c.title;
  return all;
}

NodeColumn column(const SessionSource& source, int index) {
  const TablePtr table = nodes_table(TableInput::of(source));
  if (index < 0 || static_cast<size_t>(index) >= table->columns.size()) return {};
  const Column& c = table->columns[static_cast<size_t>(index)];
  return {c.title, c.text, c.number, text_for(c.unit), c.adds_up};
}

}  // namespace

NodeColumns graph_columns() { return {titles, column}; }

}  // namespace arenascope::app
