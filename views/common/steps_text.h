// SPDX-License-Identifier: GPL-3.0-or-later
// Steps as every view and text names them: the first and the last one in use, "1 – 3".
#pragma once
#include <QString>

namespace arenascope::views {

// `end` is exclusive.
inline QString format_steps(int64_t first, int64_t end) {
  return end <= first + 1 ? QString::number(first) : QStringLiteral("%1 – %2").arg(first).arg(end - 1);
}

}  // namespace arenascope::views
