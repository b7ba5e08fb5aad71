// SPDX-License-Identifier: MIT
// The device allocators on a simulated device: random programs against its hazard check, order of streams, running
// out, and a driver that has gone.
#include <arenascope/memory/device_allocator.h>
#include <arenascope/memory/device_caching_allocator.h>
#include <arenascope/memory/execution_context.h>
#include <doctest/doctest.h>
#include "support/simulated_device.h"

#include <map>
#include <random>
#include <set>
#include <thread>

using namespace arenascope;

namespace {

constexpr Bytes kMiB = 1 << 20;

using Use = SimulatedDevice::Use;

void launch(SimulatedDevice& device, Stream stream, void* pointer, Bytes bytes, uint64_t allocation) {
  const Use use{reinterpret_cast<uintptr_t>(pointer), bytes, allocation};
  device.launch(stream, {&use, 1});
}

// Every block lies in a segment, neighbours touch, and the sums are those of the statistics.
void check_snapshot(const DeviceCachingAllocator& allocator, const std::map<uintptr_t, Bytes>& live) {
  const auto blocks = allocator.snapshot();
  const MemoryStats stats = allocator.stats();
  const FragmentationStats fragments = allocator.fragmentation();
  Bytes reserved = 0, free = 0, deferred = 0;
  size_t active = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    reserved += blocks[i].bytes;
    if (blocks[i].state == BlockSnapshot::State::Free) free += blocks[i].bytes;
    if (blocks[i].state == BlockSnapshot::State::Deferred) deferred += blocks[i].bytes;
    if (blocks[i].state == BlockSnapshot::State::Active) {
      ++active;
      REQUIRE(live.count(blocks[i].address) == 1);
      REQUIRE(live.at(blocks[i].address) <= blocks[i].bytes);
    }
    if (i > 0 && blocks[i - 1].segment == blocks[i].segment)
      REQUIRE(blocks[i - 1].address + static_cast<uintptr_t>(blocks[i - 1].bytes) == blocks[i].address);
  }
  REQUIRE(active == live.size());
  REQUIRE(reserved == stats.reserved);
  REQUIRE(free == stats.cached);
  REQUIRE(free == fragments.free);
  REQUIRE(deferred == fragments.deferred);
  REQUIRE(fragments.largest_free <= free);
  REQUIRE(stats.waste() >= deferred);
  const FreeMemory memory = allocator.free_memory();
  Bytes of_streams = 0;
  int64_t pending = 0;
  for (const StreamUse& use : memory.streams) {
    of_streams += use.free;
    pending += use.pending;
    REQUIRE((use.pending > 0) == (use.deferred > 0));
  }
  REQUIRE(of_streams == free);
  REQUIRE((pending > 0) == (deferred > 0));
  REQUIRE(memory.largest == fragments.largest_free);
}

struct Live {
  void* pointer;
  Bytes bytes;
  uint64_t id;
  Stream home;
  std::set<Stream> used_on;
};

}  // namespace

TEST_CASE("random programs: no block is used by two streams at once") {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    auto device = std::make_shared<SimulatedDevice>(seed % 3 == 0 ? 24 * kMiB : 256 * kMiB);
    auto allocator = std::make_shared<DeviceCachingAllocator>(device);
    std::vector<Stream> streams{device->default_stream()};
    for (int i = 0; i < 3; ++i) streams.push_back(device->create_stream());
    std::vector<Live> live;
    std::map<uintptr_t, Bytes> model;
    Bytes active = 0;
    int refused = 0;
    uint64_t next = 1;
    for (int i = 0; i < 12000; ++i) {
      const Stream stream = streams[random() % streams.size()];
      switch (random() % 8) {
        case 0:
        case 1: {
          if (live.size() > 60) break;
          const Bytes bytes = 1 + static_cast<Bytes>(random() % (random() % 4 ? 300000 : 3000000));
          auto p = allocator->allocate_on(stream, bytes, size_t{64} << random() % 6);
          if (!p) {
            ++refused;
            break;
          }
          const auto at = reinterpret_cast<uintptr_t>(*p);
          const auto after = model.lower_bound(at);
          if (after != model.end()) REQUIRE(at + static_cast<uintptr_t>(bytes) <= after->first);
          if (after != model.begin())
            REQUIRE(std::prev(after)->first + static_cast<uintptr_t>(std::prev(after)->second) <= at);
          model[at] = bytes;
          active += bytes;
          live.push_back({*p, bytes, next++, stream, {}});
          break;
        }
        case 2:
        case 3:
        case 4: {
          if (live.empty()) break;
          Live& l = live[random() % live.size()];
          const Stream on = random() % 3 ? l.home : stream;
          if (on != l.home) {  // as a user must: the other stream waits for what the block's own has queued
            device->wait_for(on, l.home);
            l.used_on.insert(on);
          }
          launch(*device, on, l.pointer, l.bytes, l.id);
          break;
        }
        case 5: {
          if (live.empty()) break;
          const size_t k = random() % live.size();
          Live& l = live[k];
          std::vector<Stream> used(l.used_on.begin(), l.used_on.end());
          if (random() % 2) used.push_back(l.home);
          allocator->deallocate_after(l.pointer, l.bytes, used);
          model.erase(reinterpret_cast<uintptr_t>(l.pointer));
          active -= l.bytes;
          live.erase(live.begin() + static_cast<long>(k));
          break;
        }
        default:
          for (int steps = static_cast<int>(random() % 4); steps > 0; --steps) device->step(stream);
      }
      if (random() % 500 == 0) allocator->release_cached();
      if (random() % 300 == 0) device->fail_events(1 + static_cast<int>(random() % 3));
      REQUIRE(device->hazards() == 0);
      REQUIRE(allocator->stats().active == active);
      REQUIRE(allocator->stats().reserved == device->used());
      if (i % 40 == 0) check_snapshot(*allocator, model);
    }
    CHECK((refused > 0) == (seed % 3 == 0));
    CHECK(allocator->stats().hits > allocator->stats().misses);
    for (const Live& l : live) {
      const std::vector<Stream> used(l.used_on.begin(), l.used_on.end());
      allocator->deallocate_after(l.pointer, l.bytes, used);
    }
    allocator->release_cached();
    CHECK(allocator->stats().reserved == 0);
    allocator.reset();
    CHECK(device->used() == 0);
    CHECK(device->live_events() == 0);
    CHECK(device->hazards() == 0);
  }
}

TEST_CASE("the simulated device notices a block used by two streams") {
  auto device = std::make_shared<SimulatedDevice>(16 * kMiB);
  const Stream a = device->create_stream(), b = device->create_stream();
  void* p = device->take_memory(kMiB).value();
  launch(*device, a, p, kMiB, 1);
  launch(*device, b, p, kMiB, 1);  // one allocation shared on purpose
  CHECK(device->hazards() == 0);
  launch(*device, b, p, kMiB, 2);  // another allocation on the same bytes while the first is in use
  CHECK(device->hazards() == 1);
  device->wait_for(b, a);
  launch(*device, b, p, kMiB, 3);  // ordered after it
  CHECK(device->hazards() == 1);
  CHECK(device->step(b));
  CHECK(device->step(b));
  CHECK(!device->step(b));       // waits for a
  device->give_memory(p, kMiB);  // and freed under both
  CHECK(device->hazards() > 1);
  CHECK(device->synchronize().ok());
  CHECK(!device->step(a));
}

TEST_CASE("one stream reuses a block at once, another stream after an event") {
  auto device = std::make_shared<SimulatedDevice>(64 * kMiB);
  DeviceCachingAllocator allocator(device);
  const Stream a = device->create_stream(), b = device->create_stream();
  void* p = allocator.allocate_on(a, 4 * kMiB).value();
  launch(*device, a, p, 4 * kMiB, 1);
  allocator.deallocate(p, 4 * kMiB);
  CHECK(allocator.allocate_on(a, 4 * kMiB).value() == p);  // a's work runs in order
  allocator.deallocate(p, 4 * kMiB);
  void* q = allocator.allocate_on(b, 4 * kMiB).value();
  CHECK(q != p);  // a may not be through
  allocator.deallocate(q, 4 * kMiB);
  void* first = allocator.allocate_on(b, 4 * kMiB).value();
  CHECK(first == q);
  while (device->step(a)) {
  }
  CHECK(allocator.allocate_on(b, 4 * kMiB).value() == p);  // the fence recorded before has passed
  CHECK(allocator.stats().hits == 3);
  CHECK(device->calls_to_take() == 2);
}

TEST_CASE("a merged block is as young as its youngest part") {
  auto device = std::make_shared<SimulatedDevice>(64 * kMiB);
  DeviceCachingAllocator allocator(device);
  const Stream a = device->create_stream(), b = device->create_stream();
  constexpr Bytes kHalf = kMiB / 2;
  void* x = allocator.allocate_on(a, kHalf).value();
  void* y = allocator.allocate_on(a, kHalf).value();
  REQUIRE(static_cast<std::byte*>(x) + kHalf == y);
  REQUIRE(allocator.allocate_on(a, kMiB).ok());  // the rest of the segment
  launch(*device, a, x, kHalf, 1);
  allocator.deallocate(x, kHalf);
  for (int i = 0; i < 4; ++i) REQUIRE(allocator.allocate_on(b, kHalf).ok());  // fences a, fills a segment of b's own
  REQUIRE(device->step(a));
  launch(*device, a, y, kHalf, 2);
  allocator.deallocate(y, kHalf);
  void* z = allocator.allocate_on(b, kHalf).value();  // x alone has passed, x and y together have not
  launch(*device, b, z, kHalf, 3);
  CHECK(z != x);
  CHECK(device->hazards() == 0);
}

TEST_CASE("freeing a tensor defers its memory until the streams that used it are done") {
  auto device = std::make_shared<SimulatedDevice>(64 * kMiB);
  ExecutionContext context;
  REQUIRE(context.register_allocator(MemoryKind::Default, std::make_shared<DeviceCachingAllocator>(device)).ok());
  const Stream a = device->create_stream(), b = device->create_stream();
  context.set_current_stream(a);
  BlockPtr block = context.allocate(device->device(), MemoryKind::Default, kMiB).value();
  std::byte* first = block->data();
  REQUIRE(block->record_stream(b).ok());
  REQUIRE(block->record_stream(b).ok());
  REQUIRE(block->record_stream(a).ok());
  CHECK(block->recorded_streams().size() == 2);
  launch(*device, b, first, kMiB, 1);
  block.reset();
  const auto* cache =
      dynamic_cast<const DeviceCachingAllocator*>(context.allocator(device->device(), MemoryKind::Default).get());
  REQUIRE(cache);
  CHECK(cache->fragmentation().deferred == kMiB);
  BlockPtr other = context.allocate(device->device(), MemoryKind::Default, kMiB).value();
  CHECK(other->data() != first);
  while (device->step(b)) {
  }
  other.reset();
  CHECK(context.allocate(device->device(), MemoryKind::Default, 2 * kMiB).value()->data() == first);
  CHECK(cache->fragmentation().deferred == 0);
  CHECK(device->hazards() == 0);
}

TEST_CASE("a full device releases cached blocks, waits for deferred ones, then reports an error") {
  auto device = std::make_shared<SimulatedDevice>(32 * kMiB);
  DeviceCachingAllocator allocator(device);
  const Stream a = device->create_stream(), b = device->create_stream();
  std::vector<void*> small;
  for (int i = 0; i < 4; ++i) small.push_back(allocator.allocate_on(a, 6 * kMiB).value());
  for (void* p : small) {
    launch(*device, b, p, 6 * kMiB, 7);
    allocator.deallocate_after(p, 6 * kMiB, {&b, 1});
  }
  CHECK(allocator.stats().reserved == 24 * kMiB);
  void* large = allocator.allocate_on(a, 30 * kMiB).value();
  CHECK(allocator.stats().reserved == 30 * kMiB);
  auto more = allocator.allocate_on(b, 3 * kMiB);
  REQUIRE(!more);
  CHECK(more.error().message.find("out of memory on simulated:0: 3145728 bytes requested") == 0);
  allocator.deallocate(large, 30 * kMiB);
  CHECK(allocator.allocate_on(b, 3 * kMiB).ok());
  CHECK(!allocator.allocate(std::numeric_limits<Bytes>::max()));
  CHECK(!allocator.allocate(0));
  CHECK(!allocator.allocate(8, 7));
  CHECK(device->hazards() == 0);
}

TEST_CASE("a context's limit bounds a device, and one kind's cache serves another") {
  auto device = std::make_shared<SimulatedDevice>(64 * kMiB);
  ExecutionContext context;
  for (MemoryKind kind : {MemoryKind::Default, MemoryKind::Workspace})
    REQUIRE(context.register_allocator(kind, std::make_shared<DeviceCachingAllocator>(device)).ok());
  CHECK(!context.register_allocator(MemoryKind::HostPinned, std::make_shared<DeviceCachingAllocator>(device)));
  const Device d = device->device();
  context.set_limit(d, 16 * kMiB);
  context.allocate(d, MemoryKind::Workspace, 12 * kMiB).value();  // freed at once: cached
  CHECK(context.stats(d, MemoryKind::Workspace).cached == 12 * kMiB);
  BlockPtr block = context.allocate(d, MemoryKind::Default, 10 * kMiB).value();
  CHECK(context.stats(d, MemoryKind::Workspace).reserved == 0);
  CHECK(!context.allocate(d, MemoryKind::Workspace, 7 * kMiB));
  CHECK(context.stats(d).active == 10 * kMiB);
  CHECK(context.stats(d).reserved == device->used());
}

TEST_CASE("tear-down is safe after the driver has gone, and with a live block") {
  auto device = std::make_shared<SimulatedDevice>(64 * kMiB);
  BlockPtr block;
  {
    ExecutionContext context;
    REQUIRE(context.register_allocator(MemoryKind::Default, std::make_shared<DeviceCachingAllocator>(device)).ok());
    REQUIRE(context.register_allocator(MemoryKind::Persistent, std::make_shared<DeviceAllocator>(device)).ok());
    block = context.allocate(device->device(), MemoryKind::Default, kMiB).value();
    BlockPtr weights = context.allocate(device->device(), MemoryKind::Persistent, kMiB).value();
    const Stream s = device->create_stream();
    REQUIRE(block->record_stream(s).ok());
    launch(*device, s, weights->data(), kMiB, 1);
    REQUIRE(weights->record_stream(s).ok());
    weights.reset();
    launch(*device, s, block->data(), kMiB, 2);
    device->kill();
    CHECK(!context.allocate(device->device(), MemoryKind::Default, kMiB));
  }
  block.reset();
  CHECK(device->hazards() == 0);
}

TEST_CASE("the plain device allocator also defers frees, and waits when the device is full") {
  auto device = std::make_shared<SimulatedDevice>(8 * kMiB);
  DeviceAllocator allocator(device);
  const Stream a = device->create_stream();
  void* p = allocator.allocate(6 * kMiB).value();
  launch(*device, a, p, 6 * kMiB, 1);
  allocator.deallocate_after(p, 6 * kMiB, {&a, 1});
  CHECK(allocator.stats().active == 0);
  CHECK(allocator.stats().reserved == 6 * kMiB);
  void* q = allocator.allocate(5 * kMiB).value();
  CHECK(device->hazards() == 0);
  CHECK(!allocator.allocate(5 * kMiB));
  CHECK(!allocator.allocate(kMiB, 4096));
  allocator.deallocate(q, 5 * kMiB);
  CHECK(allocator.release_cached() == 0);
  CHECK(device->used() == 0);
}

TEST_CASE("threads with separate streams share a device allocator") {
  auto device = std::make_shared<SimulatedDevice>(128 * kMiB);
  auto allocator = std::make_shared<DeviceCachingAllocator>(device);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      const Stream own = device->create_stream();
      const Stream foreign = device->default_stream();
      for (uint64_t i = 0; i < 1500; ++i) {
        const Bytes bytes = 1 + static_cast<Bytes>(random() % 500000);
        auto block = MemoryBlock::allocate(allocator, MemoryKind::Workspace, bytes, 64, own);
        if (!block) continue;
        launch(*device, own, (*block)->data(), bytes, t << 32 | i);
        if (random() % 4 == 0 && (*block)->record_stream(foreign)) {
          device->wait_for(foreign, own);
          launch(*device, foreign, (*block)->data(), bytes, t << 32 | i);
        }
        if (random() % 2) device->step(random() % 4 ? own : foreign);
        if (random() % 400 == 0) allocator->release_cached();
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(device->hazards() == 0);
  CHECK(allocator->stats().active == 0);
  CHECK(allocator->stats().allocations == 6000);
}
