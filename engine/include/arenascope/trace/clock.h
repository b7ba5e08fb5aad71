// SPDX-License-Identifier: MIT
// Host nanoseconds at the price of reading the processor's time-stamp counter, where it is invariant and the kernel
// trusts it too; else CLOCK_MONOTONIC. Values agree with CLOCK_MONOTONIC to about 50 parts per million.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace arenascope::trace {

// A plain value: copy it freely. A default Clock reads CLOCK_MONOTONIC.
class Clock {
 public:
  Clock() = default;
  static Clock calibrated();  // takes about 2 ms; falls back to the default where the counter cannot be trusted

  Nanoseconds now() const {
#if defined(__x86_64__)
    if (scale_ != 0) [[likely]] {
      const uint64_t ticks = __rdtsc() - base_ticks_;
      return base_ns_ + static_cast<Nanoseconds>((static_cast<Wide>(ticks) * scale_) >> 32);
    }
#endif
    return monotonic();
  }
  // As now(), but not reordered before preceding instructions: the counter may otherwise be read before a pending load.
  Nanoseconds now_in_order() const {
#if defined(__x86_64__)
    _mm_lfence();
#endif
    return now();
  }
  static Nanoseconds monotonic() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return Nanoseconds{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
  bool uses_counter() const { return scale_ != 0; }

 private:
  __extension__ using Wide = unsigned __int128;
  uint64_t scale_ = 0;  // ns per tick, 32 fractional bits
  uint64_t base_ticks_ = 0;
  Nanoseconds base_ns_ = 0;
};

}  // namespace arenascope::trace
