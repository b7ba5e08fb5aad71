// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes as people type them.
#pragma once
#include <arenascope/base/ids.h>

#include <QString>

#include <optional>

namespace arenascope::views {

// "96 MiB", "1.5g", "4096"; none where it is no size.
std::optional<Bytes> parse_bytes(const QString& text);

}  // namespace arenascope::views
