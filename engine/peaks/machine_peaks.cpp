// SPDX-License-Identifier: MIT
#include <arenascope/peaks/loops.h>
#include <arenascope/peaks/machine_peaks.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include <sched.h>

namespace arenascope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFlopsPerCall = 2e7;                                                           // about 1 ms
constexpr int64_t kBytesOfAll = int64_t{512} << 20, kMinBytes = 8 << 20, kMaxBytes = 64 << 20;  // of the arrays
constexpr double kRoundSeconds = 0.1;

int allowed_threads() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(CPU_COUNT(&allowed), 1);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

// Calls per second that all threads complete together, each with its own loop, for `seconds` after a common start.
double calls_per_second(const std::vector<loops::Loop>& loops, double seconds) {
  std::barrier start(static_cast<std::ptrdiff_t>(loops.size()));
  std::vector<double> rates(loops.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < loops.size(); ++i)
      threads.emplace_back([&, i] {
        loops[i]();  // warms caches and clocks
        start.arrive_and_wait();
        const auto begin = Clock::now();
        double elapsed = 0;
        int64_t calls = 0;
        do {
          loops[i]();
          ++calls;
          elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
        } while (elapsed < seconds);
        rates[i] = static_cast<double>(calls) / elapsed;
      });
  }
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

// The measurement of one limit as a part of the whole one.
struct Part {
  double done, share, seconds;  // shares of the whole measurement
};

// The most calls per second of several rounds; negative: stopped.
double best_of_rounds(const std::vector<loops::Loop>& loops, const Part& part, const PeakOptions& options) {
  const int rounds = std::max(static_cast<int>(part.seconds / kRoundSeconds), 1);
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const double share = part.done + part.share * round / rounds;
    if (options.progress && !options.progress(share)) return -1;
    best = std::max(best, calls_per_second(loops, std::min(kRoundSeconds, part.seconds)));
  }
  return best;
}

Result<MachinePeaks> measure(const PeakOptions& options) {
  MachinePeaks peaks;
  peaks.threads = options.threads > 0 ? options.threads : allowed_threads();
  std::vector<loops::Loop> arithmetic, reads;
  const int64_t bytes = std::clamp(kBytesOfAll / peaks.threads, kMinBytes, kMaxBytes);
  for (int i = 0; i < peaks.threads; ++i) arithmetic.push_back(loops::multiply_add(kFlopsPerCall));
  if (!arithmetic.front()) return Error{"cannot measure the peaks of this machine: the build has no vectorised loops"};
  const double flops = best_of_rounds(arithmetic, {0, 0.5, options.seconds / 2}, options);
  if (flops < 0) return Error{"stopped"};
  for (int i = 0; i < peaks.threads; ++i) reads.push_back(loops::read(bytes / 4));
  const double read = best_of_rounds(reads, {0.5, 0.5, options.seconds / 2}, options);
  if (read < 0) return Error{"stopped"};
  peaks.gflops = flops * kFlopsPerCall / 1e9;
  peaks.bandwidth = read * static_cast<double>(bytes) / 1e9;
  return peaks;
}

}  // namespace

Result<MachinePeaks> measure_machine_peaks(const PeakOptions& options) {
  try {
    return measure(options);
  } catch (const std::bad_alloc&) {
    return Error{"cannot measure the memory bandwidth of this machine: not enough memory for its arrays"};
  }
}

}  // namespace arenascope
