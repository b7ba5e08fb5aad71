// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>

#include <arenascope/base/format_bytes.h>

#include <QLocale>
#include <QStringList>
#include <cmath>
#include <cstdlib>

namespace arenascope::views {

namespace {

// Three significant digits: 9.87, 98.7, 987.
QString three_digits(double v) {
  const double a = std::abs(v);
  const int decimals = a >= 99.95 || a == std::floor(a) ? 0 : a >= 9.995 ? 1 : 2;
  return QLocale().toString(v, 'f', decimals);
}

}  // namespace

QString format_bytes(Bytes bytes) {
  const auto [v, unit] = scaled_bytes(bytes);
  const int decimals = std::abs(v) >= 99.95 || v == std::floor(v) ? 0 : 1;  // one decimal is enough: 41.2 MiB
  return QLocale().toString(v, 'f', decimals) + QChar(0xa0) + QLatin1String(unit);
}

QString format_bytes_exact(Bytes bytes) {
  if (std::abs(bytes) < 1024) return format_bytes(bytes);
  return DisplayNames::tr("%1 (%2 bytes)").arg(format_bytes(bytes), format_count(bytes));
}

QString format_ns(Nanoseconds ns) {
  const double v = static_cast<double>(ns), a = std::abs(v);
  if (a < 999.5) return QLocale().toString(ns) + QStringLiteral("\u00a0ns");
  if (a < 999.5e3) return three_digits(v / 1e3) + QStringLiteral("\u00a0µs");
  if (a < 999.5e6) return three_digits(v / 1e6) + QStringLiteral("\u00a0ms");
  return three_digits(v / 1e9) + QStringLiteral("\u00a0s");
}

QString format_time(Nanoseconds ns, Nanoseconds resolution) {
  const double v = static_cast<double>(ns), a = std::max(std::abs(v), static_cast<double>(resolution));
  const double unit = a < 1e3 ? 1 : a < 1e6 ? 1e3 : a < 1e9 ? 1e6 : 1e9;
  const char* name = unit == 1 ? "ns" : unit == 1e3 ? "µs" : unit == 1e6 ? "ms" : "s";
  int decimals = 0;
  for (double r = static_cast<double>(std::max<Nanoseconds>(resolution, 1)); r < unit * 0.999 && decimals < 9;
       r *= 10) {
    ++decimals;
  }
  return QLocale().toString(v / unit, 'f', decimals) + QChar(0xa0) + QString::fromUtf8(name);
}

QString format_percent(double share) {
  const double v = share * 100;
  return QLocale().toString(v, 'f', std::abs(v) >= 99.95 ? 0 : 1) + QStringLiteral("\u00a0%");
}

QString format_count(int64_t n) { return QLocale().toString(static_cast<qlonglong>(n)); }

QString format_address(Bytes offset) { return QStringLiteral("0x%1").arg(offset, 0, 16); }

QString format_shape(const std::vector<int64_t>& shape) {
  if (shape.empty()) return DisplayNames::tr("scalar");
  QStringList parts;
  for (const int64_t d : shape) parts << QString::number(d);
  return parts.join(QStringLiteral(" × "));
}

QString tensor_title(const trace::TensorInfo& tensor, trace::TensorRef ref) {
  const QString name = tensor.name.empty() ? DisplayNames::node(ref) : QString::fromStdString(tensor.name);
  return tensor.op.empty() ? name : name + QStringLiteral("  ") + QString::fromStdString(tensor.op);
}

QString DisplayNames::kind(trace::MemoryKind kind) {
  switch (kind) {
    case trace::MemoryKind::Default: return tr("Default");
    case trace::MemoryKind::Persistent: return tr("Persistent");
    case trace::MemoryKind::Workspace: return tr("Workspace");
    case trace::MemoryKind::KVCache: return tr("KV cache");
    case trace::MemoryKind::HostPinned: return tr("Host, pinned");
    case trace::MemoryKind::HostPageable: return tr("Host, pageable");
    case trace::MemoryKind::Mapped: return tr("Mapped weights");
  }
  return {};
}

QString DisplayNames::track(trace::TrackKind kind) {
  switch (kind) {
    case trace::TrackKind::Worker: return tr("worker thread");
    case trace::TrackKind::DeviceQueue: return tr("device queue");
    case trace::TrackKind::CopyEngine: return tr("copy engine");
    case trace::TrackKind::Other: return tr("thread");
  }
  return {};
}

QString DisplayNames::role(const trace::TensorInfo& tensor) {
  if (tensor.flags & trace::kParameter) return tr("parameter");  // also flagged as a weight
  if (tensor.flags & trace::kWeight) return tr("weight");
  if (tensor.flags & trace::kInput) return tr("input");
  if (tensor.flags & trace::kOutput) return tr("output");
  if (tensor.flags & trace::kView) return tr("view");
  return tr("intermediate result");
}

QString DisplayNames::file_name(const trace::TensorInfo& tensor) {
  constexpr qsizetype kMaxNames = 3;
  QStringList names;
  for (const trace::FileNodeInfo& node : tensor.file_nodes)
    if (!node.name.empty()) names << QString::fromStdString(node.name);
  if (names.size() > kMaxNames) names = {names.first(), QStringLiteral("…"), names.last()};
  return names.join(QStringLiteral(" + "));
}

QString DisplayNames::node(trace::TensorRef ref) {
  if (!ref.valid()) return {};
  return ref.is_leaf() ? tr("leaf %1").arg(ref.index()) : tr("node %1").arg(ref.index());
}

}  // namespace arenascope::views
