// SPDX-License-Identifier: MIT
#include <arenascope/trace/clock.h>

#include <fstream>
#include <string>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace arenascope::trace {

#if defined(__x86_64__)
namespace {

bool counter_is_trusted() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || (d & (1u << 8)) == 0) return false;  // invariant TSC
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return !(file >> source) || source == "tsc" || source == "kvm-clock" || source == "hyperv_clocksource_tsc_page";
}

struct Pair {
  uint64_t ticks;
  Nanoseconds ns;
};

// Reads both clocks at the same moment: the closest pair of several tries.
Pair read_pair() {
  Pair best{};
  uint64_t closest = UINT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const uint64_t before = __rdtsc();
    const Nanoseconds ns = Clock::monotonic();
    const uint64_t after = __rdtsc();
    if (after - before < closest) {
      closest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

}  // namespace
#endif

Clock Clock::calibrated() {
  Clock clock;
#if defined(__x86_64__)
  if (!counter_is_trusted()) return clock;
  const Pair first = read_pair();
  while (monotonic() - first.ns < 2'000'000) {
  }
  const Pair second = read_pair();
  if (second.ticks <= first.ticks || second.ns <= first.ns) return clock;
  const double scale = static_cast<double>(second.ns - first.ns) / static_cast<double>(second.ticks - first.ticks);
  if (scale < 0.05 || scale > 10) return clock;  // plausible only for counters between 100 MHz and 20 GHz
  clock.scale_ = static_cast<uint64_t>(scale * 4294967296.0);
  clock.base_ticks_ = first.ticks;
  clock.base_ns_ = first.ns;
#endif
  return clock;
}

}  // namespace arenascope::trace
