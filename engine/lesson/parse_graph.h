// SPDX-License-Identifier: MIT
// A line of a lesson's graph, as text and as a value.
#pragma once
#include <arenascope/lesson/lesson.h>

namespace arenascope::lesson {

// Errors: none of the forms, a source that does not stand before it, a name twice, buffers among nodes.
Result<GraphLine> parse_graph_line(std::string_view line, std::span<const GraphLine> before);

}  // namespace arenascope::lesson
