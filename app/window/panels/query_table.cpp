// SPDX-License-Identifier: GPL-3.0-or-later
#include "query_table.h"

#include <views/common/csv_line.h>
#include <views/common/format.h>
#include <views/common/spaces.h>
#include <QLocale>

#include <cmath>
#include <limits>

namespace arenascope::app {

using namespace views;
using query::Quantity;
using query::Value;

namespace {

struct QueryTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::QueryPanel)
};

QString tip_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::Bytes: return QueryTableTexts::tr("Bytes");
    case Quantity::Duration: return QueryTableTexts::tr("Duration");
    case Quantity::Moment: return QueryTableTexts::tr("Time since the start of the recording");
    case Quantity::Number: break;
  }
  return {};
}

QString exact_value(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return QString::number(*integer);
  if (const auto* real = std::get_if<double>(&value)) return QString::number(*real, 'g', 17);
  if (const auto* text = std::get_if<std::string>(&value)) return QString::fromStdString(*text);
  return {};
}

// selection_of(row) == other, for tables with many rows.
bool is_selected(const QueryResult& result, size_t row, const Selection& other) {
  const query::Target& target = result.targets[row];
  if (const auto* tensor = std::get_if<query::TensorTarget>(&target)) {
    const auto* node = other.get<NodeSelection>();
    return node != nullptr && node->graph == tensor->graph && node->tensor == tensor->tensor;
  }
  if (const auto* span = std::get_if<trace::SpanRef>(&target)) {
    const auto* event = other.get<EventSelection>();
    return event != nullptr && event->span == *span;
  }
  return std::holds_alternative<query::AllocationTarget>(target) && query_selection(result, row) == other;
}

const Value& value_at(const QueryResult& result, size_t row, size_t column) { return result.rows.rows[row][column]; }

}  // namespace

QString query_number_text(const QueryResult& result, size_t column, double value) {
  const auto integer = static_cast<int64_t>(std::llround(std::clamp(value, -9e18, 9e18)));
  switch (query::quantity_of(result.rows.columns[column])) {
    case Quantity::Bytes: return format_bytes(integer);
    case Quantity::Duration: return format_ns(integer);
    case Quantity::Moment: return format_ns(integer - result.snapshot->time.begin);
    case Quantity::Number: break;
  }
  return value == std::floor(value) && std::abs(value) < 1e15 ? format_count(integer)
                                                              : QLocale().toString(value, 'g', 6);
}

QString query_cell_text(const QueryResult& result, size_t row, size_t column) {
  const Value& value = value_at(result, row, column);
  const std::string& name = result.rows.columns[column];
  const auto* integer = std::get_if<int64_t>(&value);
  if (integer != nullptr && name == "address") return format_address(*integer);
  const bool is_id = result.rows.references[column] != query::Reference::None;
  if ((integer != nullptr && !is_id) || std::holds_alternative<double>(value))
    return query_number_text(result, column, query_number(result, row, column));
  return exact_value(value);
}

double query_number(const QueryResult& result, size_t row, size_t column) {
  const Value& value = value_at(result, row, column);
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? *real : std::numeric_limits<double>::quiet_NaN();
}

Selection query_selection(const QueryResult& result, size_t row) {
  if (row >= result.targets.size()) return {};
  const query::Target& target = result.targets[row];
  if (const auto* tensor = std::get_if<query::TensorTarget>(&target))
    return NodeSelection{tensor->graph, tensor->tensor};
  if (const auto* span = std::get_if<trace::SpanRef>(&target)) return EventSelection{*span};
  if (const auto* allocation = std::get_if<query::AllocationTarget>(&target))
    return slice_selection(*query::allocation_of_row(*result.snapshot, allocation->row));
  return {};
}

TablePtr query_table(const QueryResultPtr& result) {
  auto table = std::make_shared<Table>();
  table->empty_text = result ? QueryTableTexts::tr("The result has no rows.")
                             : QueryTableTexts::tr(
                                   "The result of the query is shown here. A row with the number or "
                                   "name of a node, tensor, span or allocation selects it.");
  if (!result) return table;
  table->rows = result->rows.rows.size();
  for (size_t c = 0; c < result->rows.columns.size(); ++c) {
    const std::string& name = result->rows.columns[c];
    Column column{QString::fromStdString(name), tip_of(query::quantity_of(name)),
                  [result, c](size_t r) { return query_cell_text(*result, r, c); }};
    // A missing value is sorted below all others.
    if (result->numeric[c])
      column.number = [result, c](size_t r) {
        const double value = query_number(*result, r, c);
        return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
      };
    table->columns.push_back(std::move(column));
  }
  if (result->targets.empty()) return table;
  table->selection = [result](size_t r) { return query_selection(*result, r); };
  table->is_selected = [result](size_t r, const Selection& other) { return is_selected(*result, r, other); };
  return table;
}

QString query_csv(const QueryResult& result) {
  QStringList fields;
  for (const std::string& name : result.rows.columns) fields << QString::fromStdString(name);
  QString out = csv_line(std::exchange(fields, {}));
  for (const auto& row : result.rows.rows) {
    for (const Value& value : row) fields << exact_value(value);
    out += csv_line(std::exchange(fields, {}));
  }
  return out;
}

}  // namespace arenascope::app
