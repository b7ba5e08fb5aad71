// SPDX-License-Identifier: GPL-3.0-or-later
// info of a recording or a trace of another tool: graphs, plans, runs, threads and memory. Values that the file does not
// record are "not recorded", or null in JSON.
#pragma once
#include <string>

#include "app/cli/cli.h"

namespace arenascope::cli {

int show_trace_info(Context& context, const std::string& file);

}  // namespace arenascope::cli
