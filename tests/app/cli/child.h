// SPDX-License-Identifier: GPL-3.0-or-later
// Runs arenascope-cli (or another program) to its end and captures its output.
#pragma once
#include <sanitized.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope::test {

struct Ended {
  int status = -1;    // exit status; 128 + signal number if it was terminated
  bool hung = false;  // killed after a minute
  std::string out, err;
  double wall_seconds = 0;
  double cpu_seconds = 0;  // user and system
  int64_t peak_bytes = 0;  // peak RSS; at least that of this program at the time

  int error_lines() const;
  // True if standard error is one line from the program that contains `part`.
  bool says_one_line(const std::string& part = "") const;
};

struct Redirect {
  std::string in = "/dev/null";
  std::string out;  // a file to use instead of Ended::out
};

// `arguments` without the program name. A program that cannot be started ends with 127.
Ended run_program(const std::string& program, const std::vector<std::string>& arguments, const Redirect& redirect = {});
Ended cli(const std::vector<std::string>& arguments, const Redirect& redirect = {});

// The arguments joined with spaces, for a message.
std::string joined(const std::vector<std::string>& arguments);

}  // namespace arenascope::test
