// SPDX-License-Identifier: GPL-3.0-or-later
// Table of the options for opening and running a model. The command line options and the rows of the Run Settings
// panel are created from it.
#pragma once
#include <arenascope/run/runner.h>

#include "app/common/option.h"

namespace arenascope::app {

using RunOption = OptionOf<RunnerOptions>;
std::span<const RunOption> run_options();
const RunOption* find_run_option(std::string_view id);  // null: unknown id

// Errors: as for set_options().
Status set_run_options(RunnerOptions& options, const OptionValues& values, std::string_view prefix = {});

}  // namespace arenascope::app
