// SPDX-License-Identifier: GPL-3.0-or-later
// English text for sizes and times in the command line; the window has its own, translated functions.
#pragma once
#include <string>
#include <string_view>

#include <arenascope/base/format_bytes.h>
#include <arenascope/base/grouped.h>
#include <arenascope/base/ids.h>

namespace arenascope::app {

using arenascope::format_bytes;
using arenascope::grouped;
std::string format_nanoseconds(Nanoseconds time);           // "3.21 ms"
std::string counted(int64_t count, std::string_view what);  // "1 node", "2 nodes"

// A name as a code span in a cell of a Markdown table: a bar would end the cell, a backquote the span.
std::string markdown_code(std::string_view name);

}  // namespace arenascope::app
