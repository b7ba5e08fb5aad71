// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a file is a recording or another tool's trace, told by its content. What is packed is one: models are not.
#pragma once
#include <QString>

namespace arenascope::app {

bool is_trace_file(const QString& path);

}  // namespace arenascope::app
