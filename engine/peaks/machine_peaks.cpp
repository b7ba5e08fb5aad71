// SPDX-License-Identifier: MIT
#include <arenascope/base/refused_memory.h>
#include <arenascope/peaks/loops.h>
#include <arenascope/peaks/machine_peaks.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

#include "engine/peaks/bandwidth_arrays.h"
#include "engine/peaks/loop_threads.h"

namespace arenascope {

namespace {

constexpr double kFlopsPerCall = 2e7;  // about 1 ms
constexpr double kRoundSeconds = 0.1;

std::vector<int> allowed_processors() {
  std::vector<int> out;
  if (cpu_set_t allowed; sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &allowed)) out.push_back(i);
  if (!out.empty()) return out;
  out.resize(std::max(std::thread::hardware_concurrency(), 1U));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// The measurement of one limit.
struct Phase {
  double done, share;  // shares of the whole measurement
  double seconds;
};

// The most calls per second of several rounds.
Result<double> best_of_rounds(std::function<loops::Loop()> make, int count, const Phase& phase,
                              const PeakOptions& options) {
  LoopThreads threads(count, std::move(make));
  if (const Status started = threads.start(); !started.ok())
    return Error{"cannot measure the peaks of this machine: " + started.error().message};
  const int rounds = std::max(static_cast<int>(phase.seconds / kRoundSeconds), 1);
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    if (options.progress && !options.progress(phase.done + phase.share * round / rounds)) return Error{"stopped"};
    best = std::max(best, threads.calls_per_second(std::min(kRoundSeconds, phase.seconds)));
  }
  return best;
}

Result<MachinePeaks> measure(const PeakOptions& options) {
  const std::vector<int> processors = allowed_processors();
  MachinePeaks peaks;
  peaks.threads = options.threads > 0 ? options.threads : static_cast<int>(processors.size());
  if (!loops::multiply_add(kFlopsPerCall))
    return Error{"cannot measure the peaks of this machine: the build has no vectorised loops"};
  const auto arithmetic = best_of_rounds([] { return loops::multiply_add(kFlopsPerCall); }, peaks.threads,
                                         {0, 0.5, options.seconds / 2}, options);
  if (!arithmetic) return arithmetic.error();
  const auto bytes = array_bytes(peaks.threads, cache_bytes(processors, peaks.threads), available_memory());
  if (!bytes) return bytes.error();
  const auto reads = best_of_rounds([floats = *bytes / 4] { return loops::read(floats); }, peaks.threads,
                                    {0.5, 0.5, options.seconds / 2}, options);
  if (!reads) return reads.error();
  peaks.gflops = *arithmetic * kFlopsPerCall / 1e9;
  peaks.bandwidth = *reads * static_cast<double>(*bytes) / 1e9;
  return peaks;
}

}  // namespace

Result<MachinePeaks> measure_machine_peaks(const PeakOptions& options) {
  return exceptions_as_errors("cannot measure the peaks of this machine", [&] { return measure(options); });
}

}  // namespace arenascope
