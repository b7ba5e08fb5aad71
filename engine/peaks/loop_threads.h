// SPDX-License-Identifier: MIT
// Threads that each execute their own loop, in rounds with a common start.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/peaks/loops.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace arenascope {

class LoopThreads {
 public:
  // Each thread calls `make` itself, so that the pages of its arrays are in the memory of its NUMA node.
  LoopThreads(int count, std::function<loops::Loop()> make);
  ~LoopThreads();
  LoopThreads(const LoopThreads&) = delete;
  LoopThreads& operator=(const LoopThreads&) = delete;

  // Call once. Returns when all loops are made and have been executed once. An error: a thread could not be started, or memory
  // is short.
  Status start();
  // Calls per second that all threads complete together, for `seconds`.
  double calls_per_second(double seconds);

 private:
  void work(size_t thread);

  std::function<loops::Loop()> make_;
  std::barrier<> barrier_;  // of all threads and the caller: before and after the loops are made, and each round
  std::vector<double> rates_;
  double seconds_ = 0;
  bool stopped_ = false;
  std::atomic<bool> failed_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace arenascope
