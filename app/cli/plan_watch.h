// SPDX-License-Identifier: GPL-3.0-or-later
// plan --watch: a folder into which others put intervals and from which they take plans.
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
  std::optional<double> seconds;  // how long; none: until interrupted. 0: what is there now
};

// NAME.csv gets NAME.plan.csv beside it: the same rows with their offsets. Each file is planned when it came to rest
// (the same size and time twice), and again when it changes; one whose plan is newer than itself is left alone. A line
// for each on standard output (with `json` an object a line), a sentence on standard error for what cannot be planned,
// which then has no plan file. The status is that of the worst file.
int watch_folder(const Context& context, const WatchArguments& arguments);

}  // namespace arenascope::cli
