// SPDX-License-Identifier: GPL-3.0-or-later
// A table as a value: columns that give a text and a number for each row, made from one snapshot and never changed.
// Everything that a drawn view shows stands in one of these too, to be sorted, filtered, copied and saved.
#pragma once
#include <views/common/figure.h>
#include <views/common/selection.h>
#include <views/common/session_source.h>

#include <QString>
#include <functional>
#include <optional>
#include <vector>

namespace arenascope::views {

// What the selected range leaves of a table; an empty part asks nothing. All half-open.
struct RangeFilter {
  std::optional<std::pair<int32_t, int32_t>> steps;
  std::optional<trace::TimeRange> time;  // of the run at hand, for what has a time but no step
  std::optional<std::pair<Bytes, Bytes>> addresses;
  bool operator==(const RangeFilter&) const = default;
  bool empty() const { return !steps && !time && !addresses; }
  bool has_step(int32_t first, int32_t last) const { return !steps || (first < steps->second && last > steps->first); }
  bool has_time(Nanoseconds begin, Nanoseconds end) const { return !time || (begin < time->end && end > time->begin); }
  bool has_address(Bytes first, Bytes last) const {
    return !addresses || (first < addresses->second && last > addresses->first);
  }
};

struct Column {
  QString title;
  QString tip;  // what it means, with its unit
  std::function<QString(size_t row)> text;
  std::function<double(size_t row)> number = nullptr;  // sorts and aligns as a number; exported as it is
  std::function<Figure(size_t row)> figure = nullptr;  // what `text` prints, with its id; without one in an empty cell
  std::function<double(size_t row)> bar = nullptr;     // 0 to 1: how long the bar behind the number is
  bool adds_up = false;                                // of several rows together it is the sum
  std::function<double(size_t row)> mark = nullptr;    // 0 to 1: what the bar is held against
};
// A column that prints figures: text and number are theirs. `there`: whether a row has one.
Column figure_column(const QString& title, const QString& tip, FigureUnit unit,
                     std::function<std::string(size_t row)> id, std::function<double(size_t row)> value,
                     std::function<bool(size_t row)> there = nullptr);

struct Table {
  std::vector<Column> columns;
  size_t rows = 0;
  std::function<Selection(size_t row)> selection = nullptr;                     // what a click selects
  std::function<bool(size_t row, const RangeFilter& filter)> inside = nullptr;  // absent: not filtered by ranges
  std::function<QString(size_t row)> details = nullptr;                         // a tool tip for the row
  std::function<int64_t(size_t row)> id = nullptr;  // of what a row stands for, where that is no selection: a plan's
  QString empty_text;                               // why there is nothing
  int sorted_by = -1;                               // a column, ascending, until somebody sorts it otherwise
};
using TablePtr = std::shared_ptr<const Table>;
// A column of bytes that are no figures: each is what a row is about.
Column bytes_column(const QString& title, const QString& tip, std::function<double(size_t row)> value);

// What a column's numbers are: what the header of a file says, which has them as they are. On the screen each cell has its
// unit itself.
enum class ColumnUnit : uint8_t { None, Bytes, Time, Share };
ColumnUnit unit_of(const Column& column, size_t rows);
QString saved_unit(ColumnUnit unit);  // "ns", "B" or "0..1"

inline QString text(const std::string& s) { return QString::fromStdString(s); }

// What tables are made from.
struct TableInput {
  SnapshotPtr snapshot;
  trace::RunId run;
  std::shared_ptr<const trace::GraphInfo> graph;  // null where there is none
  std::shared_ptr<const trace::PlanInfo> plan;
  ComparisonPtr comparison = nullptr;  // null: nothing is compared with
  trace::PlanId in_use = {};           // where another one is shown than the run's: the run's

  static TableInput of(const SessionSource& source);
};

TablePtr nodes_table(const TableInput& input);
TablePtr ops_table(const TableInput& input);     // the nodes put together by op, the longest first
TablePtr layers_table(const TableInput& input);  // and by layer
TablePtr blocks_table(const TableInput& input);
TablePtr objects_table(const TableInput& input);
TablePtr barriers_table(const TableInput& input);
TablePtr allocators_table(const TableInput& input);
TablePtr pools_table(const TableInput& input);
TablePtr tuning_table(const TableInput& input);
TablePtr planners_table(const TableInput& input);
TablePtr reuse_table(const TableInput& input);  // two-level reuse of the plan's tensors, step by step
TablePtr moves_table(const TableInput& input);  // GE's topological optimisation of the graph, move by move
TablePtr holes_table(const TableInput& input);
TablePtr counters_table(const TableInput& input);
TablePtr compare_table(const TableInput& input);
TablePtr problems_table(const TableInput& input);
// What the plotted views draw, each beside its view.
TablePtr occupancy_table(const TableInput& input);
TablePtr arena_table(const TableInput& input);
TablePtr lifetimes_table(const TableInput& input);
TablePtr timeline_table(const TableInput& input);

}  // namespace arenascope::views
