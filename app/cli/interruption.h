// SPDX-License-Identifier: GPL-3.0-or-later
// While an instance exists, SIGINT and SIGTERM end the run between two nodes and keep its recording. A second signal
// terminates the program.
#pragma once
#include <thread>

#include <arenascope/runtime/run_control.h>

namespace arenascope::cli {

class Interruption {
 public:
  // At most one instance may exist; `control` must outlive it.
  explicit Interruption(RunControl& control);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  int signal() const;  // signal received; 0: none

 private:
  std::thread waiting_;
};

}  // namespace arenascope::cli
