// SPDX-License-Identifier: GPL-3.0-or-later
#include "node_columns.h"

#include <limits>

namespace arenascope::views {

const ColumnValues* ColumnReader::read(const SessionSource& source, int column) {
  if (source.graph() == nullptr || column < 0 || !columns.column) return nullptr;
  if (snapshot_ != source.snapshot() || plan_ != source.plan() || comparison_ != source.comparison() ||
      column_ != column) {
    snapshot_ = source.snapshot();
    plan_ = source.plan();
    shown_ = source.shown_plan();
    comparison_ = source.comparison();
    column_ = column;
    const NodeColumn source_column = columns.column(source, column);
    values_ = {source_column.title, {}, {}, source_column.number_text, source_column.adds_up};
    const size_t nodes = source_column.title.isEmpty() ? 0 : source.graph()->nodes.size();
    for (size_t n = 0; n < nodes; ++n) {
      if (!source_column.number)
        values_.texts.push_back(source_column.text(n));
      else
        values_.numbers.push_back(source_column.text(n).isEmpty() ? std::numeric_limits<double>::quiet_NaN()
                                                                  : source_column.number(n));
    }
  }
  return values_.title.isEmpty() ? nullptr : &values_;
}

}  // namespace arenascope::views
