// SPDX-License-Identifier: GPL-3.0-or-later
// A line of a table as RFC 4180 has it: fields with commas, quotes or line ends in quotes.
#pragma once
#include <QStringList>

namespace arenascope::views {

inline QString csv_line(QStringList fields) {
  for (QString& field : fields)
    if (field.contains(u',') || field.contains(u'"') || field.contains(u'\n') || field.contains(u'\r'))
      field = u'"' + field.replace(u'"', QStringLiteral("\"\"")) + u'"';
  return fields.join(u',') + u'\n';
}

}  // namespace arenascope::views
