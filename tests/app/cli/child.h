// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli (or another program) run to its end, and what was seen of it.
#pragma once
#include <sanitized.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope::test {

struct Ended {
  int status = -1;    // the exit status; 128 + the signal that ended it
  bool hung = false;  // killed after a minute
  std::string out, err;
  double wall_seconds = 0;
  double cpu_seconds = 0;  // user and system
  int64_t peak_bytes = 0;  // resident; at least what this program itself had then

  int error_lines() const;
  // One sentence on standard error, by the program, with `part` in it.
  bool says_one_line(const std::string& part = "") const;
};

struct Redirect {
  std::string in = "/dev/null";
  std::string out;  // a file in place of Ended::out
};

// `arguments` without the program's name. A program that cannot be started ends with 127.
Ended run_program(const std::string& program, const std::vector<std::string>& arguments, const Redirect& redirect = {});
Ended cli(const std::vector<std::string>& arguments, const Redirect& redirect = {});

// The arguments behind each other, for a message.
std::string joined(const std::vector<std::string>& arguments);

}  // namespace arenascope::test
