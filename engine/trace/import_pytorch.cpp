// SPDX-License-Identifier: MIT
// A PyTorch memory snapshot: {"segments": [...], "device_traces": [[{"action", "addr", "size", "time_us", ...}]],
// "external_annotations": [{"stage", "name", "device", "time_us"}]}. What is read of it is listed in import_fields.cpp.
// The trace is only the newest part of what happened: what was there before it is found from the segments' last state.
// It tells sizes as they were asked for; what is shown are the blocks that were handed out for them.
#include <arenascope/trace/import.h>
#include <arenascope/trace/owner.h>
#include "engine/trace/import_builder.h"
#include "engine/trace/pickle.h"
#include "engine/trace/pytorch_blocks.h"
#include "engine/trace/pytorch_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>

namespace arenascope::trace {

namespace {

using Value = PickleValue;

constexpr int64_t kLargest = int64_t{1} << 50;  // bytes of a segment; addresses stay below 2^62

bool sensible(int64_t address, int64_t size) {
  return address >= 0 && address < (int64_t{1} << 62) && size >= 0 && size <= kLargest;
}

enum class Action { Reserve, Release, Alloc, Free, Other };

Action action_of(std::string_view name) {
  if (name == "segment_alloc" || name == "segment_map") return Action::Reserve;
  if (name == "segment_free" || name == "segment_unmap") return Action::Release;
  if (name == "alloc") return Action::Alloc;
  if (name == "free_completed" || name == "free") return Action::Free;
  return Action::Other;
}

struct Entry {
  Action action;
  uint64_t address;
  int64_t size;
  Nanoseconds time;
  int32_t stack = PytorchStacks::kNone;
};

// One device's trace, and what its segments hold at the end.
class DeviceTrace {
 public:
  DeviceTrace(uint32_t device, PytorchBlockRule rule, ImportBuilder& builder, PytorchStacks& stacks)
      : device_(device), builder_(builder), stacks_(stacks), held_(rule) {}
  std::vector<Entry> entries;
  std::map<uint64_t, int64_t> segments_left, blocks_left;  // address → size
  std::map<uint64_t, int64_t> asked_left;                  // of blocks_left, where the snapshot says it
  std::map<uint64_t, int32_t> stack_left;                  // that too
  struct Pool {
    uint64_t end;
    uint32_t allocator;
  };
  std::map<uint64_t, Pool> private_pools;  // segments of CUDA graphs and other pools of their own, by address
  uint32_t blocks = 0;                     // numbered from here; shared between the devices

  void play(size_t track) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) { return x.time < y.time; });
    const Nanoseconds start = entries.empty() ? 0 : entries.front().time;
    before(Action::Reserve, Action::Release, segments_left,
           [&](uint64_t a, int64_t n) { reserve_at(track, start, a, n); });
    allocate_older(track, start);
    const auto last = last_entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      const Entry& e = entries[i];
      switch (e.action) {
        case Action::Reserve: reserve_at(track, e.time, e.address, e.size); break;
        case Action::Release:
          held_.remove_segment(e.address, e.size);
          builder_.point(track, release(e.time, MemoryKind::Default, e.address, e.size, allocator_of(e.address), 0));
          break;
        case Action::Alloc: {
          const auto left = last.at(e.address) == i ? blocks_left.find(e.address) : blocks_left.end();
          allocate(track, e.time, e.address,
                   left != blocks_left.end() ? left->second : held_.bytes_for(e.address, e.size), e.size, e.stack);
          break;
        }
        case Action::Free: give_back(track, e.time, e.address); break;
        case Action::Other: break;
      }
    }
  }

 private:
  // What was there before the first entry: freed without having been taken, or still there and never taken.
  template <class F>
  void before(Action take, Action give, const std::map<uint64_t, int64_t>& left, F&& found) {
    std::map<uint64_t, int64_t> known;
    for (const Entry& e : entries) {
      if (e.action == take) known.insert_or_assign(e.address, e.size);
      if (e.action == give && known.try_emplace(e.address, e.size).second) found(e.address, e.size);
    }
    for (const auto& [address, size] : left) {
      if (known.find(address) == known.end()) found(address, size);
    }
  }
  // Blocks that are older than the trace. Of those freed in it only what was asked for is told: how large each was shows
  // once it is known where all of them lie.
  void allocate_older(size_t track, Nanoseconds start) {
    std::map<uint64_t, int64_t> older;
    before(Action::Alloc, Action::Free, blocks_left, [&](uint64_t a, int64_t n) { older.insert_or_assign(a, n); });
    std::map<uint64_t, bool> still_there = untouched();
    for (const auto& [address, size] : older) held_.live[address] = {};
    for (const auto& [address, size] : older) {
      const auto asked = asked_left.find(address);
      const auto stack = stack_left.find(address);
      if (still_there[address])
        allocate(track, start, address, size, asked != asked_left.end() ? asked->second : size,
                 stack != stack_left.end() ? stack->second : PytorchStacks::kNone);
      else
        allocate(track, start, address, held_.bytes_for(address, size), size, PytorchStacks::kNone);
    }
  }
  // By address of what is left: whether no entry names it.
  std::map<uint64_t, bool> untouched() const {
    std::map<uint64_t, bool> out;
    for (const auto& [address, size] : blocks_left) out[address] = true;
    for (const Entry& e : entries) {
      if (e.action == Action::Alloc || e.action == Action::Free) out[e.address] = false;
    }
    return out;
  }
  // By address: the newest entry about a block there.
  std::unordered_map<uint64_t, size_t> last_entries() const {
    std::unordered_map<uint64_t, size_t> last;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].action == Action::Alloc || entries[i].action == Action::Free) last[entries[i].address] = i;
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
      builder_.point(track, owner(t, address, std::min(asked, kMostOwned), allocator_of(address), GraphId::none(),
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

// A segment's pool: "" for the one that all share.
std::string private_pool(const Value& segment) {
  const Value* id = segment.get("segment_pool_id");
  if (id == nullptr || id->type != Value::List || id->items.size() != 2) return {};
  const int64_t first = id->items[0]->integer, second = id->items[1]->integer;
  if (first == 0 && second == 0) return {};
  return std::to_string(first) + ", " + std::to_string(second);
}

// How the snapshot's allocator was set up; older snapshots do not say it.
PytorchBlockRule block_rule(const Value& root) {
  PytorchBlockRule rule;
  const Value* settings = root.get("allocator_settings");
  if (settings == nullptr || settings->type != Value::Dict) return rule;
  if (const int64_t most = settings->integer_of("max_split_size", -1); most > 0) rule.max_split = most;
  rule.expandable = settings->integer_of("expandable_segments", 0) != 0;
  return rule;
}

// The two lists of a snapshot, device by device.
class SnapshotReader {
 public:
  // `budget`: a shared list may stand in many places, so no more entries are read than the file has bytes.
  SnapshotReader(const std::string& name, const Value& segments, const Value& traces, const PytorchBlockRule& rule,
                 size_t budget, ImportBuilder& builder, PytorchStacks& stacks)
      : name_(name),
        segments_(segments),
        traces_(traces),
        rule_(rule),
        devices_(std::min(traces.items.size(), kMostDevices)),
        budget_(budget),
        builder_(builder),
        stacks_(stacks) {}

  void read() {
    for (size_t d = 0; d < devices_; ++d) {
      DeviceTrace device(static_cast<uint32_t>(d), rule_, builder_, stacks_);
      device.blocks = blocks_;
      for (const Value* segment : segments_.items) {
        if (!take_entry()) break;
        if (segment->type == Value::Dict && segment->integer_of("device") == static_cast<int64_t>(d))
          read_segment(*segment, d, device);
      }
      read_entries(*traces_.items[d], d, device);
      if (device.entries.empty() && device.segments_left.empty()) continue;
      const size_t track = builder_.track("device " + std::to_string(d) + " allocator");
      builder_.info(track).kind = TrackKind::DeviceQueue;
      builder_.info(track).device = DeviceId(d);
      device.play(track);
      blocks_ = device.blocks;
    }
  }

  // What a profiler or a user called stretches of time, each on a device: as spans of rows of their own.
  void read_annotations(const Value& root) {
    const Value* list = root.get("external_annotations");
    if (list == nullptr || list->type != Value::List) return;
    std::map<std::pair<int64_t, std::string_view>, std::vector<Nanoseconds>> open;  // by device and name
    for (const Value* a : list->items) {
      if (!take_entry()) return;
      const int64_t device = a->integer_of("device", -1), micros = a->integer_of("time_us", -1);
      if (device < 0 || device >= static_cast<int64_t>(devices_) || micros < 0 || micros > (int64_t{1} << 51)) {
        ++skipped_;
        continue;
      }
      const std::string_view name = a->text_of("name");
      auto& begun = open[{device, name}];
      if (a->text_of("stage") == "START") {
        begun.push_back(micros * 1000);
      } else if (!begun.empty()) {
        const size_t track = builder_.track("device " + std::to_string(device) + " annotations");
        builder_.info(track).device = DeviceId(static_cast<int32_t>(device));
        builder_.span(track, begun.back(), std::max<Nanoseconds>(micros * 1000, begun.back()), builder_.name(name));
        begun.pop_back();
      }
    }
  }

  // What could not be used; empty: nothing.
  std::string problem() const {
    if (skipped_ > 0)
      return name_ + ": " + std::to_string(skipped_) + " entries of the snapshot make no sense and were left out.";
    return budget_ == 0 ? name_ + ": the snapshot repeats itself without end; the rest was left out." : "";
  }

  // The devices and their allocators.
  void describe(Sink& sink) const {
    for (size_t d = 0; d < devices_; ++d) {
      const std::string number = std::to_string(d);
      sink.describe(DeviceInfo{DeviceId(d), "CUDA device " + number, "cuda", "", 0});
      sink.describe(AllocatorInfo{static_cast<uint32_t>(d), "CUDA caching allocator " + number, MemoryKind::Default,
                                  DeviceId(d)});
    }
    for (const auto& [which, number] : pools_)
      sink.describe(AllocatorInfo{number, fmt::format("private pool {} of CUDA device {}", which.second, which.first),
                                  MemoryKind::Default, DeviceId(which.first)});
  }

 private:
  static constexpr size_t kMostDevices = 4096, kMostPools = 4096;

  bool take_entry() {
    if (budget_ == 0) return false;
    --budget_;
    return true;
  }

  void read_segment(const Value& segment, size_t d, DeviceTrace& device) {
    const int64_t address = segment.integer_of("address", -1), size = segment.integer_of("total_size", -1);
    if (!sensible(address, size)) {
      ++skipped_;
      return;
    }
    device.segments_left[static_cast<uint64_t>(address)] = size;
    if (const std::string pool = private_pool(segment); !pool.empty() && pools_.size() < kMostPools) {
      const auto known = pools_.try_emplace({d, pool}, static_cast<uint32_t>(devices_ + pools_.size())).first;
      device.private_pools[static_cast<uint64_t>(address)] = {static_cast<uint64_t>(address + size), known->second};
    }
    const Value* held = segment.get("blocks");
    if (held == nullptr || held->type != Value::List) return;
    int64_t at = address;  // where older snapshots do not say it
    for (const Value* b : held->items) {
      if (!take_entry()) return;
      const int64_t block_size = b->integer_of("size", -1), block_at = b->integer_of("address", at);
      if (!sensible(block_at, block_size)) {
        ++skipped_;
        return;
      }
      if (b->text_of("state").starts_with("active")) {  // "active_pending_free" too
        device.blocks_left[static_cast<uint64_t>(block_at)] = block_size;
        const int64_t asked = b->integer_of("requested_size", block_size);
        if (asked >= 0) device.asked_left[static_cast<uint64_t>(block_at)] = asked;
        device.stack_left[static_cast<uint64_t>(block_at)] = stacks_.of(*b);
      }
      at = block_at + block_size;
    }
  }

  void read_entries(const Value& list, size_t d, DeviceTrace& device) {
    if (list.type != Value::List) return;
    int64_t index = 0;
    for (const Value* e : list.items) {
      if (!take_entry()) return;
      const Action action = action_of(e->text_of("action"));
      if (e->text_of("action") == "oom")
        builder_.problem(name_ + ": device " + std::to_string(d) + " ran out of memory.");
      if (action == Action::Other) continue;
      const int64_t address = e->integer_of("addr", -1), size = e->integer_of("size", -1);
      const int64_t micros = e->integer_of("time_us", index++);
      if (!sensible(address, size) || micros < 0 || micros > (int64_t{1} << 51)) {
        ++skipped_;
        continue;
      }
      device.entries.push_back({action, static_cast<uint64_t>(address), size, micros * 1000,
                                action == Action::Alloc ? stacks_.of(*e) : PytorchStacks::kNone});
    }
  }

  const std::string& name_;
  const Value &segments_, &traces_;
  const PytorchBlockRule rule_;
  const size_t devices_;
  size_t budget_;
  ImportBuilder& builder_;
  PytorchStacks& stacks_;
  int64_t skipped_ = 0;
  uint32_t blocks_ = 0;
  std::map<std::pair<size_t, std::string>, uint32_t> pools_;  // private ones, by device and name
};

}  // namespace

Result<OpenReport> import_pytorch_snapshot(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    const auto pickle = read_pickle(bytes, name);
    if (!pickle.ok()) return pickle.error();
    const Value* segments = pickle->root->get("segments");
    const Value* traces = pickle->root->get("device_traces");
    if (segments == nullptr || segments->type != Value::List || traces == nullptr || traces->type != Value::List) {
      return Error{name + ": this pickle is no memory snapshot: it has no lists \"segments\" and \"device_traces\"."};
    }
    ImportBuilder builder;
    PytorchStacks stacks(builder);
    SnapshotReader reader(name, *segments, *traces, block_rule(*pickle->root), bytes.size(), builder, stacks);
    reader.read();
    reader.read_annotations(*pickle->root);
    OpenReport report{TraceKind::PytorchSnapshot, "PyTorch memory snapshot", reader.problem()};
    if (!report.problem.empty()) builder.problem(report.problem);
    reader.describe(sink);
    builder.describe(sink);
    stacks.describe(sink);
    builder.finish(sink);
    return report;
  } catch (const std::bad_alloc&) {
    return Error{name + ": memory ran out while it was read."};
  }
}

}  // namespace arenascope::trace
