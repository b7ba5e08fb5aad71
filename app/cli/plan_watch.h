// SPDX-License-Identifier: GPL-3.0-or-later
// plan --watch: a directory in which other programs put intervals and find plans.
#pragma once
#include <optional>
#include <string>

#include <arenascope/planner/planner.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

struct WatchArguments {
  std::string folder;
  const planner::Planner* planner = nullptr;
  planner::Options options;
  std::optional<Bytes> capacity;
  std::optional<double> seconds;  // duration; nullopt: until interrupted; 0: existing files only
};

// Writes NAME.plan.csv for each NAME.csv: the same rows with their offsets. A file is planned once its size and time
// are stable and again when it changes; files older than their plan are skipped. Prints one line (with `json` one
// object) per plan; errors go to standard error, and such files have no plan. Returns the worst exit status of all
// files.
int watch_folder(const Context& context, const WatchArguments& arguments);

}  // namespace arenascope::cli
