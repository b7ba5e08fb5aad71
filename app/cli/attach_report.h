// SPDX-License-Identifier: GPL-3.0-or-later
// What arenascope-cli attach says of the programs that it has watched.
#pragma once
#include <string>
#include <vector>

#include <arenascope/attach/receiver.h>
#include <arenascope/trace/snapshot.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

struct AttachReport {
  std::vector<std::string> words;
  int status = 0;  // as waitpid() gives it
  double seconds = 0;
  int ranks = 0;  // how many had to attach
  std::vector<attach::Program> programs;
  std::string recording;  // "" without one
};

// Prints it, as one object with --json. The exit status: 1 where the program failed, or never attached.
int print_report(const Context& context, const AttachReport& report, const trace::Snapshot& snapshot);

}  // namespace arenascope::cli
