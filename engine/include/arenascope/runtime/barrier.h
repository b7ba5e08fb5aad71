// SPDX-License-Identifier: MIT
// Barrier of all threads after a node. Each thread has a flag that counts the barriers it has reached. Up to four threads keep
// their flags in one shared cache line, so that line moves between the cores once in each direction; with one line per flag
// every line moves twice. With more threads each flag has its own line, and the first thread waits for all of them.
// Serial work between two nodes (pausing, allocating, inspecting a result) is done by the first thread before it releases
// the others. A waiting thread spins for a while, as nodes are short, and then parks.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace arenascope {

inline void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class Barrier {
 public:
  static constexpr int kSpins = 4000;
  // `spins`: iterations of the spin loop before a thread parks; 0 is best with more threads than cores.
  // `awake`: called by each thread that was parked, with its index, when it resumes.
  explicit Barrier(int threads, int spins = kSpins, std::function<void(int)> awake = {});

  int threads() const { return threads_; }
  // Number of barriers that the thread has passed. The generation of a recorded wait is the value before the wait.
  uint32_t generation(int ith) const { return flag(ith).load(std::memory_order_relaxed); }

  // Arrives, and returns when all threads have arrived. All threads must call the same overload.
  void meet(int ith) {
    const uint32_t target = generation(ith) + 1;
    if (threads_ > kEachOther) return meet_serially(ith, target, [] {});
    pass(ith, target);
    for (int other = 0; other < threads_; ++other) await(ith, other, target);
  }
  // Thread 0 runs `serial()` after all threads have arrived and before any of them returns.
  template <class Serial>
  void meet(int ith, Serial&& serial) {
    meet_serially(ith, generation(ith) + 1, serial);
  }

 private:
  // Up to this many threads poll each other's flags; with more, the first thread collects the flags of all others.
  static constexpr int kEachOther = 4;
  static constexpr size_t kApart = 128;  // bytes between flags: processors prefetch cache lines in pairs

  using Flag = std::atomic<uint32_t>;
  struct alignas(kApart) Line {
    Flag flags[kApart / sizeof(Flag)]{};
  };
  Flag& flag(int ith) const {
    return threads_ > kEachOther ? lines_[static_cast<size_t>(ith)].flags[0] : lines_[0].flags[ith];
  }

  template <class Serial>
  void meet_serially(int ith, uint32_t target, Serial&& serial) {
    if (ith > 0) {
      pass(ith, target);
      return await(ith, 0, target);
    }
    for (int other = 1; other < threads_; ++other) await(ith, other, target);
    serial();
    pass(0, target);
  }

  bool has_met(int who, uint32_t target) const {
    return static_cast<int32_t>(flag(who).load(std::memory_order_acquire) - target) >=
           0;  // a flag may be one barrier ahead
  }
  // Publishes this thread's arrival. A parking thread either sees the new flag or is seen here in `parked_`. If the parking
  // side can issue membarrier (a fence on all cores), a plain store and a plain load suffice on this side.
  void pass(int ith, uint32_t target) {
    if (fenced_) {
      flag(ith).store(target, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (parked_.load(std::memory_order_relaxed) > 0) [[unlikely]]
        wake(ith);
    } else {
      flag(ith).exchange(target, std::memory_order_seq_cst);
      if (parked_.load(std::memory_order_seq_cst) > 0) wake(ith);
    }
  }
  void await(int ith, int who, uint32_t target) {
    for (int i = 0; i < spins_; ++i) {
      if (has_met(who, target)) return;
      cpu_relax();
    }
    park(ith, who, target);
  }
  void park(int ith, int who, uint32_t target);
  void wake(int who);

  const int threads_;
  const int spins_;
  const bool fenced_;
  const std::function<void(int)> awake_;
  const std::unique_ptr<Line[]> lines_;
  alignas(kApart) std::atomic<int> parked_{0};
};

}  // namespace arenascope
