// SPDX-License-Identifier: MIT
// Pinned host memory: cached with the device's events, and plain pages where none can be pinned.
#include <arenascope/memory/device_caching_allocator.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/memory/pinned_memory.h>
#include <doctest/doctest.h>
#include "support/simulated_device.h"

#include <cstdlib>
#include <cstring>

using namespace arenascope;

namespace {

struct Pinner {
  int left = 0;  // so many times it can
  int pinned = 0;
  static void* pin(void* context, Bytes bytes) {
    auto& self = *static_cast<Pinner*>(context);
    if (self.left == 0) return nullptr;
    --self.left;
    ++self.pinned;
    return std::aligned_alloc(4096, static_cast<size_t>((bytes + 4095) / 4096 * 4096));
  }
  static void unpin(void* context, void* pointer) {
    --static_cast<Pinner*>(context)->pinned;
    std::free(pointer);
  }
};

}  // namespace

TEST_CASE("pages that cannot be pinned are pageable, and each kind is freed by its allocator") {
  Pinner pinner{1};
  auto device = std::make_shared<SimulatedDevice>(Bytes{64} << 20);
  auto memory = std::make_shared<PinnedMemory>(device, PinnedMemory::Pages{Pinner::pin, Pinner::unpin, &pinner});
  {
    DeviceCachingAllocator allocator(memory);
    CHECK(allocator.device().is_cpu());
    auto first = allocator.allocate(4 << 20), second = allocator.allocate(4 << 20);
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    CHECK(pinner.pinned == 1);
    CHECK(memory->unpinned() > 0);
    std::memset(*first, 1, 4 << 20);
    std::memset(*second, 2, 4 << 20);
    allocator.deallocate(*first, 4 << 20);
    allocator.deallocate(*second, 4 << 20);
    allocator.release_cached();
    CHECK(pinner.pinned == 0);
    CHECK(memory->unpinned() == 0);
  }
  CHECK(device->live_events() == 0);
  CHECK(device->hazards() == 0);
}

TEST_CASE("a staging block is not reused while a copy reads it") {
  Pinner pinner{100};
  auto device = std::make_shared<SimulatedDevice>(Bytes{64} << 20);
  auto memory = std::make_shared<PinnedMemory>(device, PinnedMemory::Pages{Pinner::pin, Pinner::unpin, &pinner});
  ExecutionContext context;
  REQUIRE(context.register_allocator(MemoryKind::HostPinned, std::make_shared<DeviceCachingAllocator>(memory)).ok());
  const Stream copies = device->create_stream();
  auto block = context.allocate({}, MemoryKind::HostPinned, 1 << 20);
  REQUIRE(block.ok());
  const void* address = (*block)->data();
  device->launch(copies, {});  // the copy
  REQUIRE((*block)->record_stream(Stream{{}, copies.handle}).ok());
  block = BlockPtr();
  auto other = context.allocate({}, MemoryKind::HostPinned, 1 << 20);
  REQUIRE(other.ok());
  CHECK((*other)->data() != address);
  device->step(copies);
  auto third = context.allocate({}, MemoryKind::HostPinned, 1 << 20);
  REQUIRE(third.ok());
  CHECK((*third)->data() == address);
}
