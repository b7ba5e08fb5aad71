// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+C, and a friendly kill, end a run between two nodes while this lives; what was recorded stays. A second one ends
// the program as ever.
#pragma once
#include <thread>

#include <arenascope/runtime/run_control.h>

namespace arenascope::cli {

class Interruption {
 public:
  // One at a time; the control outlives it.
  explicit Interruption(RunControl& control);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  int signal() const;  // that came; 0: none

 private:
  std::thread waiting_;
};

}  // namespace arenascope::cli
