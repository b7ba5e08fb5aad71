// SPDX-License-Identifier: MIT
#include "engine/lesson/program_context.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

namespace arenascope::lesson {
namespace {

constexpr size_t kPage = 4096;

Bytes whole_pages(Bytes bytes) {
  return (bytes + static_cast<Bytes>(kPage) - 1) / static_cast<Bytes>(kPage) * static_cast<Bytes>(kPage);
}

}  // namespace

PagedAllocator::~PagedAllocator() {
  for (const auto& [pointer, bytes] : taken_) std::free(pointer);
}

Result<void*> PagedAllocator::take(Bytes bytes) {
  void* pointer = std::aligned_alloc(kPage, static_cast<size_t>(whole_pages(bytes)));
  if (!pointer) return Error{fmt::format("cannot allocate {} bytes", bytes)};
  taken_[pointer] = bytes;
  stats_.reserved += bytes;
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  observe_reserve(pointer, bytes);
  return pointer;
}

void PagedAllocator::give(void* pointer) {
  const auto at = taken_.find(pointer);
  observe_release(pointer, at->second);
  stats_.reserved -= at->second;
  std::free(pointer);
  taken_.erase(at);
}

void PagedAllocator::count_use(Bytes bytes, bool hit) {
  stats_.active += bytes;
  stats_.peak = std::max(stats_.peak, stats_.active);
  ++stats_.allocations;
  ++(hit ? stats_.hits : stats_.misses);
}

void PagedAllocator::count_free(Bytes bytes) {
  stats_.active -= bytes;
  ++stats_.frees;
}

MemoryStats PagedAllocator::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

Result<void*> BucketAllocator::allocate(Bytes bytes, size_t alignment) {
  if (auto good = check_request(bytes, alignment); !good) return good.error();
  std::lock_guard lock(mutex_);
  const auto rounded = static_cast<Bytes>(std::bit_ceil(static_cast<uint64_t>(bytes)));
  std::vector<void*>& list = free_[rounded];
  void* pointer = nullptr;
  const bool hit = !list.empty();
  if (hit) {
    pointer = list.back();
    list.pop_back();
  } else {
    auto taken = take(rounded);
    if (!taken) return taken.error();
    pointer = *taken;
  }
  count_use(bytes, hit);
  return pointer;
}

void BucketAllocator::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  free_[static_cast<Bytes>(std::bit_ceil(static_cast<uint64_t>(bytes)))].push_back(pointer);
  count_free(bytes);
}

Result<void*> SegmentAllocator::allocate(Bytes bytes, size_t alignment) {
  if (auto good = check_request(bytes, alignment); !good) return good.error();
  std::lock_guard lock(mutex_);
  const Bytes rounded = (bytes + 1023) / 1024 * 1024;
  uintptr_t address = heap_.take(0, rounded, alignment);
  const bool hit = address != 0;
  if (!hit) {
    const Bytes segment = std::max(segment_, rounded);
    auto taken = take(segment);
    if (!taken) return taken.error();
    if (auto added = heap_.add_segment(reinterpret_cast<uintptr_t>(*taken), segment, 0); !added) return added.error();
    address = heap_.take(0, rounded, alignment);
    if (address == 0) return Error{fmt::format("cannot allocate {} bytes", bytes)};
  }
  count_use(bytes, hit);
  return reinterpret_cast<void*>(address);  // NOLINT: address returned by the heap
}

void SegmentAllocator::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  heap_.give(reinterpret_cast<uintptr_t>(pointer));
  count_free(bytes);
}

Bytes SegmentAllocator::largest_free() const {
  std::lock_guard lock(mutex_);
  Bytes most = 0;
  for (const BlockHeap::View& block : heap_.blocks())
    if (!block.used) most = std::max(most, block.bytes);
  return most;
}

Result<void*> FirstLargerPool::acquire(Bytes bytes, size_t alignment, bool separate) {
  if (auto good = check_request(bytes, alignment); !good) return good.error();
  std::lock_guard lock(mutex_);
  if (const auto at = free_.lower_bound(bytes); !separate && at != free_.end()) {
    void* pointer = at->second;
    free_.erase(at);
    count_use(bytes, true);
    return pointer;
  }
  auto taken = take(bytes);
  if (!taken) return taken.error();
  sizes_[*taken] = bytes;
  count_use(bytes, false);
  return *taken;
}

void FirstLargerPool::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  free_.emplace(sizes_[pointer], pointer);
  count_free(bytes);
}

Bytes FirstLargerPool::release_cached() {
  std::lock_guard lock(mutex_);
  Bytes released = 0;
  for (const auto& [bytes, pointer] : free_) {
    released += bytes;
    sizes_.erase(pointer);
    give(pointer);
  }
  free_.clear();
  return released;
}

std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", name, i));
  return names;
}

RecordedContext::RecordedContext(trace::Recorder& recorder, std::vector<std::string> names)
    : recorder_(recorder), observer_(make_allocation_recorder(recorder)), names_(std::move(names)) {
  context_->set_observer(observer_);
  if (names_.empty()) return;
  trace::GraphInfo graph;
  for (const std::string& name : names_) graph.leafs.emplace_back().name = name;
  graph_ = recorder_.describe(std::move(graph));
}

RecordedContext::~RecordedContext() {
  recorder_.drain();
  context_->set_observer(nullptr);
}

Status RecordedContext::use(MemoryKind kind, std::shared_ptr<Allocator> allocator) {
  devices_[kind] = allocator->device();
  return context_->register_allocator(kind, std::move(allocator));
}

Status RecordedContext::bind(const std::string& name, const MemoryBlock& block, Bytes bytes) {
  const auto known = std::ranges::find(names_, name);
  if (known == names_.end()) return Error{fmt::format("the program does not declare a tensor '{}'", name)};
  observer_->on_bind_tensor(block, graph_, trace::TensorRef::leaf(LeafId(static_cast<size_t>(known - names_.begin()))),
                            bytes);
  return {};
}

Result<BlockPtr> RecordedContext::take(const std::string& name, MemoryKind kind, Bytes bytes) {
  auto block = context_->allocate(devices_[kind], kind, bytes);
  if (!block) return block;
  if (auto bound = bind(name, **block, bytes); !bound) return bound.error();
  return block;
}

Status RecordedContext::allocate(const std::string& name, MemoryKind kind, Bytes bytes) {
  auto block = take(name, kind, bytes);
  if (!block) return block.error();
  held_[name] = std::move(*block);
  return {};
}

void RecordedContext::free(const std::string& name) { held_.erase(name); }

void RecordedContext::problem(std::string sentence, trace::ProblemKind kind) {
  recorder_.problem({trace::Severity::Warning, std::move(sentence), recorder_.now(), {}, {}, kind});
}

void RecordedContext::count(const std::string& name, Bytes bytes) {
  if (!ring_) ring_ = recorder_.register_thread("program", trace::TrackKind::Other);
  auto [counter, is_new] = counters_.try_emplace(name);
  if (is_new) {
    trace::CounterInfo info;
    info.name = name;
    info.unit = "bytes";
    counter->second = recorder_.describe(std::move(info));
  }
  ring_->record(trace::counter(recorder_.now(), counter->second, static_cast<double>(bytes)));
}

}  // namespace arenascope::lesson
