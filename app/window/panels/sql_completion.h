// SPDX-License-Identifier: GPL-3.0-or-later
// Completions for SQL over the tables of a recording. Pure functions, no widgets.
#pragma once
#include <QString>
#include <QStringList>

#include <vector>

namespace arenascope::app {

struct SqlSchema {
  struct Table {
    QString name;
    QStringList columns;
  };
  std::vector<Table> tables;
  QStringList functions, keywords;

  // The tables of every recording, and the functions and keywords of SQLite.
  static const SqlSchema& of_recordings();
};

struct SqlCompletions {
  int begin = 0;  // position of the name that is completed
  QStringList names;
};

// The names that can replace the one before the cursor: columns of a table or alias after a dot; otherwise columns of the
// tables that the query uses, tables, functions and keywords, in this order. None in a string or comment.
SqlCompletions completions_at(const SqlSchema& schema, const QString& sql, int cursor);

}  // namespace arenascope::app
