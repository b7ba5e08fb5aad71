// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_file.h"

#include <arenascope/trace/import.h>

#include <QFile>
#include <QFileInfo>

namespace arenascope::app {

namespace {

constexpr qint64 kHead = 1 << 16;

trace::TraceKind kind_of(const QByteArray& head) {
  return trace::sniff({reinterpret_cast<const uint8_t*>(head.data()), static_cast<size_t>(head.size())});
}

QByteArray head_of(const QString& path) {
  QFile file(path);
  return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly) ? file.read(kHead) : QByteArray();
}

}  // namespace

bool is_trace_file(const QString& path) {
  const QByteArray head = head_of(path);
  return head.startsWith("\x1f\x8b") || kind_of(head) != trace::TraceKind::Unknown;
}

bool is_pytorch_snapshot(const QString& path) { return kind_of(head_of(path)) == trace::TraceKind::PytorchSnapshot; }

}  // namespace arenascope::app
