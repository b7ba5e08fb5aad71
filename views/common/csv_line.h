// SPDX-License-Identifier: GPL-3.0-or-later
// A line of a table as RFC 4180 has it: fields with commas, quotes or line ends in quotes.
#pragma once
#include <QStringList>

namespace arenascope::views {

inline QString csv_line(const QStringList& fields) {
  QString line;
  for (qsizetype i = 0; i < fields.size(); ++i) {
    QString field = fields[i];
    if (field.contains(u',') || field.contains(u'"') || field.contains(u'\n') || field.contains(u'\r'))
      field = u'"' + field.replace(u'"', QStringLiteral("\"\"")) + u'"';
    line += (i > 0 ? QStringLiteral(",") : QString()) + field;
  }
  return line + u'\n';
}

}  // namespace arenascope::views
