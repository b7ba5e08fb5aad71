// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a command of this program as a child process with limits, so that a file that takes too long or too much memory ends
// the child only.
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

namespace arenascope::cli {

struct ChildLimits {
  double seconds = 120;
  Bytes address_space = Bytes{16} << 30;
  size_t output = size_t{1} << 20;  // bytes of both streams
};

struct ChildAnswer {
  int status = 0;  // as in shells
  std::string out, err;
};

// Standard input is empty. Errors: the program cannot be started, or a limit was exceeded.
Result<ChildAnswer> run_command(const std::vector<std::string>& arguments, const ChildLimits& limits);

}  // namespace arenascope::cli
