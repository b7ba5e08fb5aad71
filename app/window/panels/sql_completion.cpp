// SPDX-License-Identifier: GPL-3.0-or-later
#include "sql_completion.h"

#include <arenascope/trace/session.h>

#include <QRegularExpression>

#include <algorithm>

#include "app/query/database.h"

namespace arenascope::app {

namespace {

QStringList names_of(const std::vector<std::string>& names) {
  QStringList out;
  for (const std::string& name : names) out << QString::fromStdString(name);
  return out;
}

bool is_name_character(QChar c) { return c.isLetterOrNumber() || c == u'_'; }

int begin_of_name(const QString& sql, int cursor) {
  int begin = cursor;
  while (begin > 0 && is_name_character(sql[begin - 1])) --begin;
  return begin;
}

bool is_in_string_or_comment(const QString& sql, int cursor) {
  QChar open;  // null: outside
  for (int i = 0; i < cursor; ++i) {
    if (open == u'-') {
      if (sql[i] == u'\n') open = {};
    } else if (!open.isNull()) {
      if (sql[i] == open) open = {};
    } else if (sql[i] == u'\'' || sql[i] == u'"') {
      open = sql[i];
    } else if (sql[i] == u'-' && i + 1 < cursor && sql[i + 1] == u'-') {
      open = u'-';
    }
  }
  return !open.isNull();
}

const SqlSchema::Table* table_named(const SqlSchema& schema, const QString& name) {
  const auto found = std::ranges::find_if(
      schema.tables, [&](const auto& table) { return table.name.compare(name, Qt::CaseInsensitive) == 0; });
  return found == schema.tables.end() ? nullptr : &*found;
}

struct UsedTable {
  const SqlSchema::Table* table;
  QString alias;  // empty: none
};

// Tables after FROM, JOIN or a comma.
std::vector<UsedTable> tables_used(const SqlSchema& schema, const QString& sql) {
  static const QRegularExpression pattern(QStringLiteral(R"((?:\bfrom|\bjoin|,)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?)"),
                                          QRegularExpression::CaseInsensitiveOption);
  std::vector<UsedTable> out;
  for (auto match = pattern.globalMatch(sql); match.hasNext();) {
    const QRegularExpressionMatch found = match.next();
    const SqlSchema::Table* table = table_named(schema, found.captured(1));
    if (table != nullptr) out.push_back({table, found.captured(2)});
  }
  return out;
}

}  // namespace

const SqlSchema& SqlSchema::of_recordings() {
  static const SqlSchema schema = [] {
    SqlSchema made;
    const trace::Session empty;
    auto database = query::Database::open(query::tables_of(empty.snapshot()));
    if (!database) return made;
    for (const query::Table& table : (*database)->tables()) {
      QStringList columns;
      for (const query::Column& column : table.columns) columns << QString::fromLatin1(column.name);
      made.tables.push_back({QString::fromLatin1(table.name), columns});
    }
    made.functions = names_of((*database)->functions());
    made.keywords = names_of(query::sql_keywords());
    return made;
  }();
  return schema;
}

SqlCompletions completions_at(const SqlSchema& schema, const QString& sql, int cursor) {
  SqlCompletions out{begin_of_name(sql, cursor), {}};
  if (is_in_string_or_comment(sql, cursor)) return out;
  const QString typed = sql.mid(out.begin, cursor - out.begin);
  const auto add = [&](const QStringList& names) {
    for (const QString& name : names)
      if (name.startsWith(typed, Qt::CaseInsensitive) && !out.names.contains(name)) out.names << name;
  };
  const std::vector<UsedTable> used = tables_used(schema, sql);
  if (out.begin > 0 && sql[out.begin - 1] == u'.') {
    const int before = begin_of_name(sql, out.begin - 1);
    const QString owner = sql.mid(before, out.begin - 1 - before);
    for (const UsedTable& table : used)
      if (table.alias.compare(owner, Qt::CaseInsensitive) == 0) add(table.table->columns);
    if (const SqlSchema::Table* table = table_named(schema, owner)) add(table->columns);
    return out;
  }
  for (const UsedTable& table : used) add(table.table->columns);
  QStringList tables;
  for (const SqlSchema::Table& table : schema.tables) tables << table.name;
  add(tables);
  add(schema.functions);
  add(schema.keywords);
  return out;
}

}  // namespace arenascope::app
