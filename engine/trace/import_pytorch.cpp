// SPDX-License-Identifier: MIT
// Imports a PyTorch memory snapshot as events. The trace covers only the most recent events. Earlier allocations are
// reconstructed from the final state of the segments. The trace records requested sizes; the importer shows the blocks
// allocated for them. tests/engine/trace/import_fields.cpp lists the fields that are used.
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/import.h>
#include "engine/trace/import_builder.h"
#include "engine/trace/pytorch_blocks.h"
#include "engine/trace/pytorch_snapshot.h"
#include "engine/trace/pytorch_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace arenascope::trace {

namespace {

using Snapshot = PytorchSnapshot;
using Action = Snapshot::Action;
using Entry = Snapshot::Entry;

bool reserves(Action action) { return action == Action::Reserve || action == Action::Map; }
bool releases(Action action) { return action == Action::Release || action == Action::Unmap; }
bool is_of_block(Action action) { return action == Action::Allocate || action == Action::Free; }

// One device's trace, and the contents of its segments at the end.
class DeviceTrace {
 public:
  DeviceTrace(uint32_t device, PytorchBlockRule rule, ImportBuilder& builder, PytorchStacks& stacks)
      : device_(device), builder_(builder), stacks_(stacks), held_(rule) {}
  std::vector<Entry> entries;
  AddressRanges<uint32_t> segments_left;    // and the allocator of each
  std::map<uint64_t, int64_t> blocks_left;  // address → size
  std::map<uint64_t, int64_t> asked_left;   // requested size of blocks_left, if recorded
  std::map<uint64_t, int32_t> stack_left;   // likewise
  uint32_t blocks = 0;                      // first block number; shared between devices

  // Memory that is older than the trace is reserved and allocated at `start`.
  void play(size_t track, Nanoseconds start) {
    reserve_older(track, start);
    allocate_older(track, start);
    const auto last = last_entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      const Entry& e = entries[i];
      switch (e.action) {
        case Action::Reserve:
        case Action::Map: reserve_at(track, e.time, e.address, e.bytes, allocators_[i]); break;
        case Action::Release:
        case Action::Unmap: release_at(track, e.time, e.address, e.bytes); break;
        case Action::Allocate: {
          const auto left = last.at(e.address) == i ? blocks_left.find(e.address) : blocks_left.end();
          allocate(track, e.time, e.address,
                   left != blocks_left.end() ? left->second : held_.bytes_for(e.address, e.bytes), e.bytes, e.stack);
          break;
        }
        case Action::Free: give_back(track, e.time, e.address); break;
      }
    }
  }

 private:
  static uint64_t end_of(uint64_t address, int64_t bytes) { return address + static_cast<uint64_t>(bytes); }

  // Reserves what existed before the first entry: the ranges at the end, walked back through all entries. An entry names
  // any range of an expandable segment, so it can split ranges and span several.
  void reserve_older(size_t track, Nanoseconds start) {
    AddressRanges<uint32_t> ranges = segments_left;
    allocators_.assign(entries.size(), device_);
    for (size_t i = entries.size(); i-- > 0;) {
      const Entry& e = entries[i];
      const uint64_t end = end_of(e.address, e.bytes);
      if (releases(e.action))
        ranges.add(e.address, end, e.action == Action::Unmap ? allocator_beside(ranges, e.address, end) : device_);
      if (reserves(e.action))
        for (const auto& range : ranges.remove(e.address, end)) allocators_[i] = std::max(allocators_[i], range.value);
    }
    for (const auto& range : ranges.all())
      reserve_at(track, start, range.begin, static_cast<Bytes>(range.bytes()), range.value);
  }
  // Adjacent ranges are parts of the same expandable segment.
  uint32_t allocator_beside(const AddressRanges<uint32_t>& ranges, uint64_t begin, uint64_t end) const {
    if (const auto below = ranges.at(begin - 1); begin > 0 && below.bytes() > 0) return below.value;
    const auto above = ranges.at(end);
    return above.bytes() > 0 ? above.value : device_;
  }
  // Allocates the blocks that are older than the trace: those that it frees without having allocated them, and those at
  // the end that no entry refers to. The block size of the first kind is not recorded, it follows from the addresses of
  // all blocks.
  void allocate_older(size_t track, Nanoseconds start) {
    std::map<uint64_t, int64_t> older;
    std::unordered_set<uint64_t> named;
    for (const Entry& e : entries)
      if (is_of_block(e.action) && named.insert(e.address).second && e.action == Action::Free)
        older.emplace(e.address, e.bytes);
    for (const auto& [address, size] : blocks_left)
      if (!named.contains(address)) older.emplace(address, size);
    for (const auto& [address, size] : older) held_.live[address] = {};
    for (const auto& [address, size] : older) {
      const auto asked = asked_left.find(address);
      const auto stack = stack_left.find(address);
      if (!named.contains(address))
        allocate(track, start, address, size, asked != asked_left.end() ? asked->second : size,
                 stack != stack_left.end() ? stack->second : Snapshot::kNoStack);
      else
        allocate(track, start, address, held_.bytes_for(address, size), size, Snapshot::kNoStack);
    }
  }
  // The newest entry about a block, by address.
  std::unordered_map<uint64_t, size_t> last_entries() const {
    std::unordered_map<uint64_t, size_t> last;
    for (size_t i = 0; i < entries.size(); ++i)
      if (is_of_block(entries[i].action)) last[entries[i].address] = i;
    return last;
  }
  void reserve_at(size_t track, Nanoseconds t, uint64_t address, int64_t size, uint32_t allocator) {
    if (size == 0) return;
    release_at(track, t, address, size);  // the entry that released it is missing
    held_.segments.add(address, end_of(address, size), allocator);
    builder_.point(track, reserve(t, MemoryKind::Default, address, size, allocator, 0));
  }
  void release_at(size_t track, Nanoseconds t, uint64_t address, int64_t size) {
    for (const auto& range : held_.segments.remove(address, end_of(address, size)))
      builder_.point(track,
                     release(t, MemoryKind::Default, range.begin, static_cast<Bytes>(range.bytes()), range.value, 0));
  }
  void allocate(size_t track, Nanoseconds t, uint64_t address, int64_t size, int64_t asked, int32_t stack) {
    const uint32_t block = blocks++;
    stacks_.took(stack, block);
    const auto segment = held_.segments.at(address);
    const uint32_t allocator = segment.bytes() > 0 ? segment.value : device_;
    held_.live[address] = {size, block, allocator};
    builder_.point(track, alloc(t, MemoryKind::Default, address, size, allocator, block));
    if (asked < size)
      builder_.point(track,
                     owner(t, address, std::min(asked, kMaxBoundBytes), allocator, GraphId::none(), TensorRef::none()));
  }
  void give_back(size_t track, Nanoseconds t, uint64_t address) {
    const auto it = held_.live.find(address);
    if (it == held_.live.end()) return;
    const PytorchBlocks::Block& block = it->second;
    builder_.point(track, free(t, MemoryKind::Default, address, block.bytes, block.allocator, block.number));
    held_.live.erase(it);
  }

  const uint32_t device_;
  ImportBuilder& builder_;
  PytorchStacks& stacks_;
  PytorchBlocks held_;
  std::vector<uint32_t> allocators_;  // allocators of the entries that reserve memory
};

// Imports the devices of a snapshot in sequence.
class SnapshotImport {
 public:
  SnapshotImport(const std::string& name, Snapshot& snapshot, ImportBuilder& builder, PytorchStacks& stacks)
      : name_(name), snapshot_(snapshot), builder_(builder), stacks_(stacks) {}

  void run() {
    const Nanoseconds begin = begin_of_trace();
    for (size_t d = 0; d < snapshot_.devices.size(); ++d) {
      Snapshot::Device& recorded = snapshot_.devices[d];
      DeviceTrace device(static_cast<uint32_t>(d), snapshot_.rule, builder_, stacks_);
      device.blocks = blocks_;
      for (const Snapshot::Segment& segment : recorded.segments) take_segment(segment, d, device);
      device.entries = std::move(recorded.entries);
      for (int i = 0; i < recorded.out_of_memory; ++i)
        builder_.problem(name_ + ": device " + std::to_string(d) + " ran out of memory.");
      if (device.entries.empty() && device.segments_left.all().empty()) continue;
      const size_t track = builder_.track("device " + std::to_string(d) + " allocator");
      builder_.info(track).kind = TrackKind::DeviceQueue;
      builder_.info(track).device = DeviceId(d);
      device.play(track, device.entries.empty() ? begin : device.entries.front().time);
      blocks_ = device.blocks;
    }
    for (const Snapshot::Annotation& a : snapshot_.annotations) {
      const size_t track = builder_.track("device " + std::to_string(a.device) + " annotations");
      builder_.info(track).device = DeviceId(static_cast<int32_t>(a.device));
      builder_.span(track, a.begin, a.end, builder_.name(a.name));
    }
  }

  // Describes what could not be imported; empty if nothing.
  std::string problem() const {
    if (snapshot_.skipped > 0)
      return name_ + ": " + std::to_string(snapshot_.skipped) + " invalid entries of the snapshot were skipped.";
    return snapshot_.endless ? name_ + ": the snapshot contains cyclic references; it was only partly read." : "";
  }

  // Describes the devices and their allocators.
  void describe(Sink& sink) const {
    for (size_t d = 0; d < snapshot_.devices.size(); ++d) {
      const std::string number = std::to_string(d);
      sink.describe(DeviceInfo{DeviceId(d), "CUDA:" + number, "cuda", "", 0});
      sink.describe(AllocatorInfo{static_cast<uint32_t>(d), "CUDA caching allocator " + number, MemoryKind::Default,
                                  DeviceId(d)});
    }
    for (const auto& [which, number] : pools_)
      sink.describe(AllocatorInfo{
          number,
          fmt::format("private pool {}, {} of CUDA device {}", which.second.first, which.second.second, which.first),
          MemoryKind::Default, DeviceId(which.first)});
  }

 private:
  static constexpr size_t kMaxPools = 4096;

  // The time of a device without entries; 0 if the snapshot has no history at all.
  Nanoseconds begin_of_trace() const {
    std::optional<Nanoseconds> first;
    const auto take = [&](Nanoseconds time) { first = std::min(first.value_or(time), time); };
    for (const Snapshot::Device& device : snapshot_.devices)
      if (!device.entries.empty()) take(device.entries.front().time);
    for (const Snapshot::Annotation& annotation : snapshot_.annotations) take(annotation.begin);
    return first.value_or(0);
  }

  void take_segment(const Snapshot::Segment& segment, size_t d, DeviceTrace& device) {
    auto allocator = static_cast<uint32_t>(d);
    if (segment.pool != std::pair<int64_t, int64_t>{0, 0} && pools_.size() < kMaxPools) {
      const auto number = static_cast<uint32_t>(snapshot_.devices.size() + pools_.size());
      allocator = pools_.try_emplace({d, segment.pool}, number).first->second;
    }
    device.segments_left.add(segment.address, segment.address + static_cast<uint64_t>(segment.bytes), allocator);
    for (const Snapshot::Block& block : segment.blocks) {
      if (!block.used) continue;
      device.blocks_left[block.address] = block.bytes;
      if (const Bytes asked = block.asked; asked >= 0) device.asked_left[block.address] = asked;
      device.stack_left[block.address] = block.stack;
    }
  }

  const std::string& name_;
  Snapshot& snapshot_;
  ImportBuilder& builder_;
  PytorchStacks& stacks_;
  uint32_t blocks_ = 0;
  std::map<std::pair<size_t, std::pair<int64_t, int64_t>>, uint32_t> pools_;  // private pools, by device
};

}  // namespace

Result<OpenReport> import_pytorch_snapshot(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    ImportBuilder builder;
    PytorchStacks stacks(builder);
    auto snapshot = read_pytorch_snapshot(bytes, name, [&](const PickleValue& entry) { return stacks.of(entry); });
    if (!snapshot.ok()) return snapshot.error();
    SnapshotImport import(name, *snapshot, builder, stacks);
    import.run();
    OpenReport report{TraceKind::PytorchSnapshot, "PyTorch memory snapshot", import.problem()};
    if (!report.problem.empty()) builder.problem(report.problem);
    import.describe(sink);
    builder.describe(sink);
    stacks.describe(sink);
    sink.describe(SourceInfo{report.format, snapshot->entries});
    builder.finish(sink);
    return report;
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
