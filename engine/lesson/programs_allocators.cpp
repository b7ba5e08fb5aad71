// SPDX-License-Identifier: MIT
// Allocators at work: caching, fragmentation, kinds, a device's pool, a growing cache.
#include <fmt/format.h>

#include "engine/lesson/program_kit.h"

namespace arenascope::lesson {
namespace {

// Five tensors come and go four times, as in a network of four layers.
Status layers(Room& room, MemoryKind kind) {
  static constexpr Bytes kSizes[] = {20 * KiB, 36 * KiB, 20 * KiB, 68 * KiB, 10 * KiB};
  for (int layer = 0; layer < 4; ++layer)
    for (int i = 0; i < 5; ++i) {
      ARENASCOPE_TRY(room.allocate(fmt::format("t{}", i), kind, kSizes[i]));
      if (i > 0) room.free(fmt::format("t{}", i - 1));
      if (i == 4) room.free("t4");
    }
  return {};
}

Status buckets(trace::Recorder& recorder) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::Workspace, std::make_shared<BucketAllocator>()));
  return layers(room, MemoryKind::Workspace);
}

// Of three tensors in one segment the outer two go; together they leave room enough, but in two pieces.
Status holes(trace::Recorder& recorder) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::Workspace, std::make_shared<SegmentAllocator>(192 * KiB)));
  for (const char* name : {"left", "middle", "right"})
    ARENASCOPE_TRY(room.allocate(name, MemoryKind::Workspace, 64 * KiB));
  room.free("left");
  room.free("right");
  return room.allocate("wide", MemoryKind::Workspace, 128 * KiB);
}

// Weights, a cache and scratch, all asked for as one kind or each as its own.
Status model_memory(trace::Recorder& recorder, bool kinds) {
  Room room(recorder);
  const auto kind = [&](MemoryKind own) { return kinds ? own : MemoryKind::Default; };
  for (MemoryKind each : {MemoryKind::Default, MemoryKind::Persistent, MemoryKind::Workspace, MemoryKind::KVCache})
    ARENASCOPE_TRY(room.use(each, std::make_shared<FirstLargerPool>()));
  ARENASCOPE_TRY(room.allocate("weights", kind(MemoryKind::Persistent), 512 * KiB));
  for (int token = 0; token < 6; ++token) {
    ARENASCOPE_TRY(room.allocate(fmt::format("keys{}", token), kind(MemoryKind::KVCache), 16 * KiB));
    ARENASCOPE_TRY(room.allocate("scratch", kind(MemoryKind::Workspace), 96 * KiB));
    room.free("scratch");
  }
  return {};
}
Status one_kind(trace::Recorder& recorder) { return model_memory(recorder, false); }
Status kinds(trace::Recorder& recorder) { return model_memory(recorder, true); }

// Three tensors of a network, in a device's pool: a large, a small, and a large one again.
Status pool(trace::Recorder& recorder, bool separate, Bytes middle) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::Workspace, std::make_shared<FirstLargerPool>(separate)));
  ARENASCOPE_TRY(room.allocate("large", MemoryKind::Workspace, 256 * KiB));
  room.free("large");
  ARENASCOPE_TRY(room.allocate("middle", MemoryKind::Workspace, middle));
  ARENASCOPE_TRY(room.allocate("large again", MemoryKind::Workspace, 256 * KiB));
  return {};
}
Status pool_reuse(trace::Recorder& recorder) { return pool(recorder, false, 256 * KiB); }
Status pool_waste(trace::Recorder& recorder) { return pool(recorder, false, 8 * KiB); }
Status pool_separate(trace::Recorder& recorder) { return pool(recorder, true, 8 * KiB); }

// Keys and values of one token after the other: a cache that grows by doubling is copied each time, pages are not.
Status cache_doubling(trace::Recorder& recorder) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::KVCache, std::make_shared<FirstLargerPool>(true)));
  Bytes capacity = 4 * KiB;
  ARENASCOPE_TRY(room.allocate("cache0", MemoryKind::KVCache, capacity));
  for (int token = 1, turn = 0; token <= 32; ++token) {
    if (token * KiB <= capacity) continue;
    capacity *= 2;
    ARENASCOPE_TRY(
        room.allocate(fmt::format("cache{}", turn + 1), MemoryKind::KVCache, capacity));  // beside the old one
    room.free(fmt::format("cache{}", turn++));
  }
  return {};
}

Status cache_pages(trace::Recorder& recorder) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::KVCache, std::make_shared<FirstLargerPool>()));
  for (int token = 1; token <= 32; ++token)
    if (token % 4 == 1) ARENASCOPE_TRY(room.allocate(fmt::format("page{}", token / 4), MemoryKind::KVCache, 4 * KiB));
  return {};
}

constexpr Program kAllocatorsPrograms[] = {
    {"buckets", "a caching allocator with buckets of powers of two", buckets},
    {"holes", "a segment whose free bytes lie in two pieces", holes},
    {"one_kind", "weights, cache and scratch, all of kind default", one_kind},
    {"kinds", "weights, cache and scratch, each of its kind", kinds},
    {"pool_reuse", "a device's pool: a buffer is used again", pool_reuse},
    {"pool_waste", "a device's pool: a small tensor takes the large buffer", pool_waste},
    {"pool_separate", "a device's pool that reuses nothing", pool_separate},
    {"cache_doubling", "a cache of keys and values that doubles", cache_doubling},
    {"cache_pages", "a cache of keys and values in pages", cache_pages},
};

}  // namespace

std::span<const Program> allocator_programs() { return kAllocatorsPrograms; }

}  // namespace arenascope::lesson
