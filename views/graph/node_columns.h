// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the nodes table, to colour the graph by. The table is created elsewhere: the graph view does not depend on
// tables.
#pragma once
#include <views/common/session_source.h>

#include <QStringList>
#include <functional>

namespace arenascope::views {

struct NodeColumn {
  QString title;
  std::function<QString(size_t node)> text;    // empty: no value for the node
  std::function<double(size_t node)> number;   // null: the column is text
  std::function<QString(double)> number_text;  // for the legend
  bool adds_up = false;                        // a layer's value is the sum; otherwise the maximum
};

struct NodeColumns {
  std::function<QStringList(const SessionSource&)> titles;
  std::function<NodeColumn(const SessionSource&, int column)> column;  // empty title: the column does not exist
};

// The values of one column, read once per node.
struct ColumnValues {
  QString title;
  std::vector<QString> texts;   // per node, if the column is text
  std::vector<double> numbers;  // otherwise; NaN if there is no value
  std::function<QString(double)> number_text;
  bool adds_up = false;
};

// Reads a column only if its source has changed.
class ColumnReader {
 public:
  NodeColumns columns;
  // Null if the column does not exist.
  const ColumnValues* read(const SessionSource& source, int column);
  void forget() { snapshot_ = nullptr; }

 private:
  SnapshotPtr snapshot_;
  const trace::PlanInfo* plan_ = nullptr;
  std::shared_ptr<const trace::PlanInfo> shown_;  // keeps the plan alive if it is not in the snapshot
  ComparisonPtr comparison_;
  int column_ = -1;
  ColumnValues values_;
};

}  // namespace arenascope::views
