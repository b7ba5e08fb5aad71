// SPDX-License-Identifier: GPL-3.0-or-later
// One CSV record as a line.
#pragma once
#include <arenascope/base/csv.h>
#include <QStringList>

namespace arenascope::views {

inline QString csv_line(QStringList fields) {
  for (QString& field : fields) field = QString::fromStdString(csv_field(field.toStdString()));
  return fields.join(u',') + u'\n';
}

}  // namespace arenascope::views
