// SPDX-License-Identifier: MIT
// Imports a PyTorch memory snapshot as events; import_fields.cpp lists the fields that are used. The trace covers only
// the most recent events. Earlier allocations are reconstructed from the final state of the segments. The trace records
// requested sizes; the importer shows the blocks allocated for them.
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

namespace arenascope::trace {

namespace {

using Snapshot = PytorchSnapshot;
using Action = Snapshot::Action;
using Entry = Snapshot::Entry;

bool reserves(Action action) { return action == Action::Reserve || action == Action::Map; }
bool releases(Action action) { return action == Action::Release || action == Action::Unmap; }
bool takes(Action action) { return action == Action::Allocate; }
bool frees(Action action) { return action == Action::Free; }

// One device's trace, and the contents of its segments at the end.
class DeviceTrace {
 public:
  DeviceTrace(uint32_t device, PytorchBlockRule rule, ImportBuilder& builder, PytorchStacks& stacks)
      : device_(device), builder_(builder), stacks_(stacks), held_(rule) {}
  std::vector<Entry> entries;
  std::map<uint64_t, int64_t> segments_left, blocks_left;  // address → size
  std::map<uint64_t, int64_t> asked_left;                  // requested size of blocks_left, if recorded
  std::map<uint64_t, int32_t> stack_left;                  // likewise
  struct Pool {
    uint64_t end;
    uint32_t allocator;
  };
  std::map<uint64_t, Pool> private_pools;  // segments of CUDA graphs and other private pools, by address
  uint32_t blocks = 0;                     // first block number; shared between devices

  void play(size_t track) {
    const Nanoseconds start = entries.empty() ? 0 : entries.front().time;
    before(reserves, releases, segments_left, [&](uint64_t a, int64_t n) { reserve_at(track, start, a, n); });
    allocate_older(track, start);
    const auto last = last_entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      const Entry& e = entries[i];
      switch (e.action) {
        case Action::Reserve:
        case Action::Map: reserve_at(track, e.time, e.address, e.bytes); break;
        case Action::Release:
        case Action::Unmap:
          held_.remove_segment(e.address, e.bytes);
          builder_.point(track, release(e.time, MemoryKind::Default, e.address, e.bytes, allocator_of(e.address), 0));
          break;
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
  // Visits the blocks older than the trace: freed without an allocation event, or live at the end without one.
  template <class F>
  void before(bool (*take)(Action), bool (*give)(Action), const std::map<uint64_t, int64_t>& left, F&& found) {
    std::map<uint64_t, int64_t> known;
    for (const Entry& e : entries) {
      if (take(e.action)) known.insert_or_assign(e.address, e.bytes);
      if (give(e.action) && known.try_emplace(e.address, e.bytes).second) found(e.address, e.bytes);
    }
    for (const auto& [address, size] : left) {
      if (known.find(address) == known.end()) found(address, size);
    }
  }
  // Allocates the blocks that are older than the trace. For blocks that the trace frees, only the requested size is
  // recorded; their block size follows from the addresses of all blocks.
  void allocate_older(size_t track, Nanoseconds start) {
    std::map<uint64_t, int64_t> older;
    before(takes, frees, blocks_left, [&](uint64_t a, int64_t n) { older.insert_or_assign(a, n); });
    std::map<uint64_t, bool> still_there = untouched();
    for (const auto& [address, size] : older) held_.live[address] = {};
    for (const auto& [address, size] : older) {
      const auto asked = asked_left.find(address);
      const auto stack = stack_left.find(address);
      if (still_there[address])
        allocate(track, start, address, size, asked != asked_left.end() ? asked->second : size,
                 stack != stack_left.end() ? stack->second : Snapshot::kNoStack);
      else
        allocate(track, start, address, held_.bytes_for(address, size), size, Snapshot::kNoStack);
    }
  }
  // The blocks left at the end, by address: true if no entry refers to them.
  std::map<uint64_t, bool> untouched() const {
    std::map<uint64_t, bool> out;
    for (const auto& [address, size] : blocks_left) out[address] = true;
    for (const Entry& e : entries) {
      if (e.action == Action::Allocate || e.action == Action::Free) out[e.address] = false;
    }
    return out;
  }
  // The newest entry about a block, by address.
  std::unordered_map<uint64_t, size_t> last_entries() const {
    std::unordered_map<uint64_t, size_t> last;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].action == Action::Allocate || entries[i].action == Action::Free) last[entries[i].address] = i;
    }
    return last;
  }
  uint32_t allocator_of(uint64_t address) const {
    const auto next = private_pools.upper_bound(address);
    if (next == private_pools.begin() || std::prev(next)->second.end <= address) return device_;
    return std::prev(next)->second.allocator;
  }
  void reserve_at(size_t track, Nanoseconds t, uint64_t address, int64_t size) {
    held_.add_segment(address, size);
    builder_.point(track, reserve(t, MemoryKind::Default, address, size, allocator_of(address), 0));
  }
  void allocate(size_t track, Nanoseconds t, uint64_t address, int64_t size, int64_t asked, int32_t stack) {
    const uint32_t block = blocks++;
    stacks_.took(stack, block);
    held_.live[address] = {size, block};
    builder_.point(track, alloc(t, MemoryKind::Default, address, size, allocator_of(address), block));
    if (asked < size)
      builder_.point(track, owner(t, address, std::min(asked, kMaxBoundBytes), allocator_of(address), GraphId::none(),
                                  TensorRef::none()));
  }
  void give_back(size_t track, Nanoseconds t, uint64_t address) {
    const auto it = held_.live.find(address);
    if (it == held_.live.end()) return;
    const auto [size, number] = it->second;
    builder_.point(track, free(t, MemoryKind::Default, address, size, allocator_of(address), number));
    held_.live.erase(it);
  }

  const uint32_t device_;
  ImportBuilder& builder_;
  PytorchStacks& stacks_;
  PytorchBlocks held_;
};

// Imports the devices of a snapshot one after another.
class SnapshotImport {
 public:
  SnapshotImport(const std::string& name, Snapshot& snapshot, ImportBuilder& builder, PytorchStacks& stacks)
      : name_(name), snapshot_(snapshot), builder_(builder), stacks_(stacks) {}

  void run() {
    for (size_t d = 0; d < snapshot_.devices.size(); ++d) {
      Snapshot::Device& recorded = snapshot_.devices[d];
      DeviceTrace device(static_cast<uint32_t>(d), snapshot_.rule, builder_, stacks_);
      device.blocks = blocks_;
      for (const Snapshot::Segment& segment : recorded.segments) take_segment(segment, d, device);
      device.entries = std::move(recorded.entries);
      for (int i = 0; i < recorded.out_of_memory; ++i)
        builder_.problem(name_ + ": device " + std::to_string(d) + " ran out of memory.");
      if (device.entries.empty() && device.segments_left.empty()) continue;
      const size_t track = builder_.track("device " + std::to_string(d) + " allocator");
      builder_.info(track).kind = TrackKind::DeviceQueue;
      builder_.info(track).device = DeviceId(d);
      device.play(track);
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
      sink.describe(DeviceInfo{DeviceId(d), "CUDA device " + number, "cuda", "", 0});
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

  void take_segment(const Snapshot::Segment& segment, size_t d, DeviceTrace& device) {
    device.segments_left[segment.address] = segment.bytes;
    if (segment.pool != std::pair<int64_t, int64_t>{0, 0} && pools_.size() < kMaxPools) {
      const auto number = static_cast<uint32_t>(snapshot_.devices.size() + pools_.size());
      const auto known = pools_.try_emplace({d, segment.pool}, number).first;
      device.private_pools[segment.address] = {segment.address + static_cast<uint64_t>(segment.bytes), known->second};
    }
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
