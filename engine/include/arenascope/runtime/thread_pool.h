// SPDX-License-Identifier: MIT
// A persistent thread pool: threads are created once, park between runs, and all call the same function in a run.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/base/limits.h>
#include <arenascope/base/result.h>
#include <arenascope/runtime/processors.h>

namespace arenascope {

struct ThreadPoolOptions {
  // CPU affinity: thread i runs on processors[i % size], the calling thread for the duration of a run. Empty: no affinity.
  std::vector<int> processors;
  int nice = 0;  // niceness of the created threads; negative values need a privilege
};

class ThreadPool {
 public:
  static constexpr int kMaxThreads = arenascope::kMaxThreads;
  // `threads` includes the caller of run(), which is thread 0. Errors: fewer than 1 or more than kMaxThreads threads; the
  // system refuses a thread, its affinity or its niceness.
  static Result<std::unique_ptr<ThreadPool>> create(int threads, const ThreadPoolOptions& options = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // Calls part(0) on this thread and part(1) … part(threads-1) on the others; returns when all have returned, and then
  // rethrows the first exception that one of them threw. Not reentrant.
  void run(const std::function<void(int)>& part);
  // Calls part(0) on this thread and leaves the others parked.
  void run_alone(const std::function<void(int)>& part);
  // Time that the calling thread and the pool's threads were runnable but waited for a core, since their creation; 0 if the
  // system does not report it.
  Nanoseconds queued() const;
  // Called by thread `ith` when it resumes in a run. The scheduler may have woken it on the core of another thread of this
  // pool, where both would stay because they rarely run at the same time. Moves the thread to a core without a thread of
  // this pool and then restores its affinity. Does nothing if an affinity was given or there are fewer cores than threads.
  void spread(int ith);

 private:
  ThreadPool(int threads, const ThreadPoolOptions& options);
  void work(int index);
  void call(const std::function<void(int)>& part, int ith) noexcept;
  struct alignas(64) Whereabouts {
    std::atomic<const uint32_t*> processor{nullptr};  // the kernel's rseq cpu_id of the thread; null: unknown
  };

  const int threads_;
  const ThreadPoolOptions options_;
  const std::function<void(int)>* part_ = nullptr;
  std::mutex thrown_mutex_;
  std::exception_ptr thrown_;  // the first one of a round
  std::atomic<uint32_t> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<int> ready_{0};    // threads that have started
  std::atomic<int> refused_{0};  // errno of a thread that could not set affinity or niceness
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Whereabouts[]> whereabouts_;     // null: spread() does nothing
  std::unique_ptr<std::atomic<int>[]> schedules_;  // by thread: file descriptor of its schedstat; -1: none
  std::vector<std::thread> workers_;
};

}  // namespace arenascope
