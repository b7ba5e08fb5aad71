// SPDX-License-Identifier: GPL-3.0-or-later
// Header facts about loops, branches and scans: whether their memory is in this plan or in another one.
#pragma once
#include <arenascope/trace/info.h>
#include <views/common/header.h>

namespace arenascope::views {

void add_regions(HeaderContent& h, const trace::GraphInfo* graph);

}  // namespace arenascope::views
