// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a recording or trace, each described once: the SQL schema, the reference page and the queries use this
// description. Rows are read from the snapshot, not copied.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <arenascope/trace/snapshot.h>

namespace arenascope::query {

// A cell; std::monostate: not recorded (NULL).
using Value = std::variant<std::monostate, int64_t, double, std::string>;

enum class Type : uint8_t { Integer, Real, Text };

// The item that a value identifies. Node and Leaf are numbers in a graph, Tensor is a name in a graph, Span and
// Allocation are row numbers of their tables.
enum class Reference : uint8_t { None, Graph, Run, Plan, Node, Leaf, Tensor, Span, Allocation };

struct Column {
  const char* name;
  Type type;
  const char* meaning;
  std::function<Value(size_t row)> value;
  Reference reference = Reference::None;
};

struct Table {
  const char* name;
  const char* meaning;
  size_t rows = 0;
  std::vector<Column> columns;
};

// All tables, also empty ones. Times are nanoseconds on the recording's clock; sizes are bytes.
std::vector<Table> tables_of(std::shared_ptr<const trace::Snapshot> snapshot);

// The items of rows of the tables `spans` and `allocations`; null: no such row.
std::optional<trace::SpanRef> span_of_row(const trace::Snapshot& snapshot, size_t row);
const trace::SpaceAllocation* allocation_of_row(const trace::Snapshot& snapshot, size_t row);

// The unit of a column, by the convention for names: *_bytes are bytes, *_ns nanoseconds. Moments are on the clock of the
// recording.
enum class Quantity : uint8_t { Number, Bytes, Duration, Moment };
Quantity quantity_of(std::string_view column);

// A query that is known by a name.
struct NamedQuery {
  const char* name;
  const char* meaning;
  const char* sql;
};
const std::vector<NamedQuery>& named_queries();

}  // namespace arenascope::query
