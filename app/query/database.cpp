// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <new>

#include <fmt/format.h>

namespace arenascope::query {
namespace {

struct VirtualTable {
  sqlite3_vtab base;  // first, as SQLite requires
  const Table* table;
};

struct Cursor {
  sqlite3_vtab_cursor base;
  const Table* table;
  size_t row;
};

const char* sql_type(Type type) { return type == Type::Integer ? "INTEGER" : type == Type::Real ? "REAL" : "TEXT"; }

int connect(sqlite3* handle, void* table, int, const char* const*, sqlite3_vtab** out, char**) {
  std::string declaration = "CREATE TABLE t(";
  for (const Column& column : static_cast<const Table*>(table)->columns)
    declaration += fmt::format("{}{} {}", declaration.back() == '(' ? "" : ", ", column.name, sql_type(column.type));
  if (const int error = sqlite3_declare_vtab(handle, (declaration + ")").c_str()); error != SQLITE_OK) return error;
  auto* made = new (std::nothrow) VirtualTable{{}, static_cast<const Table*>(table)};
  *out = made == nullptr ? nullptr : &made->base;
  return made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}
int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

// Each scan reads all rows.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const size_t rows = reinterpret_cast<VirtualTable*>(table)->table->rows;
  info->estimatedRows = static_cast<sqlite3_int64>(rows);
  info->estimatedCost = static_cast<double>(rows);
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  auto* made = new (std::nothrow) Cursor{{}, reinterpret_cast<VirtualTable*>(table)->table, 0};
  *out = made == nullptr ? nullptr : &made->base;
  return made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}
int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<Cursor*>(cursor);
  return SQLITE_OK;
}
int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  reinterpret_cast<Cursor*>(cursor)->row = 0;
  return SQLITE_OK;
}
int next(sqlite3_vtab_cursor* cursor) {
  ++reinterpret_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}
int at_end(sqlite3_vtab_cursor* cursor) {
  const auto* c = reinterpret_cast<Cursor*>(cursor);
  return c->row >= c->table->rows;
}
int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(reinterpret_cast<Cursor*>(cursor)->row);
  return SQLITE_OK;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) try {
  const auto* c = reinterpret_cast<Cursor*>(cursor);
  const Value value = c->table->columns[static_cast<size_t>(number)].value(c->row);
  if (const auto* integer = std::get_if<int64_t>(&value))
    sqlite3_result_int64(context, *integer);
  else if (const auto* real = std::get_if<double>(&value))
    sqlite3_result_double(context, *real);
  else if (const auto* text = std::get_if<std::string>(&value))
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  else
    sqlite3_result_null(context);
  return SQLITE_OK;
} catch (const std::bad_alloc&) {
  return SQLITE_NOMEM;
}

// The tables exist under their own names without CREATE VIRTUAL TABLE, since there is no xCreate.
constexpr sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}();

// Queries read; they neither attach files nor load extensions nor change settings.
int authorize(void*, int action, const char*, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    default: return SQLITE_DENY;
  }
}

void put_cell(sqlite3_stmt* statement, int number, CellSink& sink) {
  const auto column = static_cast<size_t>(number);
  switch (sqlite3_column_type(statement, number)) {
    case SQLITE_INTEGER: return sink.integer(column, sqlite3_column_int64(statement, number));
    case SQLITE_FLOAT: return sink.real(column, sqlite3_column_double(statement, number));
    case SQLITE_NULL: return sink.null(column);
    default: break;
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, number));
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, number));
  text == nullptr ? sink.null(column) : sink.text(column, {text, size});
}

class RowsSink : public CellSink {
 public:
  Rows rows;
  void begin(std::vector<Head> columns) override {
    for (Head& column : columns) {
      rows.columns.push_back(std::move(column.name));
      rows.references.push_back(column.reference);
    }
  }
  void begin_row() override { rows.rows.emplace_back().reserve(rows.columns.size()); }
  void null(size_t) override { rows.rows.back().emplace_back(); }
  void integer(size_t, int64_t value) override { rows.rows.back().emplace_back(value); }
  void real(size_t, double value) override { rows.rows.back().emplace_back(value); }
  void text(size_t, std::string_view value) override { rows.rows.back().emplace_back(std::string(value)); }
};

// While this object exists, the statements of the database are interrupted once `stop` is requested.
class StopCheck {
 public:
  StopCheck(sqlite3* handle, const std::stop_token& stop) : handle_(handle), stop_(stop) {
    constexpr int kInstructions = 2000;
    if (stop_.stop_possible())
      sqlite3_progress_handler(
          handle_, kInstructions,
          [](void* token) { return static_cast<const std::stop_token*>(token)->stop_requested() ? 1 : 0; }, &stop_);
  }
  ~StopCheck() { sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }
  StopCheck(const StopCheck&) = delete;
  StopCheck& operator=(const StopCheck&) = delete;

 private:
  sqlite3* handle_;
  std::stop_token stop_;
};

}  // namespace

Result<std::unique_ptr<Database>> Database::open(std::vector<Table> tables) {
  std::unique_ptr<Database> database(new Database(std::move(tables)));
  if (sqlite3_open_v2(":memory:", &database->handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK)
    return Error{"SQLite cannot be started: out of memory"};
  if (auto declared = database->declare(); !declared) return declared.error();
  sqlite3_set_authorizer(database->handle_, authorize, nullptr);
  return database;
}

// SQLite declares a virtual table at its first use, which the authorizer denies to queries.
Status Database::declare() {
  for (Table& table : tables_) {
    if (sqlite3_create_module_v2(handle_, table.name, &kModule, &table, nullptr) != SQLITE_OK)
      return Error{fmt::format("table {}: {}", table.name, sqlite3_errmsg(handle_))};
    if (auto used = run(fmt::format("SELECT * FROM {} LIMIT 0", table.name)); !used) return used.error();
  }
  auto names = run("SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' ORDER BY name");
  if (!names) return names.error();
  for (const auto& row : names->rows)
    if (const auto* name = std::get_if<std::string>(&row[0])) functions_.push_back(*name);
  return {};
}

Database::~Database() { sqlite3_close_v2(handle_); }

int Database::error_offset() const { return sqlite3_error_offset(handle_); }

// A result column that shows a table column unchanged, also through subqueries, has the reference of that column. A
// computed column is identified by its name.
CellSink::Head Database::head_of(sqlite3_stmt* statement, int column) const {
  const std::string name = sqlite3_column_name(statement, column);
  const char* table = sqlite3_column_table_name(statement, column);
  const char* origin = sqlite3_column_origin_name(statement, column);
  if (table != nullptr && origin != nullptr)
    for (const Table& t : tables_)
      for (const Column& c : t.columns)
        if (t.name == std::string_view(table) && c.name == std::string_view(origin)) return {name, c.reference, c.type};
  constexpr std::pair<std::string_view, Reference> kNames[] = {
      {"graph", Reference::Graph}, {"run", Reference::Run},
      {"plan", Reference::Plan},   {"node", Reference::Node},
      {"leaf", Reference::Leaf},   {"tensor", Reference::Tensor},
      {"span", Reference::Span},   {"allocation", Reference::Allocation}};
  const auto* const known = std::ranges::find(kNames, name, [](const auto& pair) { return pair.first; });
  return {name, known == std::end(kNames) ? Reference::None : known->second, std::nullopt};
}

Result<bool> Database::run(const std::string& sql, const Limits& limits, CellSink& sink) {
  sqlite3_stmt* prepared = nullptr;
  const char* after = nullptr;
  const int error = sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &prepared, &after);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  if (error != SQLITE_OK) return Error{sqlite3_errmsg(handle_)};
  if (prepared == nullptr) return Error{"the query is empty"};
  for (const char* c = after; c < sql.data() + sql.size(); ++c)
    if (*c != ' ' && *c != '\n' && *c != '\t' && *c != ';') return Error{"expected one statement, found more"};
  const StopCheck check(handle_, limits.stop);
  const int columns = sqlite3_column_count(prepared);
  std::vector<CellSink::Head> heads;
  for (int i = 0; i < columns; ++i) heads.push_back(head_of(prepared, i));
  sink.begin(std::move(heads));
  size_t rows = 0;
  int step = 0;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
    if (rows++ >= limits.max_rows) return true;
    sink.begin_row();
    for (int i = 0; i < columns; ++i) put_cell(prepared, i, sink);
  }
  if (step != SQLITE_DONE) return Error{sqlite3_errmsg(handle_)};
  return false;
}

Result<Rows> Database::run(const std::string& sql, const Limits& limits) {
  RowsSink sink;
  const auto truncated = run(sql, limits, sink);
  if (!truncated) return truncated.error();
  sink.rows.truncated = *truncated;
  return std::move(sink.rows);
}

std::vector<std::string> sql_keywords() {
  std::vector<std::string> out;
  for (int i = 0; i < sqlite3_keyword_count(); ++i) {
    const char* name = nullptr;
    int size = 0;
    if (sqlite3_keyword_name(i, &name, &size) == SQLITE_OK) out.emplace_back(name, static_cast<size_t>(size));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace arenascope::query
