// SPDX-License-Identifier: GPL-3.0-or-later
// Detects recordings and traces by content. Compressed files count as traces, since models are not compressed.
#pragma once
#include <QString>

namespace arenascope::app {

bool is_trace_file(const QString& path);
bool is_pytorch_snapshot(const QString& path);  // a memory snapshot, which is not compressed

}  // namespace arenascope::app
