// SPDX-License-Identifier: GPL-3.0-or-later
// Report of arenascope-cli attach on the programs it recorded.
#pragma once
#include <string>
#include <vector>

#include <arenascope/attach/receiver.h>
#include <arenascope/trace/snapshot.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

struct AttachReport {
  std::vector<std::string> argv;
  int status = 0;  // wait status, as from waitpid()
  double seconds = 0;
  int ranks = 0;  // number of processes that had to attach
  std::vector<attach::Program> programs;
  std::string recording;               // empty: none
  std::vector<std::string> histories;  // of PyTorch's CUDA allocator: files next to the recording
};

// Prints the report, with --json as one object. Returns exit status 1 if the program failed or never attached.
int print_report(const Context& context, const AttachReport& report, const trace::Snapshot& snapshot);

}  // namespace arenascope::cli
