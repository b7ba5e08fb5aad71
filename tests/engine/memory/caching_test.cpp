// SPDX-License-Identifier: MIT
// Random programs against the CPU caching allocator and the heap beneath it: blocks never overlap, sums agree.
#include <arenascope/memory/cpu_caching_allocator.h>
#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <map>
#include <random>
#include <thread>

using namespace arenascope;

namespace {

Bytes log_uniform(std::mt19937_64& random, double low, double high) {
  return static_cast<Bytes>(std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random)));
}

}  // namespace

TEST_CASE("size classes round up by less than one step") {
  using C = SizeClasses<5>;
  for (uint64_t n = 1; n < 200000; ++n) {
    const uint64_t r = C::round_up(n);
    REQUIRE(r >= n);
    REQUIRE((r - n) * 32 <= n);
    REQUIRE(C::round_up(r) == r);
    REQUIRE(C::floor(r) <= C::floor(n) + 1);
    if (n > 1) REQUIRE(C::floor(n) >= C::floor(n - 1));
  }
}

TEST_CASE("the address map finds inserted ranges and not erased ones") {
  std::mt19937_64 random(3);
  AddressMap map;
  std::map<uintptr_t, uint32_t> model;
  for (int i = 0; i < 20000; ++i) {
    const uintptr_t a = (1 + random() % 3000) * 64;
    if (model.count(a)) {
      CHECK(map.erase(a) == model[a]);
      model.erase(a);
    } else {
      map.reserve(model.size() + 1);
      map.insert(a, static_cast<uint32_t>(i));
      model[a] = static_cast<uint32_t>(i);
    }
    const uintptr_t b = (1 + random() % 3000) * 64;
    REQUIRE(map.find(b) == (model.count(b) ? model[b] : AddressMap::kNone));
    REQUIRE(map.size() == model.size());
  }
}

TEST_CASE("the heap's blocks tile its segments, free neighbours are merged, used ones never overlap") {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::mt19937_64 random(seed);
    BlockHeap heap(64);
    Bytes whole = 0;
    for (uintptr_t s = 1; s <= 3; ++s) {
      REQUIRE(heap.add_segment(s << 30, static_cast<Bytes>(s) << 20, static_cast<uint32_t>(s % 2)).ok());
      whole += static_cast<Bytes>(s) << 20;
    }
    std::map<uintptr_t, Bytes> used;
    Bytes used_bytes = 0;
    for (int i = 0; i < 3000; ++i) {
      if (random() % 5 < 3) {
        const Bytes n = log_uniform(random, 64, 200000) / 64 * 64;
        const size_t alignment = size_t{64} << random() % 7;
        if (const uintptr_t at = heap.take(static_cast<uint32_t>(random() % 2), n, alignment)) {
          REQUIRE(at % alignment == 0);
          REQUIRE(heap.size_at(at) == n);
          used[at] = n;
          used_bytes += n;
        }
      } else if (!used.empty()) {
        auto it = std::next(used.begin(), static_cast<long>(random() % used.size()));
        REQUIRE(heap.give(it->first) == it->second);
        REQUIRE(heap.give(it->first) == 0);
        used_bytes -= it->second;
        used.erase(it);
      }
      REQUIRE(heap.used_bytes() == used_bytes);
      REQUIRE(heap.free_bytes() == whole - used_bytes);
      if (i % 50) continue;
      const auto blocks = heap.blocks();
      Bytes sum = 0;
      for (size_t k = 0; k < blocks.size(); ++k) {
        sum += blocks[k].bytes;
        REQUIRE(blocks[k].used == (used.count(blocks[k].address) > 0));
        if (blocks[k].starts_segment) continue;
        REQUIRE(blocks[k - 1].address + static_cast<uintptr_t>(blocks[k - 1].bytes) == blocks[k].address);
        const bool mergeable = !blocks[k].used && !blocks[k - 1].used && blocks[k].owner == blocks[k - 1].owner;
        REQUIRE(!mergeable);
      }
      REQUIRE(sum == whole);
    }
    for (const auto& [at, n] : used) heap.give(at);
    heap.forget_owners(0);
    CHECK(heap.remove_free_segments([](uintptr_t, Bytes) {}) == whole);
    CHECK(heap.free_bytes() == 0);
  }
}

TEST_CASE("random programs keep their data, and the totals agree") {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::mt19937_64 random(seed);
    CpuCachingAllocator allocator;
    struct Held {
      std::byte* p;
      Bytes n;
      int mark;
    };
    std::vector<Held> held;
    Bytes active = 0, peak = 0;
    for (int i = 0; i < 4000; ++i) {
      if (held.size() < 60 && random() % 2) {
        const Bytes n = random() % 3 ? log_uniform(random, 1, 300000) : 64 * 1024;
        const size_t alignment = random() % 8 ? 64 : size_t{1} << random() % 16;
        auto p = allocator.allocate(n, alignment);
        REQUIRE(p.ok());
        REQUIRE(reinterpret_cast<uintptr_t>(*p) % std::max<size_t>(alignment, 64) == 0);
        std::memset(*p, i & 255, static_cast<size_t>(n));
        held.push_back({static_cast<std::byte*>(*p), n, i & 255});
        active += n;
        peak = std::max(peak, active);
      } else if (!held.empty()) {
        const size_t k = random() % held.size();
        for (Bytes at = 0; at < held[k].n; at += 1 + held[k].n / 64)
          REQUIRE(held[k].p[at] == static_cast<std::byte>(held[k].mark));
        REQUIRE(held[k].p[held[k].n - 1] == static_cast<std::byte>(held[k].mark));
        allocator.deallocate(held[k].p, held[k].n);
        active -= held[k].n;
        held.erase(held.begin() + static_cast<long>(k));
      }
      if (i % 500 == 499) allocator.release_cached();
      const MemoryStats s = allocator.stats();
      REQUIRE(s.active == active);
      REQUIRE(s.peak == peak);
      REQUIRE(s.allocations - s.frees == static_cast<int64_t>(held.size()));
      REQUIRE(s.hits + s.misses == s.allocations);
      REQUIRE(s.waste() >= 0);
      REQUIRE(s.cached >= 0);
      REQUIRE(s.peak_reserved >= s.reserved);
    }
    for (const Held& h : held) allocator.deallocate(h.p, h.n);
    allocator.release_cached();
    CHECK(allocator.stats().reserved == 0);
    CHECK(allocator.stats().cached == 0);
  }
}

TEST_CASE("freed blocks are reused, and reserved bytes stay near the peak") {
  CpuCachingAllocator allocator;
  void* first = allocator.allocate(1 << 20).value();
  allocator.deallocate(first, 1 << 20);
  CHECK(allocator.allocate((1 << 20) - 100).value() == first);
  CHECK(allocator.stats().hits == 1);
  allocator.deallocate(first, (1 << 20) - 100);

  std::mt19937_64 random(11);
  std::vector<std::pair<void*, Bytes>> held;
  for (int i = 0; i < 5000; ++i) {
    if (held.size() > 20) {
      const size_t k = random() % held.size();
      allocator.deallocate(held[k].first, held[k].second);
      held.erase(held.begin() + static_cast<long>(k));
    }
    const Bytes n = log_uniform(random, 64 << 10, 16 << 20);
    held.emplace_back(allocator.allocate(n).value(), n);
    const MemoryStats s = allocator.stats();
    REQUIRE(static_cast<double>(s.reserved) <= 1.2 * static_cast<double>(s.peak) + (256 << 10));
  }
  for (auto [p, n] : held) allocator.deallocate(p, n);
}

TEST_CASE("unsatisfiable requests are errors") {
  CpuCachingAllocator allocator;
  for (Bytes n :
       {Bytes{0}, Bytes{-1}, std::numeric_limits<Bytes>::min(), Bytes{1} << 60, std::numeric_limits<Bytes>::max()})
    CHECK(!allocator.allocate(n));
  CHECK(!allocator.allocate(8, 3));
  CHECK(!allocator.allocate(8, 0));
  CHECK(allocator.stats().active == 0);
}

TEST_CASE("requests beyond a too small range go to the system") {
  CpuCachingOptions options;
  options.capacity = 1 << 20;
  CpuCachingAllocator allocator(options);
  std::vector<void*> held;
  for (int i = 0; i < 20; ++i) {
    held.push_back(allocator.allocate(200000).value());
    std::memset(held.back(), i, 200000);
  }
  CHECK(allocator.stats().active == 20 * 200000);
  for (void* p : held) allocator.deallocate(p, 200000);
  CHECK(allocator.stats().active == 0);
  void* large = allocator.allocate(4 << 20).value();
  std::memset(large, 1, 4 << 20);
  allocator.deallocate(large, 4 << 20);
}

TEST_CASE("several threads share one caching allocator") {
  CpuCachingAllocator allocator;
  std::atomic<int> damaged{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<uint64_t>(t));
      std::vector<std::pair<std::byte*, Bytes>> mine;
      for (int i = 0; i < 3000; ++i) {
        const Bytes n = 64 + static_cast<Bytes>(random() % 8) * 4096;
        auto* p = static_cast<std::byte*>(allocator.allocate(n).value());
        std::memset(p, t, static_cast<size_t>(n));
        mine.emplace_back(p, n);
        if (mine.size() < 8) continue;
        const size_t k = random() % mine.size();
        for (Bytes b = 0; b < mine[k].second; b += 63) damaged += mine[k].first[b] != static_cast<std::byte>(t);
        allocator.deallocate(mine[k].first, mine[k].second);
        mine.erase(mine.begin() + static_cast<long>(k));
        if (i % 700 == 0) allocator.release_cached();
      }
      for (auto [p, n] : mine) allocator.deallocate(p, n);
    });
  for (std::thread& t : threads) t.join();
  CHECK(damaged == 0);
  CHECK(allocator.stats().active == 0);
  CHECK(allocator.stats().allocations == 12000);
}

TEST_CASE("powers of two waste up to half, size classes a thirty-second, as statistics report") {
  CpuCachingOptions options;
  options.power_of_two = true;
  CpuCachingAllocator powers(options), classes;
  std::vector<std::pair<void*, Bytes>> held;
  Bytes asked = 0, rounded = 0;
  for (Bytes bytes = 100; bytes < 5'000'000; bytes = bytes * 9 / 7 + 13) {
    auto block = powers.allocate(bytes), other = classes.allocate(bytes);
    REQUIRE(block.ok());
    REQUIRE(other.ok());
    std::memset(*block, 1, static_cast<size_t>(bytes));
    held.emplace_back(*block, bytes);
    asked += bytes;
    rounded += static_cast<Bytes>(std::bit_ceil(static_cast<uint64_t>((bytes + 63) / 64))) * 64;
    classes.deallocate(*other, bytes);
    CHECK(classes.stats().waste() <= bytes / 32 + 64);
  }
  CHECK(powers.stats().active == asked);
  CHECK(powers.stats().waste() == rounded - asked);
  CHECK(rounded > asked * 5 / 4);
  for (const auto& [block, bytes] : held) powers.deallocate(block, bytes);
  CHECK(powers.stats().active == 0);
  CHECK(powers.stats().waste() == 0);
  CHECK(powers.stats().cached == powers.stats().reserved);
  // A freed block serves requests that round up to its size: a hit, and nothing is reserved.
  const Bytes reserved = powers.stats().reserved;
  const int64_t hits = powers.stats().hits;
  auto again = powers.allocate(held.back().second - 1);
  REQUIRE(again.ok());
  CHECK(powers.stats().hits == hits + 1);
  CHECK(powers.stats().reserved == reserved);
  powers.deallocate(*again, held.back().second - 1);
  CHECK(powers.release_cached() == reserved);
}
