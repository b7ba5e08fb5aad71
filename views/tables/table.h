// SPDX-License-Identifier: GPL-3.0-or-later
// A table as a value: columns that provide a text and a number for each row, created from one snapshot and immutable.
// The content of every painted view is also available as such a table, to be sorted, filtered, copied and saved.
#pragma once
#include <arenascope/trace/flame_tree.h>
#include <views/common/figure.h>
#include <views/common/pinned_notes.h>
#include <views/common/selection.h>
#include <views/common/session_source.h>

#include <QString>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace arenascope::views {

// Restricts a table to the selected range; an unset member does not filter. All ranges are half-open.
struct RangeFilter {
  std::optional<std::pair<int32_t, int32_t>> steps;
  std::optional<trace::TimeRange> time;  // time in the current run, for rows with a time but no step
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
  QString tip;  // description, with the unit
  std::function<QString(size_t row)> text;
  std::function<double(size_t row)> number = nullptr;  // sort key; right-aligned, exported unformatted
  std::function<Figure(size_t row)> figure = nullptr;  // the figure displayed by `text`; empty id for an empty cell
  std::function<double(size_t row)> bar = nullptr;     // length of the bar under the number, 0 to 1
  bool adds_up = false;                                // the value for several rows is the sum
  std::function<double(size_t row)> mark = nullptr;    // reference mark on the bar, 0 to 1
  // The unit of `number`, in the header of exported files; on the screen each cell shows its unit. Number: rows differ.
  FigureUnit unit = FigureUnit::Number;
};
// A column of figures, which provide text and number. `there`: false for rows without a value.
Column figure_column(const QString& title, const QString& tip, FigureUnit unit,
                     std::function<std::string(size_t row)> id, std::function<double(size_t row)> value,
                     std::function<bool(size_t row)> there = nullptr);

struct Table {
  std::vector<Column> columns;
  size_t rows = 0;
  std::function<Selection(size_t row)> selection = nullptr;  // the selection for a click
  std::function<bool(size_t row, const Selection& other)> is_selected =
      nullptr;  // selection(row) == other, if that is slow
  std::function<bool(size_t row, const RangeFilter& filter)> inside = nullptr;  // null: not filtered by ranges
  std::function<QString(size_t row)> details = nullptr;                         // tooltip of the row
  std::function<int64_t(size_t row)> id = nullptr;  // id of an item that cannot be selected, such as a plan
  QString empty_text;                               // shown if there are no rows
  int sorted_by = -1;                               // default sort column, ascending
};
using TablePtr = std::shared_ptr<const Table>;
// A column of described values, which the audit does not recompute. `there`: as above.
Column number_column(const QString& title, const QString& tip, FigureUnit unit, std::function<double(size_t row)> value,
                     std::function<bool(size_t row)> there = nullptr);
Column with_unit(FigureUnit unit, Column column);  // with texts of its own
QString saved_unit(FigureUnit unit);               // "ns", "B", "0..1"; empty: none

inline QString text(const std::string& s) { return QString::fromStdString(s); }

// The input of all table functions.
struct TableInput {
  SnapshotPtr snapshot;
  trace::RunId run;
  std::shared_ptr<const trace::GraphInfo> graph;  // may be null
  std::shared_ptr<const trace::PlanInfo> plan;
  ComparisonPtr comparison = nullptr;  // null: no comparison
  trace::PlanId in_use = {};           // the plan of the run, if another one is shown
  std::stop_token stop = {};           // requested: the table is not needed

  static TableInput of(const SessionSource& source);
};

TablePtr nodes_table(const TableInput& input);
TablePtr ops_table(const TableInput& input);     // nodes aggregated by op, longest first
TablePtr layers_table(const TableInput& input);  // nodes aggregated by layer
TablePtr blocks_table(const TableInput& input);
TablePtr objects_table(const TableInput& input);
TablePtr barriers_table(const TableInput& input);
// Spans aggregated by name, of those within a range of time; null if it was stopped.
TablePtr spans_table(const TableInput& input, const std::optional<trace::TimeRange>& range);
TablePtr spans_table(const TableInput& input);  // all
TablePtr allocators_table(const TableInput& input);
TablePtr call_sites_table(const TableInput& input);
// Frames of a flame graph, the largest self weight first.
TablePtr flame_table(const TableInput& input, trace::FlameWeight weight, std::optional<trace::TimeRange> range = {},
                     trace::FlameStacks stacks = trace::FlameStacks::All);
TablePtr pools_table(const TableInput& input);
TablePtr tuning_table(const TableInput& input);
TablePtr planners_table(const TableInput& input);
TablePtr reuse_table(const TableInput& input);  // steps of two-level reuse for the plan's tensors
TablePtr moves_table(const TableInput& input);  // moves of GE's topological optimisation of the graph
// Nodes with a point in the roofline plot first.
TablePtr roofline_table(const TableInput& input);
// `origin`: time of the axis that the notes are pinned to.
TablePtr notes_table(std::vector<PinnedNote> notes, Nanoseconds origin);
TablePtr holes_table(const TableInput& input);
TablePtr counters_table(const TableInput& input);
TablePtr compare_table(const TableInput& input);
TablePtr problems_table(const TableInput& input);
// The content of the plotted views.
TablePtr occupancy_table(const TableInput& input);
TablePtr arena_table(const TableInput& input);
TablePtr lifetimes_table(const TableInput& input);
TablePtr timeline_table(const TableInput& input);

}  // namespace arenascope::views
