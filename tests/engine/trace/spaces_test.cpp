// SPDX-License-Identifier: MIT
// Spaces and the allocations in them, as a session reports them.
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <arenascope/trace/space_use.h>
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "engine/trace/sample_traces.h"

using namespace arenascope;
using namespace arenascope::trace;

namespace {

constexpr MemoryKind kWork = MemoryKind::Workspace;

struct Played {
  Session session;
  Played() {
    session.describe(ThreadInfo{TrackId(0), "allocations", TrackKind::Other});
    session.describe(DeviceInfo{DeviceId(0), "cpu", {}, {}, 0, true});
    session.describe(DeviceInfo{DeviceId(1), "gpu", {}, {}, 0, false});
    session.describe(AllocatorInfo{0, "cpu Workspace", kWork, DeviceId(0)});
    session.describe(AllocatorInfo{1, "gpu Workspace", kWork, DeviceId(1)});
    session.describe(AllocatorInfo{2, "cpu KVCache", MemoryKind::KVCache, DeviceId(0)});
  }
  void add(const Event& e) { session.events(TrackId(0), {&e, 1}); }
};

// The bytes of allocations that are live at a time.
Bytes live_at(const Snapshot& s, Nanoseconds t) {
  Bytes sum = 0;
  for (const SpaceAllocation& slice : s.space_slices_in(t, t + 1, SIZE_MAX)) sum += slice.bytes;
  return sum;
}

}  // namespace

TEST_CASE("allocations are inside reservations, with owner and requested size") {
  Played p;
  p.add(reserve(10, kWork, 0x1000, 4096, 0, 0));
  p.add(alloc(20, MemoryKind::KVCache, 0x1400, 512, 2, 7));
  p.add(owner(20, 0x1400, 500, 2, GraphId(0), TensorRef::node(NodeId(3))));
  p.add(alloc(30, kWork, 0x1400, 64, 1, 8));  // another device's: its addresses are unrelated
  p.add(trace::free(40, MemoryKind::KVCache, 0x1400, 512, 2, 7));
  const auto s = p.session.snapshot();
  CHECK(s->problems.empty());
  REQUIRE(s->space_slices.size() == 1);
  const SpaceAllocation& slice = s->space_slices[0];
  CHECK(slice.kind == MemoryKind::KVCache);
  CHECK(slice.space_kind == kWork);
  CHECK(slice.space_allocator == 0);
  CHECK(slice.asked == 500);
  CHECK(slice.tensor == TensorRef::node(NodeId(3)));
  CHECK(slice.graph == GraphId(0));
  CHECK(slice.begin == 20);
  CHECK(slice.end == 40);
  CHECK_FALSE(slice.open);
  REQUIRE(s->open_space_slices.size() == 1);
  CHECK(s->open_space_slices[0].device == DeviceId(1));
  REQUIRE(s->open_spaces.size() == 2);
  CHECK_FALSE(s->open_spaces[0].implied);
  CHECK(s->open_spaces[1].implied);  // no reservation was recorded
  CHECK(live_at(*s, 30) == 576);
}

TEST_CASE("an owner names the tensor of an event's allocator, up to the largest ids") {
  const Event e = owner(5, 0x40, (Bytes{1} << 47) - 1, 0xffff, GraphId(9), TensorRef::leaf(LeafId(1)));
  CHECK(bound_bytes(e) == (Bytes{1} << 47) - 1);
  CHECK(bound_allocator(e) == 0xffff);
  CHECK(e.extra24() == 9);
  CHECK(TensorRef{e.id} == TensorRef::leaf(LeafId(1)));
}

TEST_CASE("an address reused before its free event arrives belongs to the new allocation") {
  Played p;
  p.session.describe(ThreadInfo{TrackId(1), "allocations", TrackKind::Other});
  EventSorter sorter;
  sorter.add(TrackId(1), std::array{alloc(100, kWork, 0x1400, 256, 0, 2)});
  sorter.add(TrackId(0), std::array{alloc(10, kWork, 0x1400, 512, 0, 1), trace::free(90, kWork, 0x1400, 512, 0, 1)});
  sorter.drain_all(p.session);
  const auto s = p.session.snapshot();
  REQUIRE(s->space_slices.size() == 1);
  CHECK(s->space_slices[0].bytes == 512);
  CHECK(s->space_slices[0].end == 90);
  REQUIRE(s->open_space_slices.size() == 1);
  CHECK(s->open_space_slices[0].bytes == 256);
  CHECK(live_at(*s, 95) == 0);
}

TEST_CASE("an arena is owned by a graph and has slices of that graph's runs") {
  Played p;
  p.add(alloc(10, kWork, 0x1000, 4096, 0, 1));
  p.add(owner(10, 0x1000, 4096, 0, GraphId(1), TensorRef::none()));
  p.add(alloc(10, kWork, 0x8000, 4096, 0, 2));  // as large, without an owner
  p.add(owner(10, 0x8000, 4000, 0, GraphId::none(), TensorRef::none()));
  for (int i = 0; i < 2; ++i) {
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(i);
    graph->nodes.resize(1);
    p.session.describe(std::shared_ptr<const GraphInfo>(graph));
    p.session.describe(RunInfo{RunId(i), GraphId(i), PlanId(), 20 + 100 * i, 1, "cpu", "planned"});
    p.add(slice_live(RunId(i), 30 + 100 * i, TensorRef::node(NodeId(0)), 64, 128, Step(0)));
    p.add(slice_dead(RunId(i), 60 + 100 * i, TensorRef::node(NodeId(0)), 64, 128, Step(1)));
  }
  p.add(trace::free(200, kWork, 0x1000, 4096, 0, 1));
  const auto s = p.session.snapshot();
  REQUIRE(s->space_slices.size() == 1);
  const SpaceAllocation& arena = s->space_slices[0];
  CHECK(is_arena(arena));
  CHECK_FALSE(is_arena(s->open_space_slices[0]));
  CHECK(s->open_space_slices[0].asked == 4000);
  const auto inside = slices_in_arena(*s, arena, {0, 1000});
  REQUIRE(inside.size() == 1);
  CHECK(inside[0].run == RunId(1));
  CHECK(slices_in_arena(*s, arena, {0, 100}).empty());
}

TEST_CASE("an image has a size in texels, buffers have none") {
  Played p;
  p.add(reserve(10, kWork, 0x1000, 6 * 4 * 16, 1, image_id(6, 4)));
  p.add(reserve(10, kWork, 0x4000, 4096, 1, 0));
  p.add(reserve(10, kWork, 0x8000, 1000, 1, image_id(7, 3)));  // no whole texels
  const auto s = p.session.snapshot();
  REQUIRE(s->open_spaces.size() == 3);
  CHECK(s->open_spaces[0].image.width == 6);
  CHECK(s->open_spaces[0].image.height == 4);
  CHECK(s->open_spaces[0].image.texel == 16);
  CHECK_FALSE(s->open_spaces[1].image.valid());
  CHECK_FALSE(s->open_spaces[2].image.valid());
  CHECK(image_id(0x10000, 4) == 0);
}

TEST_CASE("a partially released reservation continues as the remainder") {
  Played p;
  p.add(reserve(10, kWork, 0x1000, 0x1000, 0, 0));
  p.add(reserve(11, kWork, 0x2000, 0x1000, 0, 0));  // more pages of the same cache
  p.add(release(20, kWork, 0x1800, 0x1000, 0, 0));
  const auto s = p.session.snapshot();
  CHECK(s->spaces.size() == 2);
  REQUIRE(s->open_spaces.size() == 2);
  CHECK(s->open_spaces[0].address == 0x1000);
  CHECK(s->open_spaces[0].bytes == 0x800);
  CHECK(s->open_spaces[1].address == 0x2800);
  CHECK(s->open_spaces[1].bytes == 0x800);
  Bytes at15 = 0, at25 = 0;
  for (const Space& space : s->spaces_in(15, 16, 100)) at15 += space.bytes;
  for (const Space& space : s->spaces_in(25, 26, 100)) at25 += space.bytes;
  CHECK(at15 == 0x2000);
  CHECK(at25 == 0x1000);
}

TEST_CASE("random allocations: the sum of the slices equals a simple count at every event") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Played p;
    std::map<uint64_t, Bytes> held;
    std::map<Nanoseconds, Bytes> count;
    Bytes now = 0;
    for (Nanoseconds t = 100; t < 600; ++t) {
      const uint64_t address = 0x10000 + random() % 64 * 0x400;
      if (held.contains(address)) {
        p.add(trace::free(t, kWork, address, held[address], 0, 0));
        now -= held[address];
        held.erase(address);
      } else {
        const auto bytes = static_cast<Bytes>(1 + random() % 0x400);
        if (random() % 2 == 0) p.add(reserve(t, kWork, address, 0x400, 0, 0));
        p.add(alloc(t, kWork, address, bytes, 0, 0));
        now += held[address] = bytes;
      }
      count[t] = now;
    }
    const auto s = p.session.snapshot();
    size_t wrong = 0;
    for (const auto& [t, bytes] : count) wrong += live_at(*s, t) == bytes ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("random segments: free and allocated ranges partition each space at every event") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Played p;
    constexpr uint64_t kBase = 0x10000, kPage = 0x40;
    constexpr size_t kPages = 64;
    std::vector<int> used(kPages, -1), taken(kPages, 0);  // by page: its block; whether the space is there
    std::map<uint64_t, Bytes> held;
    std::map<Nanoseconds, Bytes> free_at, biggest_at;
    for (Nanoseconds t = 100; t < 500; ++t) {
      const size_t page = random() % kPages, half = kPages / 2, side = page / half * half;
      const uint64_t address = kBase + page * kPage;
      if (random() % 16 == 0 && taken[side] == 0) {
        p.add(reserve(t, kWork, kBase + side * kPage, half * kPage, 0, 0));
        std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(side), half, 1);
      } else if (held.contains(address)) {
        p.add(trace::free(t, kWork, address, held[address], 0, 0));
        for (size_t i = page; i < page + static_cast<size_t>(held[address]) / kPage; ++i) used[i] = -1;
        held.erase(address);
      } else if (taken[page] != 0 && used[page] < 0) {
        size_t pages = 1;
        while (pages < 5 && page + pages < side + half && used[page + pages] < 0) ++pages;
        p.add(alloc(t, kWork, address, static_cast<Bytes>(pages * kPage), 0, 0));
        held[address] = static_cast<Bytes>(pages * kPage);
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(page), pages, 1);
      }
      Bytes run = 0;
      for (size_t i = 0; i < kPages; ++i) {
        run = i != half && taken[i] != 0 && used[i] < 0 ? run + kPage : taken[i] != 0 && used[i] < 0 ? kPage : 0;
        free_at[t] += taken[i] != 0 && used[i] < 0 ? kPage : 0;
        biggest_at[t] = std::max(biggest_at[t], run);
      }
    }
    const auto s = p.session.snapshot();
    const TimeRange all{s->time.begin, s->time.end + 1};
    const auto spaces = s->spaces_in(all.begin, all.end, SIZE_MAX);
    const auto slices = slices_of(*s, all, {});
    const auto free = free_ranges(spaces, slices, all);
    size_t wrong = 0;
    for (const auto& [t, bytes] : free_at) {
      if (t < all.begin || t >= all.end) continue;
      Bytes sum = 0, biggest = 0;
      for (const FreeRange& f : free) {
        if (f.begin > t || f.end <= t) continue;
        sum += f.bytes, biggest = std::max(biggest, f.bytes);
        if (f.above >= 0)
          wrong += slices[static_cast<size_t>(f.above)].address == f.address + static_cast<uint64_t>(f.bytes) ? 0 : 1;
      }
      wrong += sum == bytes && biggest == biggest_at[t] ? 0 : 1;
    }
    CHECK(wrong == 0);
    Bytes most = 0;
    for (const auto& [t, bytes] : free_at) most = std::max(most, bytes);
    CHECK(space_totals(*s, all, {}).unused == most);
    for (const SpaceMoment& m : space_moments(*s, all, {})) wrong += m.reserved - m.active == free_at[m.time] ? 0 : 1;
    CHECK(wrong == 0);
    size_t lain = 0;
    for (const SpaceAddress& place : group_by_address(slices, all)) {
      lain += place.slices.size();
      CHECK(place.used <= 1);
      for (const uint32_t i : place.slices) CHECK(slices[i].address == place.address);
    }
    CHECK(lain == slices.size());
  }
}

TEST_CASE("a long session evicts released spaces") {
  Session session({.max_bytes = 8 << 20});
  session.describe(ThreadInfo{TrackId(0), "allocations", TrackKind::Other});
  std::vector<Event> batch;
  for (Nanoseconds t = 0; t < 400'000; ++t) {
    const uint64_t address = 0x1000 + static_cast<uint64_t>(t) * 0x100;
    batch = {reserve(4 * t, kWork, address, 0x100, 0, 0), alloc(4 * t + 1, kWork, address, 0x80, 0, 0),
             trace::free(4 * t + 2, kWork, address, 0x80, 0, 0), release(4 * t + 3, kWork, address, 0x100, 0, 0)};
    session.events(TrackId(0), batch);
  }
  CHECK(session.bytes() < size_t{24} << 20);
  const auto s = session.snapshot();
  CHECK(s->space_slices.size() < 400'000);
  CHECK(s->open_spaces.empty());
  CHECK(live_at(*s, s->time.end - 2) == 0x80);
}

TEST_CASE("blocks of a memory snapshot are inside their segments, with requested sizes") {
  Session session;
  const std::string bytes = test::snapshot_pickle();
  REQUIRE(open_trace({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "made", session).ok());
  const auto s = session.snapshot();
  REQUIRE(s->open_spaces.size() == 1);
  CHECK(s->open_spaces[0].bytes == 4096);
  REQUIRE(s->open_space_slices.size() == 2);
  for (const SpaceAllocation& slice : s->open_space_slices) {
    CHECK(slice.bytes == 512);
    CHECK(slice.asked <= 512);
  }
  CHECK(s->open_space_slices[1].asked == 500);
  REQUIRE(s->space_slices.size() == 1);
  CHECK(s->space_slices[0].asked == 100);
}
