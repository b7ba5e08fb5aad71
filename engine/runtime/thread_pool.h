// SPDX-License-Identifier: MIT
// A persistent pool: its threads are made once, park between runs, and all call the same function in a run.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <arenascope/base/result.h>

namespace arenascope {

class ThreadPool {
 public:
  static constexpr int kMaxThreads = 1024;
  // `threads` in all; the caller of run() is the first of them. Errors: fewer than 1 or more than kMaxThreads, or
  // the system refuses one.
  static Result<std::unique_ptr<ThreadPool>> create(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // Calls part(0) here and part(1) … part(threads-1) on the others; returns when all have returned. One at a time.
  void run(const std::function<void(int)>& part);

 private:
  explicit ThreadPool(int threads) : threads_(threads) {}
  void work(int index);

  const int threads_;
  const std::function<void(int)>* part_ = nullptr;
  std::atomic<uint32_t> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

// Processors that this process may use: affinity and a container's CPU quota are respected; at least 1.
int usable_processors();

}  // namespace arenascope
