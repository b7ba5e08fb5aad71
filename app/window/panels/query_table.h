// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a query as a table whose rows select nodes, tensors, spans and allocations.
#pragma once
#include <views/tables/table.h>

#include "app/window/document/query_job.h"

namespace arenascope::app {

views::TablePtr query_table(const QueryResultPtr& result);
// All rows in the order of the result. Integers are exact, times are nanoseconds, a missing value is an empty field.
QString query_csv(const QueryResult& result);

// The selection for a row; empty if the row identifies nothing.
views::Selection query_selection(const QueryResult& result, size_t row);
// With its unit; times of the recording's clock are relative to its begin. Empty for a missing value.
QString query_cell_text(const QueryResult& result, size_t row, size_t column);
// The value of a numeric column; NaN if it is missing.
double query_number(const QueryResult& result, size_t row, size_t column);
QString query_number_text(const QueryResult& result, size_t column, double value);

}  // namespace arenascope::app
