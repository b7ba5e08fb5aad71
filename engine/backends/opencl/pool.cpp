// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/pool.h"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

namespace arenascope::opencl {

// Pools without a limit may waste any amount.
bool PoolTotals::may_waste(const PoolOptions& options, Bytes request, Bytes block) const {
  if (std::isinf(options.waste)) return true;
  const double of_this = std::max(static_cast<double>(request) * options.waste,
                                  static_cast<double>(request) + static_cast<double>(options.slack));
  const double of_all = (options.total_waste - 1) * static_cast<double>(std::max(peak, active + request));
  return static_cast<double>(block) <= of_this && static_cast<double>(wasted + (block - request)) <= of_all;
}

bool PoolTotals::has_room(const PoolOptions& options, Bytes more) const {
  if (std::isinf(options.waste)) return true;
  return static_cast<double>(reserved + more) <=
         options.total_waste * static_cast<double>(std::max(peak, active + more));
}

void PoolTotals::begin_use(MemoryStats& own, Bytes request, Bytes block) {
  ++own.allocations;
  own.active += request;
  own.peak = std::max(own.peak, own.active);
  active += request;
  wasted += block - request;
  peak = std::max(peak, active);
}

void PoolTotals::end_use(MemoryStats& own, Bytes request, Bytes block) {
  ++own.frees;
  own.active -= request;
  active -= request;
  wasted -= block - request;
}

void PoolTotals::reserve(Bytes bytes) {
  reserved += bytes;
  peak_reserved = std::max(peak_reserved, reserved);
}

BufferPool::BufferPool(std::shared_ptr<Runtime> runtime, Device device, PoolOptions options, PoolTotals* totals)
    : runtime_(std::move(runtime)), device_(device), options_(options), totals_(totals ? totals : &own_totals_) {}

BufferPool::~BufferPool() {
  std::lock_guard lock(mutex_);
  release_locked();
}

std::multimap<Bytes, void*>::const_iterator BufferPool::fit_locked(Bytes bytes) const {
  if (options_.separate) return free_.end();
  const auto fit = free_.lower_bound(bytes);
  return fit != free_.end() && totals_->may_waste(options_, bytes, fit->first) ? fit : free_.end();
}

bool BufferPool::serves(Bytes bytes) const {
  std::lock_guard lock(mutex_);
  return fit_locked(bytes) != free_.end();
}

Bytes BufferPool::largest_free() const {
  std::lock_guard lock(mutex_);
  return free_.empty() ? 0 : std::prev(free_.end())->first;
}

void BufferPool::release_largest() {
  std::lock_guard lock(mutex_);
  if (!free_.empty()) release_block(std::prev(free_.end()));
}

Result<void*> BufferPool::take(Bytes bytes) {
  const DeviceFacts& facts = runtime_->facts();
  if (bytes > facts.memory.max_allocation)
    return Error{fmt::format("cannot allocate {} bytes: the largest allocation of {} is {}", bytes, facts.name,
                             facts.memory.max_allocation)};
  if (auto ok = take_budget(bytes); !ok) return ok.error();
  cl_int code = CL_SUCCESS;
  Runtime::NewBuffer made;
  const auto& faults = runtime_->options().faults;
  if (faults && Runtime::used_up(faults->allocations))
    code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  else
    made = runtime_->make_buffer(bytes, code);
  if (code != CL_SUCCESS) {
    give_budget(bytes);
    return Error{fmt::format("{}: out of memory while allocating {} bytes ({}); {} bytes are reserved", facts.name,
                             bytes, error_name(code), stats_.reserved)};
  }
  void* address = runtime_->buffers().add(std::move(made.buffer), bytes, made.host);
  stats_.reserved += bytes;
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  totals_->reserve(bytes);
  observe_reserve(address, bytes);
  return address;
}

Result<void*> BufferPool::allocate(Bytes bytes, size_t alignment) {
  if (auto ok = check_request(bytes, alignment); !ok) return ok.error();
  if (alignment > 4096)
    return Error{fmt::format("alignment {} exceeds the OpenCL device's maximum of 4096 bytes", alignment)};
  std::lock_guard lock(mutex_);
  try {
    void* address = nullptr;
    const auto fit = fit_locked(bytes);
    if (fit != free_.end()) {
      address = fit->second;
      free_.erase(fit);
      stats_.cached -= blocks_[address].bytes;
      ++stats_.hits;
    } else {
      // Free blocks that fit no request would accumulate: the largest are released first.
      while (!free_.empty() && !totals_->has_room(options_, bytes)) release_block(std::prev(free_.end()));
      auto taken = take(bytes);
      if (!taken && release_locked() > 0) taken = take(bytes);
      if (!taken) return taken.error();
      address = *taken;
      blocks_[address] = Block{bytes, 0, 0, 0};
      ++stats_.misses;
    }
    Block& block = blocks_[address];
    block.requested = block.last = bytes;
    ++block.uses;
    totals_->begin_use(stats_, bytes, block.bytes);
    return address;
  } catch (const std::bad_alloc&) {
    return Error{"out of memory while registering a buffer"};
  }
}

void BufferPool::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  const auto at = blocks_.find(pointer);
  if (at == blocks_.end()) return;
  totals_->end_use(stats_, bytes, at->second.bytes);
  at->second.requested = 0;
  // Queued work may still use it. The queue is in order, so later work runs after it, and OpenCL keeps a released
  // buffer until the commands that use it have finished.
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
  totals_->reserved -= size;
  give_budget(size);
  observe_release(pointer, size);
}

void BufferPool::release_block(std::multimap<Bytes, void*>::iterator at) {
  const auto [bytes, pointer] = *at;
  free_.erase(at);
  runtime_->buffers().remove(pointer);
  blocks_.erase(pointer);
  stats_.reserved -= bytes;
  stats_.cached -= bytes;
  totals_->reserved -= bytes;
  give_budget(bytes);
  observe_release(pointer, bytes);
}

Bytes BufferPool::release_locked() {
  const Bytes before = stats_.reserved;
  while (!free_.empty()) release_block(free_.begin());
  return before - stats_.reserved;
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
    out.push_back({reinterpret_cast<uintptr_t>(address), block.bytes, block.requested, block.last, block.uses,
                   options_.storage(), 0, 0});
  return out;
}

}  // namespace arenascope::opencl
