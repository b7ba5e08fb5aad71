// SPDX-License-Identifier: GPL-3.0-or-later
// What a table tells of the graph's nodes, column by column, to colour them by. The table is made elsewhere: the graph
// view knows none.
#pragma once
#include <views/common/session_source.h>

#include <QStringList>
#include <functional>

namespace arenascope::views {

struct NodeColumn {
  QString title;
  std::function<QString(size_t node)> text;    // empty: nothing is told of the node
  std::function<double(size_t node)> number;   // null: it is a text
  std::function<QString(double)> number_text;  // for the legend
  bool adds_up = false;                        // a layer's is the sum; otherwise the largest
};

struct NodeColumns {
  std::function<QStringList(const SessionSource&)> titles;
  std::function<NodeColumn(const SessionSource&, int column)> column;  // without a title: it is not there
};

// Of one column, read once from each node.
struct ColumnValues {
  QString title;
  std::vector<QString> texts;   // of each node, where they are texts
  std::vector<double> numbers;  // otherwise; not a number where nothing is told
  std::function<QString(double)> number_text;
  bool adds_up = false;
};

// Reads a column again only where what it is of has changed.
class ColumnReader {
 public:
  NodeColumns columns;
  // Null: there is no such column.
  const ColumnValues* read(const SessionSource& source, int column);
  void forget() { snapshot_ = nullptr; }

 private:
  SnapshotPtr snapshot_;
  const trace::PlanInfo* plan_ = nullptr;
  std::shared_ptr<const trace::PlanInfo> shown_;  // keeps it alive where it is not the snapshot's
  ComparisonPtr comparison_;
  int column_ = -1;
  ColumnValues values_;
};

}  // namespace arenascope::views
