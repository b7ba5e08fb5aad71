// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the table of run options (run_options.h) for the backend options with choices; their ids are BACKEND.NAME.
#pragma once
#include "app/common/run_options.h"

namespace arenascope::app {

std::vector<RunOption> backend_option_rows();

}  // namespace arenascope::app
