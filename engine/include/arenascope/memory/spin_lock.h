// SPDX-License-Identifier: MIT
// A spin lock for critical sections of some tens of nanoseconds: one atomic exchange to acquire, one store to release.
// A thread that spins for long yields its core. Use with std::lock_guard.
#pragma once
#include <atomic>
#include <thread>

namespace arenascope {

class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  void wait() const {
    for (int i = 0; taken_.load(std::memory_order_relaxed); ++i)
      if (i > 100) std::this_thread::yield();
  }
  std::atomic<bool> taken_{false};
};

}  // namespace arenascope
