// SPDX-License-Identifier: MIT
#include "engine/bench/bench_allocators.h"
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/memory/cpu_caching_allocator.h>
#include <arenascope/memory/memory_kind.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <random>
#include <utility>

namespace arenascope {
namespace {

using Clock = std::chrono::steady_clock;

// The baseline: sizes rounded up to powers of two, one free list per size; memory is never released.
class PowersOfTwoAllocator final : public Allocator {
 public:
  ~PowersOfTwoAllocator() override {
    for (size_t c = 0; c < std::size(free_); ++c)
      for (void* p : free_[c]) system_.deallocate(p, Bytes{1} << c);
  }
  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override {
    if (Status s = check_request(bytes, alignment); !s) return s.error();
    const size_t c = class_of(bytes);
    std::lock_guard lock(lock_);
    if (!free_[c].empty()) {
      void* p = free_[c].back();
      free_[c].pop_back();
      return p;
    }
    free_[c].reserve(free_[c].capacity() + 1);
    return system_.allocate(Bytes{1} << c, alignment);
  }
  void deallocate(void* pointer, Bytes bytes) noexcept override {
    std::lock_guard lock(lock_);
    free_[class_of(bytes)].push_back(pointer);
  }
  Device device() const override { return {}; }
  MemoryStats stats() const override { return system_.stats(); }

 private:
  static size_t class_of(Bytes bytes) {
    return static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<Bytes>(bytes, 64)) - 1));
  }
  SpinLock lock_;
  std::vector<void*> free_[64];
  CpuAllocator system_;
};

size_t scaled(int count, double effort) { return static_cast<size_t>(std::max(1.0, count * effort)); }

// `count` sizes from 64 KiB to 16 MiB, evenly distributed over the powers of two.
std::vector<Bytes> mixed_sizes(size_t count) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<> doublings(16, 24);
  std::vector<Bytes> sizes(count);
  for (Bytes& s : sizes) s = static_cast<Bytes>(std::exp2(doublings(random)));
  return sizes;
}

// Nanoseconds per pair in the fastest round. Each round requests the sizes in order and keeps `held` blocks live.
double time_pairs(Allocator& allocator, const std::vector<Bytes>& sizes, size_t held, int rounds) {
  std::vector<std::pair<void*, Bytes>> window(held, {nullptr, 0});
  double best = -1;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    for (size_t i = 0; i < sizes.size(); ++i) {
      auto& [pointer, bytes] = window[i % held];
      if (pointer) allocator.deallocate(pointer, bytes);
      bytes = sizes[i];
      Result<void*> p = allocator.allocate(bytes);
      pointer = p ? *p : nullptr;
    }
    for (auto& [pointer, bytes] : window) {
      if (pointer) allocator.deallocate(pointer, bytes);
      pointer = nullptr;
    }
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    const double pair = ns / static_cast<double>(sizes.size());
    if (best < 0 || pair < best) best = pair;
  }
  return best;
}

// Holds every size once, as many as a run holds at a time, then times the pairs: each is served from the cache.
double time_hits(Allocator& allocator, size_t distinct, double effort) {
  const std::vector<Bytes> sizes = mixed_sizes(distinct);
  std::vector<std::pair<void*, Bytes>> held;
  for (const Bytes s : sizes)
    if (Result<void*> p = allocator.allocate(s)) held.emplace_back(*p, s);
  for (const auto& [p, s] : held) allocator.deallocate(p, s);
  std::vector<Bytes> sequence(scaled(4096, effort));
  std::mt19937_64 random(5);
  for (Bytes& s : sequence) s = sizes[random() % sizes.size()];
  return time_pairs(allocator, sequence, 1, static_cast<int>(scaled(30, effort)));
}

BenchRow against_peer(std::string name, double value, std::string unit, std::string peer, double peer_value,
                      double target) {
  BenchRow row{std::move(name), value, std::move(unit), std::move(peer), peer_value};
  row.ratio = peer_value > 0 ? value / peer_value : 0;
  row.target = target;
  row.passed = value >= 0 && row.ratio <= target;
  return row;
}

BenchRow alone(std::string name, double value, std::string unit, double target) {
  BenchRow row{std::move(name), value, std::move(unit)};
  row.target = target;
  row.passed = value >= 0 && value <= target;
  return row;
}

double reserved_ratio(Allocator& allocator, const AllocationTrace& trace) {
  if (replay(allocator, trace, 3) < 0) return -1;
  return static_cast<double>(allocator.stats().peak_reserved) /
         static_cast<double>(std::max<Bytes>(1, trace.live_peak()));
}

}  // namespace

BenchRow reserved_row(const AllocationTrace& trace) {
  CpuCachingAllocator ours;
  return alone(fmt::format("reserved over live peak, {}", trace.name), reserved_ratio(ours, trace), "ratio", 1.2);
}

double replay(Allocator& allocator, const AllocationTrace& trace, int rounds) {
  std::vector<std::pair<void*, Bytes>> slots(trace.slots(), {nullptr, 0});
  double best = -1;
  bool failed = false;
  for (int round = 0; round < rounds && !failed; ++round) {
    const auto begin = Clock::now();
    for (const AllocationTrace::Event& e : trace.events) {
      auto& [pointer, bytes] = slots[e.slot];
      if (pointer) allocator.deallocate(pointer, bytes);
      pointer = nullptr;
      if (e.bytes == 0) continue;
      Result<void*> p = allocator.allocate(e.bytes);
      if (!p) {
        failed = true;
        break;
      }
      pointer = *p;
      bytes = e.bytes;
    }
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    const double pair = ns * 2 / static_cast<double>(std::max<size_t>(1, trace.events.size()));
    if (best < 0 || pair < best) best = pair;
    for (auto& [pointer, bytes] : slots) {
      if (pointer) allocator.deallocate(pointer, bytes);
      pointer = nullptr;
    }
  }
  return failed ? -1 : best;
}

std::vector<BenchRow> bench_allocators(std::span<const AllocationTrace> traces, double effort) {
  std::vector<BenchRow> rows;
  const std::string ns = "ns a pair";

  constexpr size_t kDistinct = 64;
  CpuCachingAllocator caching;
  PowersOfTwoAllocator powers;
  CpuAllocator system;
  const double hit = time_hits(caching, kDistinct, effort);
  rows.push_back(alone("caching hits, 64 KiB to 16 MiB mixed", hit, ns, 20));
  rows.push_back(against_peer("caching hits against powers of two", hit, ns, "powers of two",
                              time_hits(powers, kDistinct, effort), 2));
  rows.push_back(
      against_peer("caching hits against malloc", hit, ns, "malloc", time_hits(system, kDistinct, effort), 0.1));

  // No size occurs twice: blocks must be split and merged, which powers of two avoid at the cost of memory.
  const std::vector<Bytes> random_sizes = mixed_sizes(scaled(4096, effort));
  CpuCachingAllocator splitting;
  const double split = time_pairs(splitting, random_sizes, 16, static_cast<int>(scaled(20, effort)));
  rows.push_back(against_peer("caching, no size twice, 16 held", split, ns, "malloc",
                              time_pairs(system, random_sizes, 16, 3), 0.5));

  std::vector<AllocationTrace> made_up;
  if (traces.empty()) {
    made_up.push_back(layered_trace("made-up classifier", 150, 8 << 20, 1));
    made_up.push_back(layered_trace("made-up small network", 60, 512 << 10, 2));
    made_up.push_back(layered_trace("made-up deep network", 600, 2 << 20, 3));
    traces = made_up;
  }
  for (const AllocationTrace& trace : traces) {
    CpuCachingAllocator ours;
    PowersOfTwoAllocator theirs;
    const double ratio = reserved_ratio(ours, trace);
    const std::string label = fmt::format("reserved over live peak, {}", trace.name);
    rows.push_back(alone(label, ratio, "ratio", 1.2));
    rows.push_back(against_peer(label + ", against powers of two", ratio, "ratio", "powers of two",
                                reserved_ratio(theirs, trace), 1));
    rows.push_back(against_peer(fmt::format("replay, {}", trace.name), replay(ours, trace, 10), ns, "malloc",
                                replay(system, trace, 5), 0.5));
  }
  return rows;
}

}  // namespace arenascope
