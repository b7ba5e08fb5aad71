// SPDX-License-Identifier: MIT
#include <arenascope/base/round_up.h>
#include <arenascope/memory/device_caching_allocator.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace arenascope {
namespace {

constexpr Bytes kLargestRequest = Bytes{1} << 46;

}  // namespace

DeviceCachingAllocator::DeviceCachingAllocator(std::shared_ptr<DeviceInterface> device, DeviceCachingOptions options)
    : device_(std::move(device)), options_(options), heap_(options.unit), events_(device_), deferred_(device_) {}

DeviceCachingAllocator::~DeviceCachingAllocator() {
  if (!device_->alive()) return;
  [[maybe_unused]] const Status drained = deferred_.drain([](void*, Bytes) {});
  [[maybe_unused]] const Status waited = device_->synchronize();
  for (const Lane& l : lanes_)
    for (const Fence& f : l.fences) device_->destroy_event(f.event);
  for (const auto& [base, bytes] : segments_) {
    observe_release(reinterpret_cast<void*>(base), bytes);
    device_->give_memory(reinterpret_cast<void*>(base), bytes);
    give_budget(bytes);
  }
}

BlockHeap::Owner DeviceCachingAllocator::lane_of(Stream stream) {
  for (size_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i].stream == stream) return static_cast<BlockHeap::Owner>(i);
  passed_.reserve(lanes_.size() + 1);
  lanes_.push_back(Lane{stream, 0, 0, {}});
  passed_.push_back(0);
  return static_cast<BlockHeap::Owner>(lanes_.size() - 1);
}

void DeviceCachingAllocator::give_to_heap(void* pointer) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  Lane& lane = lanes_[heap_.owner_at(address)];
  heap_.give(address, ++lane.given);
}

void DeviceCachingAllocator::poll_deferred() {
  deferred_.poll([this](void* pointer, Bytes) { give_to_heap(pointer); });
}

// Queries the progress of the other streams and records a fence on those that have enough free blocks but no event
// after the newest one.
void DeviceCachingAllocator::update_fences(BlockHeap::Owner asking, Bytes bytes) {
  for (BlockHeap::Owner i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (i != asking && lane.given > lane.fenced && heap_.free_bytes(i) >= bytes) {
      if (Result<EventHandle> event = events_.record(lane.stream)) {
        try {
          lane.fences.push_back({*event, lane.given});
          lane.fenced = lane.given;
        } catch (const std::bad_alloc&) {
          events_.put_back(*event);
        }
      }
    }
    while (!lane.fences.empty()) {
      Result<bool> done = device_->query_event(lane.fences.front().event);
      if (!done || !*done) break;
      passed_[i] = lane.fences.front().ticket;
      events_.put_back(lane.fences.front().event);
      lane.fences.pop_front();
    }
  }
}

uintptr_t DeviceCachingAllocator::take_locked(BlockHeap::Owner owner, Bytes rounded, size_t alignment) {
  if (const uintptr_t at = heap_.take(owner, rounded, alignment)) return at;
  if (heap_.free_bytes() - heap_.free_bytes(owner) < rounded) return 0;
  update_fences(owner, rounded);
  return heap_.take_passed(owner, rounded, alignment, passed_);
}

Status DeviceCachingAllocator::add_segment(BlockHeap::Owner owner, Bytes bytes) {
  try {
    if (segments_.capacity() == segments_.size()) segments_.reserve(2 * segments_.size() + 8);
  } catch (const std::bad_alloc&) {
    return Error{"out of memory for the metadata of a segment"};
  }
  if (Status s = take_budget(bytes); !s) return s;
  Result<void*> memory = device_->take_memory(bytes);
  if (!memory) {
    give_budget(bytes);
    return memory.error();
  }
  const auto base = reinterpret_cast<uintptr_t>(*memory);
  if (Status s = heap_.add_segment(base, bytes, owner); !s) {
    device_->give_memory(*memory, bytes);
    give_budget(bytes);
    return s;
  }
  segments_.emplace_back(base, bytes);
  stats_.reserved += bytes;
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  observe_reserve(*memory, bytes);
  return {};
}

// Allocates another segment: first with the growth policy, then with the minimum size.
Status DeviceCachingAllocator::grow(BlockHeap::Owner owner, Bytes rounded, size_t alignment) {
  const Bytes slack = static_cast<Bytes>(alignment) > options_.unit ? static_cast<Bytes>(alignment) : 0;
  const Bytes least = round_up(rounded + slack, options_.unit);
  Bytes segment_bytes = options_.small_segment;
  if (least > options_.small_limit) {
    const Bytes part = static_cast<Bytes>(static_cast<double>(stats_.reserved) * options_.growth);
    segment_bytes = round_up(std::max(least, std::min(part, options_.growth_limit)), options_.segment_unit);
  }
  segment_bytes = std::max(segment_bytes, least);
  Status s = add_segment(owner, segment_bytes);
  if (s || segment_bytes == least) return s;
  return add_segment(owner, least);
}

// Waits until no stream uses free or deferred blocks, so that all free blocks can merge and be used by any stream.
bool DeviceCachingAllocator::settle() {
  if (!device_->alive() || !device_->synchronize()) return false;
  poll_deferred();
  for (size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    for (const Fence& f : lane.fences) events_.put_back(f.event);
    lane.fences.clear();
    lane.fenced = passed_[i] = lane.given;
  }
  return true;
}

Bytes DeviceCachingAllocator::release_free_segments() {
  return heap_.remove_free_segments([this](uintptr_t base, Bytes bytes) {
    std::erase(segments_, std::pair(base, bytes));
    observe_release(reinterpret_cast<void*>(base), bytes);
    device_->give_memory(reinterpret_cast<void*>(base), bytes);
    give_budget(bytes);
    stats_.reserved -= bytes;
  });
}

Error DeviceCachingAllocator::out_of_memory(Bytes bytes, const Error& cause) const {
  return Error{fmt::format("out of memory on {}: {} bytes requested, {} reserved and {} in use ({})",
                           to_string(device()), bytes, stats_.reserved, stats_.active, cause.message)};
}

Result<void*> DeviceCachingAllocator::allocate(Bytes bytes, size_t alignment) {
  return allocate_on(Stream{device(), 0}, bytes, alignment);
}

Result<void*> DeviceCachingAllocator::allocate_on(Stream stream, Bytes bytes, size_t alignment) {
  if (Status s = check_request(bytes, alignment); !s) return s.error();
  if (bytes > kLargestRequest)
    return Error{fmt::format("out of memory on {}: {} bytes are more than any device has", to_string(device()), bytes)};
  if (!device_->alive())
    return Error{fmt::format("cannot allocate on {}: its driver has shut down", to_string(device()))};
  stream.device = device();
  const Bytes rounded = round_up(bytes, options_.unit);
  std::lock_guard lock(mutex_);
  try {
    const BlockHeap::Owner owner = lane_of(stream);
    poll_deferred();
    uintptr_t at = take_locked(owner, rounded, alignment);
    bool hit = at != 0;
    if (!at) {
      Status grown = grow(owner, rounded, alignment);
      if (!grown && settle()) {
        heap_.forget_owners(owner);
        at = heap_.take(owner, rounded, alignment);
        hit = at != 0;
        if (!at) {
          release_free_segments();
          grown = grow(owner, rounded, alignment);
        }
      }
      if (!at && !grown) return out_of_memory(bytes, grown.error());
      if (!at) at = heap_.take(owner, rounded, alignment);
      if (!at) return Error{"out of memory for the metadata of a block"};
    }
    stats_.active += bytes;
    stats_.peak = std::max(stats_.peak, stats_.active);
    ++stats_.allocations;
    ++(hit ? stats_.hits : stats_.misses);
    return reinterpret_cast<void*>(at);
  } catch (const std::bad_alloc&) {
    return Error{"out of memory for the metadata of a block"};
  }
}

void DeviceCachingAllocator::deallocate(void* pointer, Bytes bytes) noexcept { deallocate_after(pointer, bytes, {}); }

void DeviceCachingAllocator::deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept {
  if (!pointer) return;
  std::lock_guard lock(mutex_);
  assert(heap_.size_at(reinterpret_cast<uintptr_t>(pointer)) == round_up(bytes, options_.unit));
  stats_.active -= bytes;
  ++stats_.frees;
  if (!device_->alive()) return;
  const Bytes rounded = round_up(bytes, options_.unit);
  const Stream own = lanes_[heap_.owner_at(reinterpret_cast<uintptr_t>(pointer))].stream;
  if (deferred_.push(pointer, rounded, streams, own) == DeferredFreeQueue::Pushed::Passed) give_to_heap(pointer);
}

Bytes DeviceCachingAllocator::release_cached() {
  std::lock_guard lock(mutex_);
  if (stats_.reserved == 0 || (heap_.free_bytes() == 0 && deferred_.pending() == 0) || !settle()) return 0;
  heap_.forget_owners(0);
  return release_free_segments();
}

MemoryStats DeviceCachingAllocator::stats() const {
  std::lock_guard lock(mutex_);
  MemoryStats s = stats_;
  s.cached = heap_.free_bytes();
  return s;
}

FreeMemory DeviceCachingAllocator::free_memory() const {
  std::lock_guard lock(mutex_);
  FreeMemory out;
  for (BlockHeap::Owner i = 0; i < lanes_.size(); ++i) {
    StreamUse use{lanes_[i].stream, heap_.free_bytes(i), 0, 0};
    deferred_.visit(lanes_[i].stream, [&](Bytes bytes) { use.deferred += bytes, ++use.pending; });
    out.streams.push_back(use);
    out.largest = std::max(out.largest, heap_.largest_free(i));
  }
  return out;
}

FragmentationStats DeviceCachingAllocator::fragmentation() const {
  std::lock_guard lock(mutex_);
  FragmentationStats f;
  f.reserved = stats_.reserved;
  f.free = heap_.free_bytes();
  f.deferred = deferred_.pending_bytes();
  f.segments = segments_.size();
  for (const BlockHeap::View& b : heap_.blocks()) {
    if (b.used) continue;
    ++f.free_blocks;
    f.largest_free = std::max(f.largest_free, b.bytes);
  }
  return f;
}

std::vector<BlockSnapshot> DeviceCachingAllocator::snapshot() const {
  std::lock_guard lock(mutex_);
  std::vector<BlockSnapshot> all;
  size_t segment = 0;
  for (const BlockHeap::View& b : heap_.blocks()) {
    BlockSnapshot s;
    s.address = b.address;
    s.bytes = b.bytes;
    s.segment = segment;
    if (b.owner < lanes_.size()) s.stream = lanes_[b.owner].stream;
    if (b.used) {
      s.state = deferred_.holds(reinterpret_cast<const void*>(b.address)) ? BlockSnapshot::State::Deferred
                                                                          : BlockSnapshot::State::Active;
    }
    all.push_back(s);
    if (b.ends_segment) ++segment;
  }
  return all;
}

}  // namespace arenascope
