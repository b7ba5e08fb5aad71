// SPDX-License-Identifier: MIT
// Parses a line of a lesson's graph definition.
#pragma once
#include <arenascope/lesson/lesson.h>

namespace arenascope::lesson {

// Errors: a malformed line, an undefined input, a duplicate name, or a mix of buffers and nodes.
Result<GraphLine> parse_graph_line(std::string_view line, std::span<const GraphLine> before);

}  // namespace arenascope::lesson
