// SPDX-License-Identifier: MIT
// Programs that demonstrate allocators: caching, fragmentation, memory kinds, a device's pool, a growing cache.
#include <fmt/format.h>

#include "engine/lesson/program_context.h"

namespace arenascope::lesson {
namespace {

// Five tensors are allocated and freed four times, as in a network of four layers.
Status layers(RecordedContext& context, MemoryKind kind) {
  static constexpr Bytes kSizes[] = {20 * KiB, 36 * KiB, 20 * KiB, 68 * KiB, 10 * KiB};
  for (int layer = 0; layer < 4; ++layer)
    for (int i = 0; i < 5; ++i) {
      ARENASCOPE_TRY(context.allocate(fmt::format("t{}", i), kind, kSizes[i]));
      if (i > 0) context.free(fmt::format("t{}", i - 1));
      if (i == 4) context.free("t4");
    }
  return {};
}

Status buckets(trace::Recorder& recorder) {
  RecordedContext context(recorder, numbered("t", 5));
  ARENASCOPE_TRY(context.use(MemoryKind::Workspace, std::make_shared<BucketAllocator>()));
  return layers(context, MemoryKind::Workspace);
}

// The outer two of three tensors in one segment are freed. Together their memory would suffice, but it is in two
// ranges.
Status holes(trace::Recorder& recorder) {
  RecordedContext context(recorder, {"left", "middle", "right", "wide"});
  ARENASCOPE_TRY(context.use(MemoryKind::Workspace, std::make_shared<SegmentAllocator>(192 * KiB)));
  for (const char* name : {"left", "middle", "right"})
    ARENASCOPE_TRY(context.allocate(name, MemoryKind::Workspace, 64 * KiB));
  context.free("left");
  context.free("right");
  return context.allocate("wide", MemoryKind::Workspace, 128 * KiB);
}

// Weights, a cache and scratch, all allocated as one kind or each as its own kind.
Status model_memory(trace::Recorder& recorder, bool kinds) {
  RecordedContext context(recorder, {"weights", "scratch", "keys0", "keys1", "keys2", "keys3", "keys4", "keys5"});
  const auto kind = [&](MemoryKind own) { return kinds ? own : MemoryKind::Default; };
  for (MemoryKind each : {MemoryKind::Default, MemoryKind::Persistent, MemoryKind::Workspace, MemoryKind::KVCache})
    ARENASCOPE_TRY(context.use(each, std::make_shared<FirstLargerPool>()));
  ARENASCOPE_TRY(context.allocate("weights", kind(MemoryKind::Persistent), 512 * KiB));
  for (int token = 0; token < 6; ++token) {
    ARENASCOPE_TRY(context.allocate(fmt::format("keys{}", token), kind(MemoryKind::KVCache), 16 * KiB));
    ARENASCOPE_TRY(context.allocate("scratch", kind(MemoryKind::Workspace), 96 * KiB));
    context.free("scratch");
  }
  return {};
}
Status one_kind(trace::Recorder& recorder) { return model_memory(recorder, false); }
Status kinds(trace::Recorder& recorder) { return model_memory(recorder, true); }

// Three tensors of a network in a device's pool: a large one, a small one, and a large one again.
Status pool(trace::Recorder& recorder, bool separate, Bytes middle) {
  RecordedContext context(recorder, {"large", "middle", "large again"});
  const Device device{DeviceType::Simulated, 0};
  ARENASCOPE_TRY(context.use(MemoryKind::Workspace, std::make_shared<FirstLargerPool>(separate, device)));
  ARENASCOPE_TRY(context.allocate("large", MemoryKind::Workspace, 256 * KiB));
  context.free("large");
  ARENASCOPE_TRY(context.allocate("middle", MemoryKind::Workspace, middle));
  ARENASCOPE_TRY(context.allocate("large again", MemoryKind::Workspace, 256 * KiB));
  return {};
}
Status pool_reuse(trace::Recorder& recorder) { return pool(recorder, false, 256 * KiB); }
Status pool_waste(trace::Recorder& recorder) { return pool(recorder, false, 8 * KiB); }
Status pool_separate(trace::Recorder& recorder) { return pool(recorder, true, 8 * KiB); }

// Keys and values of one token after another: a cache that grows by doubling is copied each time, a paged cache is not.
Status cache_doubling(trace::Recorder& recorder) {
  RecordedContext context(recorder, numbered("cache", 4));
  ARENASCOPE_TRY(context.use(MemoryKind::KVCache, std::make_shared<FirstLargerPool>(true)));
  Bytes capacity = 4 * KiB;
  ARENASCOPE_TRY(context.allocate("cache0", MemoryKind::KVCache, capacity));
  for (int token = 1, turn = 0; token <= 32; ++token) {
    if (token * KiB <= capacity) continue;
    capacity *= 2;
    ARENASCOPE_TRY(
        context.allocate(fmt::format("cache{}", turn + 1), MemoryKind::KVCache, capacity));  // the old one still exists
    context.free(fmt::format("cache{}", turn++));
  }
  return {};
}

Status cache_pages(trace::Recorder& recorder) {
  RecordedContext context(recorder, numbered("page", 8));
  ARENASCOPE_TRY(context.use(MemoryKind::KVCache, std::make_shared<FirstLargerPool>()));
  for (int token = 1; token <= 32; ++token)
    if (token % 4 == 1)
      ARENASCOPE_TRY(context.allocate(fmt::format("page{}", token / 4), MemoryKind::KVCache, 4 * KiB));
  return {};
}

constexpr Program kAllocatorsPrograms[] = {
    {"buckets", "a caching allocator with power-of-two buckets", buckets},
    {"holes", "a segment whose free memory is split into two ranges", holes},
    {"one_kind", "weights, cache and scratch, all of memory kind default", one_kind},
    {"kinds", "weights, cache and scratch, each of its own memory kind", kinds},
    {"pool_reuse", "a device's memory pool that reuses a buffer", pool_reuse},
    {"pool_waste", "a device's memory pool: a small tensor occupies a large buffer", pool_waste},
    {"pool_separate", "a device's memory pool without reuse", pool_separate},
    {"cache_doubling", "a KV cache that grows by doubling", cache_doubling},
    {"cache_pages", "a KV cache in pages", cache_pages},
};

}  // namespace

std::span<const Program> allocator_programs() { return kAllocatorsPrograms; }

}  // namespace arenascope::lesson
