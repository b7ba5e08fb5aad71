// SPDX-License-Identifier: GPL-3.0-or-later
// A row of the table of run options (run_options.h) for each option of a backend that has choices; its id is BACKEND.NAME.
#pragma once
#include "app/common/run_options.h"

namespace arenascope::app {

std::vector<RunOption> backend_option_rows();

}  // namespace arenascope::app
