// SPDX-License-Identifier: GPL-3.0-or-later
// Colour categories of a graph's ops and layers.
#pragma once
#include <arenascope/trace/info.h>

#include <map>
#include <string>

namespace arenascope::views {

// Assigns a category to each text of a node, ordered by frequency in the whole graph, so that panning does not change
// colours; all texts after the first `count` - 1 share the last category. Empty texts have none.
std::map<std::string, uint32_t> categories_of(const trace::GraphInfo& graph, std::string trace::TensorInfo::*text,
                                              uint32_t count);

}  // namespace arenascope::views
