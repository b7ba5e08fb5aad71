// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over the tables of a recording or trace, by virtual tables of SQLite. Read-only: nothing can be attached or stored.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <arenascope/base/result.h>

#include "app/query/tables.h"

struct sqlite3;

namespace arenascope::query {

struct Rows {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

class Database {
 public:
  // `tables` as of tables_of().
  static Result<std::unique_ptr<Database>> open(std::vector<Table> tables);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::vector<Table>& tables() const { return tables_; }
  // One statement. Errors: as SQLite reports them, or more than one statement.
  Result<Rows> run(const std::string& sql);

 private:
  explicit Database(std::vector<Table> tables) : tables_(std::move(tables)) {}

  std::vector<Table> tables_;
  sqlite3* handle_ = nullptr;
};

}  // namespace arenascope::query
