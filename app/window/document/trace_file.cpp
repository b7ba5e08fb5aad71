// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_file.h"

#include <arenascope/trace/import.h>

#include <QFile>
#include <QFileInfo>

namespace arenascope::app {

bool is_trace_file(const QString& path) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return false;
  const QByteArray head = file.read(1 << 16);
  if (head.startsWith("\x1f\x8b")) return true;
  return trace::sniff({reinterpret_cast<const uint8_t*>(head.data()), static_cast<size_t>(head.size())}) !=
         trace::TraceKind::Unknown;
}

}  // namespace arenascope::app
