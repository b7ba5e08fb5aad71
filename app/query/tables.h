// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a recording or trace, each described once: the SQL schema, the reference page and the queries use this
// description. Rows are read from the snapshot, not copied.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <arenascope/trace/snapshot.h>

namespace arenascope::query {

// A cell; std::monostate: not recorded (NULL).
using Value = std::variant<std::monostate, int64_t, double, std::string>;

enum class Type : uint8_t { Integer, Real, Text };

struct Column {
  const char* name;
  Type type;
  const char* meaning;
  std::function<Value(size_t row)> value;
};

struct Table {
  const char* name;
  const char* meaning;
  size_t rows = 0;
  std::vector<Column> columns;
};

// All tables, also empty ones. Times are nanoseconds on the recording's clock; sizes are bytes.
std::vector<Table> tables_of(std::shared_ptr<const trace::Snapshot> snapshot);

// A query that is known by a name.
struct NamedQuery {
  const char* name;
  const char* meaning;
  const char* sql;
};
const std::vector<NamedQuery>& named_queries();

}  // namespace arenascope::query
