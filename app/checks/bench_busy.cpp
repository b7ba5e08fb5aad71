// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_busy.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <arenascope/runtime/barrier.h>
#include <arenascope/runtime/processors.h>
#include <fmt/format.h>
#include <sched.h>

#include <arenascope/run/runner.h>

#include "engine/bench/measure.h"

namespace arenascope::app {
namespace {

// A busy thread on each of the first `count` available CPUs, until destruction.
class OtherWork {
 public:
  explicit OtherWork(int count) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int processor = 0; processor < CPU_SETSIZE && count > 0; ++processor) {
      if (!CPU_ISSET(processor, &allowed)) continue;
      --count;
      threads_.emplace_back([this, processor] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        (void)sched_setaffinity(0, sizeof one, &one);
        while (!stop_.load(std::memory_order_relaxed)) cpu_relax();
      });
    }
  }
  ~OtherWork() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  OtherWork(const OtherWork&) = delete;
  OtherWork& operator=(const OtherWork&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

Result<BenchRow> compare_with_one_thread(const std::string& name, int runs, int rounds) {
  std::unique_ptr<Runner> runners[2];  // with one thread, with two threads
  for (int i = 0; i < 2; ++i) {
    RunnerOptions options;
    options.threads = i + 1;
    options.fuse = true;
    options.planner = "two-level";
    auto runner = Runner::open("zoo:" + name, options);
    if (!runner) return runner.error();
    runners[i] = std::move(*runner);
  }
  const OtherWork others(2);
  std::vector<double> ratios, milliseconds[2];
  for (int round = -1; round < rounds; ++round) {
    double taken[2] = {0, 0};
    for (int i : {round & 1, 1 - (round & 1)})
      for (int run = 0; run < runs; ++run) {
        auto report = runners[i]->run();
        if (!report) return report.error();
        taken[i] += double(report->nanoseconds) / 1e6 / runs;
      }
    if (round < 0) continue;  // warm-up
    ratios.push_back(taken[1] / taken[0]);
    for (int i = 0; i < 2; ++i) milliseconds[i].push_back(taken[i]);
  }
  const double ratio = median(ratios);
  return BenchRow{fmt::format("two threads with other work on both CPUs, {}", name),
                  median(milliseconds[1]),
                  "ms",
                  "one thread with the same work",
                  median(milliseconds[0]),
                  ratio,
                  1,
                  ratio <= 1};
}

}  // namespace

Result<std::vector<BenchRow>> bench_busy(bool quick) {
  std::vector<BenchRow> rows;
  if (usable_processors() < 2) return rows;
  struct Network {
    const char* name;
    int runs;  // runs per measurement, so that it is longer than a scheduler time slice
  };
  for (const Network& network : {Network{"squeezenet", 10}, Network{"resnet50", 2}}) {
    auto row = compare_with_one_thread(network.name, network.runs, quick ? 7 : 15);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace arenascope::app
