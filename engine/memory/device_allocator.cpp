// SPDX-License-Identifier: MIT
#include <arenascope/memory/device_allocator.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace arenascope {

namespace {
constexpr size_t kDeviceAlignment = 512;
}

DeviceAllocator::DeviceAllocator(std::shared_ptr<DeviceInterface> device)
    : device_(std::move(device)), deferred_(device_) {}

DeviceAllocator::~DeviceAllocator() {
  [[maybe_unused]] const Status s = deferred_.drain([this](void* p, Bytes n) { give(p, n); });
  if (lost_.empty() || !device_->alive() || !device_->synchronize()) return;
  for (const auto& [pointer, bytes] : lost_) give(pointer, bytes);
}

Result<void*> DeviceAllocator::allocate(Bytes bytes, size_t alignment) {
  if (Status s = check_request(bytes, alignment); !s) return s.error();
  if (alignment > kDeviceAlignment)
    return Error{fmt::format("memory on {} is aligned to {} bytes, not to {}", to_string(device()), kDeviceAlignment,
                             alignment)};
  if (!device_->alive())
    return Error{fmt::format("cannot allocate on {}: its driver has shut down", to_string(device()))};
  std::lock_guard lock(mutex_);
  const auto release = [this](void* p, Bytes n) { give(p, n); };
  deferred_.poll(release);
  Result<void*> memory = nullptr;
  for (int attempt = 0;; ++attempt) {
    Status s = take_budget(bytes);
    if (s) {
      memory = device_->take_memory(bytes);
      if (memory) break;
      give_budget(bytes);
      s = memory.error();
    }
    // Out of memory: waits once for deferred frees and retries.
    if (attempt > 0 || deferred_.pending() == 0 || !deferred_.drain(release)) return s.error();
  }
  stats_.active += bytes;
  stats_.reserved += bytes;
  stats_.peak = std::max(stats_.peak, stats_.active);
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  ++stats_.allocations;
  ++stats_.misses;
  observe_reserve(*memory, bytes);
  return memory;
}

Result<void*> DeviceAllocator::allocate_on(Stream, Bytes bytes, size_t alignment) { return allocate(bytes, alignment); }

void DeviceAllocator::give(void* pointer, Bytes bytes) noexcept {
  stats_.reserved -= bytes;
  observe_release(pointer, bytes);
  device_->give_memory(pointer, bytes);
  give_budget(bytes);
}

void DeviceAllocator::deallocate(void* pointer, Bytes bytes) noexcept {
  const Stream stream{device(), 0};
  deallocate_after(pointer, bytes, {&stream, 1});
}

void DeviceAllocator::deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept {
  if (!pointer) return;
  std::lock_guard lock(mutex_);
  stats_.active -= bytes;
  ++stats_.frees;
  if (!device_->alive()) return;
  const DeferredFreeQueue::Pushed pushed = deferred_.push(pointer, bytes, streams);
  if (pushed == DeferredFreeQueue::Pushed::Passed) give(pointer, bytes);
  if (pushed == DeferredFreeQueue::Pushed::Lost) {
    try {
      lost_.emplace_back(pointer, bytes);
    } catch (const std::bad_alloc&) {  // the memory is leaked to the device
    }
  }
  deferred_.poll([this](void* p, Bytes n) { give(p, n); });
}

Bytes DeviceAllocator::release_cached() {
  std::lock_guard lock(mutex_);
  const Bytes before = stats_.reserved;
  [[maybe_unused]] const Status s = deferred_.drain([this](void* p, Bytes n) { give(p, n); });
  return before - stats_.reserved;
}

MemoryStats DeviceAllocator::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace arenascope
