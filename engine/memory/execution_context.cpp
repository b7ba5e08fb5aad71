// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/memory/execution_context.h>
#include <fmt/format.h>

#include <mutex>
#include <utility>

namespace arenascope {

ExecutionContext::ExecutionContext() : observer_(std::make_shared<ObserverSlot>()) {}

ExecutionContext::~ExecutionContext() = default;

const ExecutionContext::DeviceEntry* ExecutionContext::find(Device device) const {
  for (const auto& entry : devices_)
    if (entry->device == device) return entry.get();
  return nullptr;
}

ExecutionContext::DeviceEntry& ExecutionContext::find_or_add(Device device) {
  if (const DeviceEntry* entry = find(device)) return const_cast<DeviceEntry&>(*entry);
  auto entry = std::make_unique<DeviceEntry>();
  entry->device = device;
  entry->stream = Stream{device, 0};
  entry->budget = std::make_shared<MemoryBudget>();
  for (MemoryKind kind : kMemoryKinds)
    entry->kinds[static_cast<size_t>(kind)].ledger = std::make_shared<KindLedger>(device, kind, observer_);
  devices_.push_back(std::move(entry));
  return *devices_.back();
}

Status ExecutionContext::register_allocator(MemoryKind kind, std::shared_ptr<Allocator> allocator) {
  if (!allocator) return Error{fmt::format("no allocator was given for {} memory", name(kind))};
  const Device device = allocator->device();
  if (is_host_kind(kind) && !device.is_cpu())
    return Error{fmt::format("{} memory is located on the cpu, so an allocator of {} cannot serve it", name(kind),
                             to_string(device))};
  if (!is_allocated(kind)) return Error{fmt::format("{} memory is borrowed: no allocator serves it", name(kind))};
  std::unique_lock lock(mutex_);
  DeviceEntry& entry = find_or_add(device);
  bool shared = false;
  for (const KindEntry& other : entry.kinds) shared = shared || other.allocator == allocator;
  if (!shared) allocator->attach({entry.budget, observer_, kind});
  KindEntry& slot = entry.kinds[static_cast<size_t>(kind)];
  if (slot.allocator == allocator) return {};
  slot.allocator = std::move(allocator);
  slot.counts_reserve = !shared;
  return {};
}

Result<BlockPtr> ExecutionContext::allocate(Device device, MemoryKind kind, Bytes bytes, size_t alignment) {
  if (bytes < 0)
    return Error{fmt::format("cannot allocate {} bytes of {} memory on {}: the size is negative", bytes, name(kind),
                             to_string(device))};
  if (!is_power_of_two(alignment))
    return Error{fmt::format("cannot allocate {} bytes on {} with alignment {}: it must be a power of two", bytes,
                             to_string(device), alignment)};
  if (is_host_kind(kind) && !device.is_cpu())
    return Error{
        fmt::format("{} memory is located on the cpu: it cannot be allocated on {}", name(kind), to_string(device))};
  if (!is_allocated(kind)) return Error{fmt::format("{} memory is borrowed and cannot be allocated", name(kind))};
  std::shared_ptr<Allocator> from;
  std::shared_ptr<KindLedger> ledger;
  Stream stream;
  {
    std::shared_lock lock(mutex_);
    if (stop_.stop_requested()) return Error{"it was cancelled"};
    const DeviceEntry* entry = find(device);
    if (entry) {
      const KindEntry& own = entry->kinds[static_cast<size_t>(kind)];
      from = own.allocator ? own.allocator : entry->kinds[static_cast<size_t>(MemoryKind::Default)].allocator;
      ledger = own.ledger;
      stream = entry->stream;
    }
  }
  if (!from) return Error{fmt::format("no allocator for {} memory on {} is registered", name(kind), to_string(device))};
  Result<BlockPtr> block = MemoryBlock::make(from, ledger, kind, bytes, alignment, stream);
  if (block || release_cached(device) == 0) return block;
  return MemoryBlock::make(from, std::move(ledger), kind, bytes, alignment, stream);
}

Result<BlockPtr> ExecutionContext::borrow_mapped(const void* data, Bytes bytes, std::shared_ptr<const void> file) {
  // Blocks expose writable pointers, although pages of this kind are mapped read-only.
  auto block = MemoryBlock::borrow(const_cast<void*>(data), bytes, {}, MemoryKind::Default,
                                   std::const_pointer_cast<void>(std::move(file)));
  if (!block || !*block) return block;
  (*block)->kind_ = MemoryKind::Mapped;
  std::unique_lock lock(mutex_);
  (*block)->ledger_ = find_or_add({}).kinds[static_cast<size_t>(MemoryKind::Mapped)].ledger;
  lock.unlock();
  (*block)->ledger_->record_allocate(data, bytes);
  return block;
}

Result<BlockPtr> ExecutionContext::reserve_restorable(Bytes bytes, RestorableMemory::Writer write) {
  std::unique_lock lock(mutex_);
  auto ledger = find_or_add({}).kinds[static_cast<size_t>(MemoryKind::Mapped)].ledger;
  lock.unlock();
  auto memory = RestorableMemory::reserve(bytes, std::move(write), std::move(ledger));
  if (!memory) return memory.error();
  auto block = MemoryBlock::borrow((*memory)->data(), bytes);
  if (!block) return block;
  (*block)->kind_ = MemoryKind::Mapped;
  (*block)->restorable_ = std::move(*memory);
  return block;
}

std::shared_ptr<Allocator> ExecutionContext::allocator(Device device, MemoryKind kind) const {
  std::shared_lock lock(mutex_);
  const DeviceEntry* entry = find(device);
  if (!entry) return nullptr;
  const KindEntry& own = entry->kinds[static_cast<size_t>(kind)];
  return own.allocator ? own.allocator : entry->kinds[static_cast<size_t>(MemoryKind::Default)].allocator;
}

std::vector<Device> ExecutionContext::devices() const {
  std::shared_lock lock(mutex_);
  std::vector<Device> all;
  for (const auto& entry : devices_) all.push_back(entry->device);
  return all;
}

Stream ExecutionContext::current_stream(Device device) const {
  std::shared_lock lock(mutex_);
  const DeviceEntry* entry = find(device);
  return entry ? entry->stream : Stream{device, 0};
}

void ExecutionContext::set_current_stream(Stream stream) {
  std::unique_lock lock(mutex_);
  find_or_add(stream.device).stream = stream;
}

void ExecutionContext::set_limit(Device device, Bytes bytes) {
  std::unique_lock lock(mutex_);
  find_or_add(device).budget->set_limit(bytes);
}

Bytes ExecutionContext::limit(Device device) const {
  std::shared_lock lock(mutex_);
  const DeviceEntry* entry = find(device);
  return entry ? entry->budget->limit() : MemoryBudget::kUnlimited;
}

MemoryStats ExecutionContext::stats_locked(const DeviceEntry& entry, MemoryKind kind) const {
  const KindEntry& slot = entry.kinds[static_cast<size_t>(kind)];
  MemoryStats all = slot.ledger->stats();
  if (slot.allocator && slot.counts_reserve) {
    const MemoryStats held = slot.allocator->stats();
    all.reserved = held.reserved;
    all.cached = held.cached;
    all.peak_reserved = held.peak_reserved;
    all.hits = held.hits;
    all.misses = held.misses;
  }
  return all;
}

MemoryStats ExecutionContext::stats(Device device, MemoryKind kind) const {
  std::shared_lock lock(mutex_);
  const DeviceEntry* entry = find(device);
  return entry ? stats_locked(*entry, kind) : MemoryStats{};
}

std::vector<AllocatorReport> ExecutionContext::allocator_reports() const {
  std::shared_lock lock(mutex_);
  std::vector<AllocatorReport> out;
  for (const auto& entry : devices_)
    for (MemoryKind kind : kMemoryKinds) {
      const KindEntry& slot = entry->kinds[static_cast<size_t>(kind)];
      if (slot.allocator && slot.counts_reserve)
        out.push_back({entry->device, kind, stats_locked(*entry, kind), slot.allocator->free_memory()});
    }
  return out;
}

MemoryStats ExecutionContext::stats(Device device) const {
  std::shared_lock lock(mutex_);
  MemoryStats sum;
  const DeviceEntry* entry = find(device);
  if (!entry) return sum;
  for (MemoryKind kind : kMemoryKinds) sum += stats_locked(*entry, kind);
  return sum;
}

void ExecutionContext::reset_peaks() {
  std::shared_lock lock(mutex_);
  for (const auto& entry : devices_)
    for (const KindEntry& kind : entry->kinds) kind.ledger->reset_peak();
}

Bytes ExecutionContext::release_cached(Device device) {
  std::vector<std::shared_ptr<Allocator>> all;
  {
    std::shared_lock lock(mutex_);
    const DeviceEntry* entry = find(device);
    if (!entry) return 0;
    for (const KindEntry& kind : entry->kinds)
      if (kind.allocator && kind.counts_reserve) all.push_back(kind.allocator);
  }
  Bytes released = 0;
  for (const auto& a : all) released += a->release_cached();
  return released;
}

void ExecutionContext::set_stop(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  stop_ = std::move(stop);
}

void ExecutionContext::set_observer(std::shared_ptr<AllocationObserver> observer) {
  observer_->set(std::move(observer));
}

}  // namespace arenascope
