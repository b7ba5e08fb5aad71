// SPDX-License-Identifier: MIT
// The limits of this machine, measured for a roofline plot: float32 multiply-adds and reads from memory, by all processors
// that the program may use together.
#pragma once
#include <arenascope/base/result.h>

#include <functional>

namespace arenascope {

struct MachinePeaks {
  double gflops = 0;     // GFLOP/s
  double bandwidth = 0;  // GB/s read from arrays that exceed the caches
  int threads = 0;       // that measured together
  bool operator==(const MachinePeaks&) const = default;
};

struct PeakOptions {
  int threads = 0;                                  // 0: one per processor that the program may use
  double seconds = 2;                               // of the whole measurement
  std::function<bool(double share)> progress = {};  // called repeatedly; false stops
};

// The best of several rounds, which other load can only lower. An error: the measurement was stopped ("stopped"), memory
// is short, a thread could not be started, or the build has no vectorised loops.
Result<MachinePeaks> measure_machine_peaks(const PeakOptions& options = {});

}  // namespace arenascope
