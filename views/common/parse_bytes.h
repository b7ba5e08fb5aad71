// SPDX-License-Identifier: GPL-3.0-or-later
// Parses sizes entered by the user.
#pragma once
#include <arenascope/base/ids.h>

#include <QString>

#include <optional>

namespace arenascope::views {

// Accepts "96 MiB", "1.5g", "4096"; nullopt if the text is not a size.
std::optional<Bytes> parse_bytes(const QString& text);

}  // namespace arenascope::views
