// SPDX-License-Identifier: GPL-3.0-or-later
// How an answer was made: the first member of every JSON object that is printed.
#pragma once
#include "app/cli/cli.h"

namespace arenascope::cli {

// Program, version, command, all options with their values, and the input files with their hashes. Nothing in it
// depends on the time or on addresses.
Json report_of(const CLI::App& command);

}  // namespace arenascope::cli
