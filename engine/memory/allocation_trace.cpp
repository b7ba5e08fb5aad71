// SPDX-License-Identifier: MIT
#include <arenascope/memory/allocation_trace.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

namespace arenascope {

uint32_t AllocationTrace::slots() const {
  uint32_t n = 0;
  for (const Event& e : events) n = std::max(n, e.slot + 1);
  return n;
}

Bytes AllocationTrace::live_peak() const {
  std::vector<Bytes> held(slots());
  Bytes live = 0, peak = 0;
  for (const Event& e : events) {
    live += e.bytes > 0 ? e.bytes : -held[e.slot];
    held[e.slot] = e.bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

AllocationTrace trace_of_lifetimes(std::string name, const std::vector<BufferLifetime>& lifetimes) {
  std::vector<std::tuple<int64_t, bool, uint32_t>> moments;  // at the same step, false (an end) sorts before true
  for (uint32_t i = 0; i < lifetimes.size(); ++i) {
    if (lifetimes[i].bytes <= 0 || lifetimes[i].first >= lifetimes[i].last) continue;
    moments.emplace_back(lifetimes[i].first, true, i);
    moments.emplace_back(lifetimes[i].last, false, i);
  }
  std::sort(moments.begin(), moments.end());
  AllocationTrace trace{std::move(name), {}};
  trace.events.reserve(moments.size());
  for (const auto& [step, begins, i] : moments) trace.events.push_back({i, begins ? lifetimes[i].bytes : 0});
  return trace;
}

AllocationTrace layered_trace(std::string name, int layers, Bytes largest, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<BufferLifetime> all;
  Bytes stage = largest;
  for (int i = 0; i < layers; ++i) {
    if (i > 0 && i % std::max(1, layers / 5) == 0) stage = std::max<Bytes>(stage / 2, 256);
    const Bytes quarters = 1 + static_cast<Bytes>(random() % 8);  // widths vary within a stage
    const int64_t reach = random() % 4 == 0 ? 3 + static_cast<int64_t>(random() % 6) : 2;
    all.push_back({i, std::min<int64_t>(i + reach, layers + 1), std::max<Bytes>(stage * quarters / 8, 4)});
  }
  return trace_of_lifetimes(std::move(name), all);
}

}  // namespace arenascope
