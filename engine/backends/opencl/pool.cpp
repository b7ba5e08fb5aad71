// SPDX-License-Identifier: MIT
#include <arenascope/backends/opencl/pool.h>

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

namespace arenascope::opencl {

BufferPool::BufferPool(std::shared_ptr<Runtime> runtime, Device device, PoolOptions options)
    : runtime_(std::move(runtime)), device_(device), options_(options) {}

BufferPool::~BufferPool() {
  std::lock_guard lock(mutex_);
  release_locked();
}

Bytes BufferPool::largest_for(Bytes request) const {
  if (std::isinf(options_.waste)) return INT64_MAX;
  const double bounded = std::min(static_cast<double>(request) * options_.waste, 9e18);
  return std::max(static_cast<Bytes>(bounded), request > INT64_MAX - options_.slack ? request : request + options_.slack);
}

Result<void*> BufferPool::take(Bytes bytes) {
  const DeviceFacts& facts = runtime_->facts();
  if (bytes > facts.max_allocation)
    return Error{fmt::format("{} bytes are more than {} allocates at once ({})", bytes, facts.name, facts.max_allocation)};
  if (auto ok = take_budget(bytes); !ok) return ok.error();
  cl_int code = CL_SUCCESS;
  MemHandle buffer;
  const auto& faults = runtime_->options().faults;
  if (faults && Runtime::used_up(faults->allocations)) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  else {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (facts.unified_memory ? CL_MEM_ALLOC_HOST_PTR : 0);
    buffer = MemHandle(clCreateBuffer(runtime_->context(), flags, static_cast<size_t>(bytes), nullptr, &code));
  }
  if (code != CL_SUCCESS) {
    give_budget(bytes);
    return Error{fmt::format("{} has no {} bytes of memory left ({}); {} are reserved", facts.name, bytes, error_name(code), stats_.reserved)};
  }
  void* address = runtime_->buffers().add(std::move(buffer), bytes);
  stats_.reserved += bytes;
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  observe_reserve(address, bytes);
  return address;
}

Result<void*> BufferPool::allocate(Bytes bytes, size_t alignment) {
  if (auto ok = check_request(bytes, alignment); !ok) return ok.error();
  if (alignment > 4096) return Error{fmt::format("an alignment of {} bytes is more than the OpenCL device's 4096", alignment)};
  std::lock_guard lock(mutex_);
  try {
    void* address = nullptr;
    const auto fit = options_.separate ? free_.end() : free_.lower_bound(bytes);
    if (fit != free_.end() && fit->first <= largest_for(bytes)) {
      address = fit->second;
      free_.erase(fit);
      stats_.cached -= blocks_[address].bytes;
      ++stats_.hits;
    } else {
      make_room(bytes);
      auto taken = take(bytes);
      if (!taken && release_locked() > 0) taken = take(bytes);
      if (!taken) return taken.error();
      address = *taken;
      blocks_[address] = Block{bytes, 0, 0};
      ++stats_.misses;
    }
    Block& block = blocks_[address];
    block.requested = bytes;
    ++block.uses;
    ++stats_.allocations;
    stats_.active += bytes;
    stats_.peak = std::max(stats_.peak, stats_.active);
    return address;
  } catch (const std::bad_alloc&) {
    return Error{"out of memory: no room to note a buffer"};
  }
}

void BufferPool::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  const auto at = blocks_.find(pointer);
  if (at == blocks_.end()) return;
  stats_.active -= bytes;
  ++stats_.frees;
  at->second.requested = 0;
  // Work that uses it may still be queued: the queue is in order, so what comes next finds it done, and OpenCL keeps a
  // released buffer until the commands that use it are through.
  bool kept = !options_.separate;
  try {
    if (kept) {
      free_.emplace(at->second.bytes, pointer);
      stats_.cached += at->second.bytes;
    }
  } catch (const std::bad_alloc&) {
    kept = false;
  }
  if (kept) return;
  const Bytes size = at->second.bytes;
  blocks_.erase(at);
  runtime_->buffers().remove(pointer);
  stats_.reserved -= size;
  give_budget(size);
  observe_release(pointer, size);
}

// Free blocks that nothing fits would pile up: before more is taken, the largest go until all that is reserved is at most
// `total_waste` times what lives at once at most.
void BufferPool::make_room(Bytes bytes) {
  if (std::isinf(options_.waste)) return;
  const double limit = options_.total_waste * static_cast<double>(std::max(stats_.peak, stats_.active + bytes));
  while (!free_.empty() && static_cast<double>(stats_.reserved + bytes) > limit) {
    const auto largest = std::prev(free_.end());
    const auto [size, pointer] = *largest;
    free_.erase(largest);
    runtime_->buffers().remove(pointer);
    blocks_.erase(pointer);
    stats_.reserved -= size;
    stats_.cached -= size;
    give_budget(size);
    observe_release(pointer, size);
  }
}

Bytes BufferPool::release_locked() {
  Bytes released = 0;
  for (const auto& [bytes, pointer] : free_) {
    runtime_->buffers().remove(pointer);
    blocks_.erase(pointer);
    released += bytes;
    stats_.reserved -= bytes;
    give_budget(bytes);
    observe_release(pointer, bytes);
  }
  free_.clear();
  stats_.cached = 0;
  return released;
}

Bytes BufferPool::release_cached() {
  std::lock_guard lock(mutex_);
  return release_locked();
}

MemoryStats BufferPool::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

std::vector<PoolBlock> BufferPool::blocks() const {
  std::lock_guard lock(mutex_);
  std::vector<PoolBlock> out;
  for (const auto& [address, block] : blocks_)
    out.push_back({reinterpret_cast<uintptr_t>(address), block.bytes, block.requested, block.uses});
  return out;
}

}  // namespace arenascope::opencl
