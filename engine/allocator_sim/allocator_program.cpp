// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/allocator_program.h>
#include <arenascope/trace/pytorch_snapshot.h>
#include <fmt/format.h>

#include <new>
#include <unordered_set>

namespace arenascope::allocator_sim {
namespace {

using Snapshot = trace::PytorchSnapshot;
using Action = Snapshot::Action;

constexpr uint64_t kLastAddress = uint64_t{1} << 61;  // the simulator's own addresses are above

class DeviceReader {
 public:
  DeviceReader(const std::string& name, uint32_t device, const Snapshot& snapshot)
      : name_(name), recorded_(snapshot.devices[device]), rule_(snapshot.rule) {
    program_.device = device;
    program_.settings.max_split_size = snapshot.rule.max_split;
    program_.settings.expandable_segments = snapshot.rule.expandable;
    program_.settings.garbage_collection_threshold = snapshot.garbage_collection_threshold;
    program_.settings.roundup_power2_divisions = snapshot.roundup_power2_divisions;
  }

  Result<AllocatorProgram> read() {
    for (const Snapshot::Segment& s : recorded_.segments) {
      last_.push_back({s.address, s.bytes, stream_number(s.stream), pool_number(s.pool), s.small});
      program_.grows = program_.grows || s.expandable;
      for (const Snapshot::Block& b : s.blocks)
        if (b.used) left_[b.address] = {b.address, b.bytes, b.asked < 0 ? b.bytes : std::min(b.asked, b.bytes)};
    }
    std::sort(last_.begin(), last_.end(), [](auto& a, auto& b) { return a.address < b.address; });
    for (const Snapshot::Entry& e : recorded_.entries)
      program_.grows = program_.grows || e.action == Action::Map || e.action == Action::Unmap;
    if (auto ok = walk_back_segments(); !ok) return ok.error();
    find_older_blocks();
    collect_steps();
    return std::move(program_);
  }

 private:
  // Streams in order of appearance, because their numbers are addresses.
  uint32_t stream_number(int64_t stream) {
    return streams_.try_emplace(stream, static_cast<uint32_t>(streams_.size())).first->second;
  }
  uint32_t pool_number(const std::pair<int64_t, int64_t>& pool) {
    if (pool == std::pair<int64_t, int64_t>{0, 0}) return 0;
    return pools_.try_emplace(pool, static_cast<uint32_t>(pools_.size() + 1)).first->second;
  }
  uint32_t pool_at(uint64_t address) const {
    const auto next = std::upper_bound(last_.begin(), last_.end(), address,
                                       [](uint64_t a, const CachedSegment& s) { return a < s.address; });
    if (next == last_.begin()) return 0;
    const CachedSegment& s = *std::prev(next);
    return address < s.address + static_cast<uint64_t>(s.bytes) ? s.pool : 0;
  }

  Status walk_back_segments() {
    std::map<uint64_t, CachedSegment> at;
    for (const CachedSegment& s : last_) at.emplace(s.address, s);
    for (auto e = recorded_.entries.rbegin(); e != recorded_.entries.rend(); ++e) {
      if (e->action == Action::Reserve) at.erase(e->address);
      if (e->action == Action::Release) {
        const bool small = e->bytes == 2 * CachingSettings::kMiB;
        at.emplace(e->address, CachedSegment{e->address, e->bytes, stream_number(e->stream), 0, small});
      }
    }
    uint64_t previous_end = 0;
    for (const auto& [address, segment] : at) {
      if (address < previous_end || address > kLastAddress || segment.bytes < 1)
        return Error{fmt::format("{}: device {}: the segment at {:#x} overlaps another segment or is empty", name_,
                                 program_.device, address)};
      previous_end = address + static_cast<uint64_t>(segment.bytes);
      program_.segments.push_back(segment);
    }
    return {};
  }

  // Blocks allocated before the first entry: freed without an allocation event, or live at the end without one.
  void find_older_blocks() {
    std::map<uint64_t, UsedBlock> older;
    std::unordered_set<uint64_t> named;
    for (const Snapshot::Entry& e : recorded_.entries) {
      if (e.action != Action::Allocate && e.action != Action::Free) continue;
      if (named.insert(e.address).second && e.action == Action::Free) older[e.address] = {e.address, 0, e.bytes};
    }
    for (const auto& [address, block] : left_)
      if (!named.contains(address)) older[address] = block;
    auto next = older.begin();
    for (const CachedSegment& s : program_.segments) {
      const uint64_t end = s.address + static_cast<uint64_t>(s.bytes);
      uint64_t free_from = s.address;
      while (next != older.end() && next->first < s.address) ++next;
      for (; next != older.end() && next->first < end; ++next) {
        UsedBlock block = next->second;
        if (block.address < free_from) continue;  // inside the previous block
        const auto following = std::next(next);
        const uint64_t limit = following == older.end() ? end : std::min(end, following->first);
        const auto room = static_cast<Bytes>(limit - block.address);
        if (block.bytes == 0) {
          block.bytes = rule_.bytes(block.asked, room);
          ++program_.worked_out;
        }
        block.bytes = std::min(block.bytes, room);
        block.asked = std::min(block.asked, block.bytes);
        free_from = block.address + static_cast<uint64_t>(block.bytes);
        program_.blocks.push_back(block);
      }
    }
  }

  // Bytes reserved before the first entry: those at the end minus those that the entries reserved. An expandable segment
  // grows and shrinks by any range.
  Bytes reserved_before() const {
    Bytes reserved = 0;
    for (const CachedSegment& s : last_) reserved += s.bytes;
    for (const Snapshot::Entry& e : recorded_.entries) {
      if (e.action == Action::Reserve || e.action == Action::Map) reserved -= e.bytes;
      if (e.action == Action::Release || e.action == Action::Unmap) reserved += e.bytes;
    }
    return reserved;
  }

  void collect_steps() {
    Bytes reserved = reserved_before();
    program_.reserved_peak = reserved;
    std::unordered_set<uint64_t> live;
    for (const UsedBlock& b : program_.blocks) live.insert(b.address);
    for (const Snapshot::Entry& e : recorded_.entries) {
      switch (e.action) {
        case Action::Reserve: program_.segments_taken.emplace_back(e.address, e.bytes); [[fallthrough]];
        case Action::Map: program_.reserved_peak = std::max(program_.reserved_peak, reserved += e.bytes); break;
        case Action::Release:
        case Action::Unmap: reserved -= e.bytes; break;
        case Action::Allocate:
          if (live.insert(e.address).second)
            program_.steps.push_back({true, e.address, e.bytes, stream_number(e.stream), pool_at(e.address)});
          break;
        case Action::Free:
          if (live.erase(e.address) > 0) program_.steps.push_back({false, e.address, e.bytes, 0, 0});
          break;
      }
    }
  }

  const std::string& name_;
  const Snapshot::Device& recorded_;
  const trace::PytorchBlockRule rule_;
  AllocatorProgram program_;
  std::vector<CachedSegment> last_;  // at the end, by address
  std::map<uint64_t, UsedBlock> left_;
  std::map<int64_t, uint32_t> streams_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> pools_;
};

}  // namespace

Result<std::vector<AllocatorProgram>> read_allocator_programs(const std::filesystem::path& path) {
  const std::string name = path.string();
  try {
    auto snapshot = trace::read_pytorch_snapshot(path);
    if (!snapshot) return snapshot.error();
    if (snapshot->endless) return Error{name + ": the snapshot contains cyclic references"};
    std::vector<AllocatorProgram> out;
    for (size_t d = 0; d < snapshot->devices.size(); ++d) {
      if (snapshot->devices[d].entries.empty()) continue;
      auto program = DeviceReader(name, static_cast<uint32_t>(d), *snapshot).read();
      if (!program) return program.error();
      out.push_back(std::move(*program));
    }
    if (out.empty()) return Error{name + ": the recording contains no allocation requests"};
    return out;
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file"};
  }
}

}  // namespace arenascope::allocator_sim
