// SPDX-License-Identifier: GPL-3.0-or-later
// One CSV record as in RFC 4180: fields with commas, quotes or line breaks are quoted.
#pragma once
#include <arenascope/base/printable.h>
#include <QStringList>

namespace arenascope::views {

inline QString csv_line(QStringList fields) {
  for (QString& field : fields) {
    if (is_formula(field.toStdString())) field.prepend(u'\'');
    if (field.contains(u',') || field.contains(u'"') || field.contains(u'\n') || field.contains(u'\r'))
      field = u'"' + field.replace(u'"', QStringLiteral("\"\"")) + u'"';
  }
  return fields.join(u',') + u'\n';
}

}  // namespace arenascope::views
