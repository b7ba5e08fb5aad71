// SPDX-License-Identifier: GPL-3.0-or-later
// One table of how a model may be opened and run otherwise than usual: the options of the command line and the rows of
// the panel Run Settings are made from it.
#pragma once
#include <arenascope/run/runner.h>

#include "app/common/option.h"

namespace arenascope::app {

using RunOption = OptionOf<RunnerOptions>;
std::span<const RunOption> run_options();
const RunOption* find_run_option(std::string_view id);  // null: there is none

// Errors: as set_options()'s.
Status set_run_options(RunnerOptions& options, const OptionValues& values);

}  // namespace arenascope::app
