// SPDX-License-Identifier: GPL-3.0-or-later
// Formats numbers for display: bytes in binary units, durations, percentages, counts, and shapes.
#pragma once
#include <arenascope/trace/info.h>

#include <QCoreApplication>
#include <QString>

namespace arenascope::views {

QString format_bytes(Bytes bytes);                            // "41.2 MiB", "512 B"
QString format_bytes_exact(Bytes bytes);                      // "41.2 MiB (43,201,536 bytes)"
QString format_ns(Nanoseconds ns);                            // "1.25 ms"
QString format_time(Nanoseconds ns, Nanoseconds resolution);  // with enough digits to distinguish steps of `resolution`
QString format_percent(double share);                         // 0.073 -> "7.3 %"
QString format_count(int64_t n);                              // "12,345"
QString format_address(Bytes offset);                         // "0x2a0000"
QString format_shape(const std::vector<int64_t>& shape);      // "1 × 64 × 56 × 56"
// "name  MUL_MAT", or "node 12" if it has no name.
QString tensor_title(const trace::TensorInfo& tensor, trace::TensorRef ref);

// Translated display names for enumerators and ids of the trace module.
struct DisplayNames {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::DisplayNames)
 public:
  static QString kind(trace::MemoryKind kind);
  static QString track(trace::TrackKind kind);
  static QString role(const trace::TensorInfo& tensor);  // "weight", "input", ...
  static QString node(trace::TensorRef ref);             // "node 12", "leaf 3"
  // The names of its nodes in the model's file, "conv1 + relu1"; empty if there are none.
  static QString file_name(const trace::TensorInfo& tensor);
};

}  // namespace arenascope::views
