// SPDX-License-Identifier: MIT
// Where all threads meet behind a node. Each thread has a flag, which says how many barriers it has come to. The flags
// of a few threads share one cache line: who writes his own brings the others' along, so a barrier passes that line
// between the processors once each way. (Flags in lines of their own took twice as long: each line travels twice.) More
// threads have a line each, and the first gathers them. Where something must happen
// between two nodes (pausing, allocating, looking at a result), the first thread does it before it lets the others go.
// Waiting spins for a while, as nodes are short, and then parks.
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
  // `spins`: rounds of waiting before a thread parks. With more threads than processors, parking early is best.
  // `awake` is called with its number by each thread that has parked, once it goes on.
  explicit Barrier(int threads, int spins = kSpins, std::function<void(int)> awake = {});

  int threads() const { return threads_; }
  // How often the thread has met the others; what a trace calls the generation of a wait is the value before it.
  uint32_t generation(int ith) const { return flag(ith).load(std::memory_order_relaxed); }

  // Arrives, and leaves when all have arrived. All threads must call the same of the two functions.
  void meet(int ith) {
    const uint32_t turn = generation(ith) + 1;
    if (threads_ > kEachOther) return meet_serially(ith, turn, [] {});
    pass(ith, turn);
    for (int other = 0; other < threads_; ++other) await(ith, other, turn);
  }
  // Thread 0 runs `serial()` when all have arrived and before anybody leaves.
  template <class Serial>
  void meet(int ith, Serial&& serial) {
    meet_serially(ith, generation(ith) + 1, serial);
  }

 private:
  // Up to so many threads all look at each other; more are gathered by the first.
  static constexpr int kEachOther = 4;
  static constexpr size_t kApart = 128;  // bytes: processors fetch lines in pairs

  using Flag = std::atomic<uint32_t>;
  struct alignas(kApart) Line {
    Flag flags[kApart / sizeof(Flag)]{};
  };
  Flag& flag(int ith) const {
    return threads_ > kEachOther ? lines_[static_cast<size_t>(ith)].flags[0] : lines_[0].flags[ith];
  }

  template <class Serial>
  void meet_serially(int ith, uint32_t turn, Serial&& serial) {
    if (ith > 0) {
      pass(ith, turn);
      return await(ith, 0, turn);
    }
    for (int other = 1; other < threads_; ++other) await(ith, other, turn);
    serial();
    pass(0, turn);
  }

  bool has_met(int who, uint32_t turn) const {
    return static_cast<int32_t>(flag(who).load(std::memory_order_acquire) - turn) >= 0;  // it may be one ahead
  }
  // Lets the others past this thread. Whoever parks either sees the new value or is seen here; where the parking side
  // can run a fence on all processors, a plain store and a plain load are enough on this one.
  void pass(int ith, uint32_t turn) {
    if (fenced_) {
      flag(ith).store(turn, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (parked_.load(std::memory_order_relaxed) > 0) [[unlikely]]
        wake(ith);
    } else {
      flag(ith).exchange(turn, std::memory_order_seq_cst);
      if (parked_.load(std::memory_order_seq_cst) > 0) wake(ith);
    }
  }
  void await(int ith, int who, uint32_t turn) {
    for (int i = 0; i < spins_; ++i) {
      if (has_met(who, turn)) return;
      cpu_relax();
    }
    park(ith, who, turn);
  }
  void park(int ith, int who, uint32_t turn);
  void wake(int who);

  const int threads_;
  const int spins_;
  const bool fenced_;
  const std::function<void(int)> awake_;
  const std::unique_ptr<Line[]> lines_;
  alignas(kApart) std::atomic<int> parked_{0};
};

}  // namespace arenascope
