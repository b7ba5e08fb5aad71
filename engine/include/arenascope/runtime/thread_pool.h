// SPDX-License-Identifier: MIT
// A persistent pool: its threads are made once, park between runs, and all call the same function in a run.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/base/limits.h>
#include <arenascope/base/result.h>
#include <arenascope/runtime/processors.h>

namespace arenascope {

struct ThreadPoolOptions {
  std::vector<int>
      processors;  // thread i stays on processors[i % size]; the caller for as long as it runs. None: anywhere
  int nice = 0;    // of the threads made here: above 0 others go first; below needs a privilege
};

class ThreadPool {
 public:
  static constexpr int kMaxThreads = arenascope::kMaxThreads;
  // `threads` in all; the caller of run() is the first of them. Errors: fewer than 1 or more than kMaxThreads, the
  // system refuses one, its processor or its priority.
  static Result<std::unique_ptr<ThreadPool>> create(int threads, const ThreadPoolOptions& options = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // Calls part(0) here and part(1) … part(threads-1) on the others; returns when all have returned. One at a time.
  void run(const std::function<void(int)>& part);
  // Calls part(0) here and leaves the others asleep.
  void run_alone(const std::function<void(int)>& part);
  // How long the calling thread and the others would have computed, but stood behind others at a processor, since each
  // was made; 0 where the system does not say.
  Nanoseconds queued() const;
  // Called by thread `ith` in a run, which was asleep: the system may have woken it on the processor where another of
  // these threads computes, and leaves both there for long, as they seldom want it at the same moment. It moves to a
  // processor where none of them is, and may go anywhere again from there. Does nothing where threads were told their
  // processors, or are more than the processors there are to use.
  void spread(int ith);

 private:
  ThreadPool(int threads, const ThreadPoolOptions& options);
  void work(int index);
  struct alignas(64) Whereabouts {
    std::atomic<const uint32_t*> processor{nullptr};  // which one the system says the thread is on; null: not known
  };

  const int threads_;
  const ThreadPoolOptions options_;
  const std::function<void(int)>* part_ = nullptr;
  std::atomic<uint32_t> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<int> ready_{0};    // threads that have settled
  std::atomic<int> refused_{0};  // what the system said to one of them, an errno
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Whereabouts[]> whereabouts_;     // null: they are not to be spread
  std::unique_ptr<std::atomic<int>[]> schedules_;  // by thread: a file, the system's account of it; -1: none
  std::vector<std::thread> workers_;
};

}  // namespace arenascope
