// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over the tables of a recording or trace, by virtual tables of SQLite. Read-only: nothing can be attached or stored.
#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/base/result.h>

#include "app/query/tables.h"

struct sqlite3;
struct sqlite3_stmt;

namespace arenascope::query {

struct Rows {
  std::vector<std::string> columns;
  std::vector<Reference> references;  // by column; of computed values by name (graph, node, …), else None
  std::vector<std::vector<Value>> rows;
  bool truncated = false;  // there are more rows than the limit
};

struct Limits {
  std::stop_token stop = {};
  size_t max_rows = SIZE_MAX;
};

// Receives a result cell by cell, without a copy of all rows.
class CellSink {
 public:
  virtual ~CellSink() = default;
  struct Head {
    std::string name;
    Reference reference = Reference::None;  // as Rows::references
    std::optional<Type> type;               // of the table's column; none for computed values
  };
  virtual void begin(std::vector<Head> columns) = 0;
  virtual void begin_row() {}
  virtual void null(size_t column) = 0;
  virtual void integer(size_t column, int64_t value) = 0;
  virtual void real(size_t column, double value) = 0;
  virtual void text(size_t column, std::string_view value) = 0;
};

class Database {
 public:
  // `tables` as of tables_of().
  static Result<std::unique_ptr<Database>> open(std::vector<Table> tables);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::vector<Table>& tables() const { return tables_; }
  // Names of the functions of SQLite, sorted.
  const std::vector<std::string>& functions() const { return functions_; }
  // One statement. Errors: as SQLite reports them ("interrupted" after a stop), or more than one statement.
  Result<Rows> run(const std::string& sql, const Limits& limits = {});
  // The same into a sink. True: there are more rows than the limit.
  Result<bool> run(const std::string& sql, const Limits& limits, CellSink& sink);
  // Position of the last error in its SQL, in bytes; -1: unknown.
  int error_offset() const;

 private:
  explicit Database(std::vector<Table> tables) : tables_(std::move(tables)) {}
  Status declare();
  CellSink::Head head_of(sqlite3_stmt* statement, int column) const;

  std::vector<Table> tables_;
  std::vector<std::string> functions_;
  sqlite3* handle_ = nullptr;
};

// Keywords of SQLite, sorted.
std::vector<std::string> sql_keywords();

}  // namespace arenascope::query
