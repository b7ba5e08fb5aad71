// SPDX-License-Identifier: MIT
// Where all threads meet behind a node. The last one to arrive runs a serial section before anybody leaves, so
// that what must happen between two nodes (pausing, allocating, looking at a result) costs no second barrier.
// Waiting spins for a while, as nodes are short, and then parks.
#pragma once
#include <atomic>
#include <cstdint>

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
  // `spins`: rounds of waiting before a thread parks. With more threads than processors, parking early is best.
  explicit Barrier(int threads, int spins = 4000) : threads_(threads), spins_(threads > 1 ? spins : 0) {}

  // How often the threads have met; what a trace calls the generation of a wait is the value before it.
  uint32_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Arrives, and leaves when all have arrived. The last one runs `serial()` first. True on that thread.
  template <class Serial>
  bool arrive_and_wait(Serial&& serial) {
    const uint32_t mine = generation_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == threads_ - 1) {
      serial();
      arrived_.store(0, std::memory_order_relaxed);
      // Sequentially consistent with parked_ below: either the one who parks sees the new generation, or we see it.
      generation_.store(mine + 1, std::memory_order_seq_cst);
      if (parked_.load(std::memory_order_seq_cst) > 0) generation_.notify_all();
      return true;
    }
    for (int i = 0; i < spins_; ++i) {
      if (generation_.load(std::memory_order_acquire) != mine) return false;
      cpu_relax();
    }
    parked_.fetch_add(1, std::memory_order_seq_cst);
    while (generation_.load(std::memory_order_seq_cst) == mine) generation_.wait(mine, std::memory_order_seq_cst);
    parked_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

 private:
  const int threads_;
  const int spins_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<int> parked_{0};
};

}  // namespace arenascope
