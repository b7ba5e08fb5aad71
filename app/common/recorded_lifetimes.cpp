// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/recorded_lifetimes.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>

#include <arenascope/trace/import.h>
#include <fmt/format.h>

#include "app/common/memory_events.h"

namespace arenascope::app {
namespace {

using trace::Event;
using trace::EventKind;

// The allocations of one space during the traversal.
struct Walk {
  RecordedLifetimes out;
  std::map<uint64_t, size_t> live;  // by address
  Bytes live_bytes = 0, reserved = 0;
  int64_t step = 0;

  void take(const Event& e) {
    const auto address = static_cast<uint64_t>(e.a);
    if (e.kind() == EventKind::Reserve || e.kind() == EventKind::Release) {
      reserved += e.kind() == EventKind::Reserve ? e.b : -e.b;
      out.reserved_peak = std::max(out.reserved_peak, reserved);
    } else if (address == 0) {
      return;  // not known: its free event cannot be found
    } else if (e.kind() == EventKind::Alloc && e.b > 0) {
      end(address);  // its free event was lost
      live[address] = out.problem.intervals.size();
      out.problem.intervals.push_back({step++, 0, e.b, 0, {}, {}});
      live_bytes += e.b;
      out.live_peak = std::max(out.live_peak, live_bytes);
    } else if (e.kind() == EventKind::Free) {
      end(address);
    }
  }
  void end(uint64_t address) {
    const auto found = live.find(address);
    if (found == live.end()) return;
    planner::Interval& interval = out.problem.intervals[found->second];
    interval.upper = std::max(step, interval.lower + 1);
    live_bytes -= interval.size;
    live.erase(found);
    ++step;
  }
  void finish() {
    for (const auto& [address, index] : live)
      out.problem.intervals[index].upper = std::max(step, out.problem.intervals[index].lower + 1);
  }
};

}  // namespace

bool is_recording(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4096> head{};
  in.read(head.data(), head.size());
  const std::string_view begin(head.data(), static_cast<size_t>(in.gcount()));
  if (path.extension() == ".onnx") return false;  // ONNX is protobuf, like Perfetto traces
  return begin.starts_with("\x1f\x8b") || trace::sniff(trace::as_bytes(begin)) != trace::TraceKind::Unknown;
}

Result<RecordedLifetimes> recorded_lifetimes(const trace::Snapshot& snapshot, const std::string& space) {
  std::map<uint32_t, Walk> walks;
  for (const auto& allocator : snapshot.allocators) walks[allocator.id].out.space = allocator.name;
  for (const Event& e : memory_events_by_time(snapshot)) walks[e.allocator()].take(e);
  std::erase_if(walks, [](const auto& w) { return w.second.out.problem.intervals.empty(); });
  if (walks.empty()) return Error{"the recording contains no allocations with addresses"};
  Walk* chosen = nullptr;
  std::string names;
  for (auto& [id, walk] : walks) {
    names += (names.empty() ? "" : ", ") + walk.out.space;
    if (!space.empty() && walk.out.space != space) continue;
    if (chosen == nullptr || walk.out.live_peak > chosen->out.live_peak) chosen = &walk;
  }
  if (chosen == nullptr) return Error{fmt::format("unknown space '{}'; available: {}", space, names)};
  chosen->finish();
  return std::move(chosen->out);
}

RecordedLifetimes recorded_lifetimes(const trace::GraphInfo& graph, const trace::PlanInfo& plan) {
  RecordedLifetimes out;
  out.space = graph.model;
  out.reserved_peak = plan.arena_bytes;
  std::vector<const trace::SliceInfo*> slices;
  for (const trace::SliceInfo& slice : plan.slices)
    if (slice.placement == trace::Placement::Arena && slice.size > 0 && slice.first.value < slice.last.value)
      slices.push_back(&slice);
  std::stable_sort(slices.begin(), slices.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::set<std::string> names;
  std::vector<size_t> live;
  for (size_t i = 0; i < slices.size(); ++i) {
    const trace::SliceInfo& own = *slices[i];
    std::erase_if(live, [&](size_t before) {
      const trace::SliceInfo& other = *slices[before];
      if (other.last <= own.first) return true;
      const bool apart = other.offset >= own.offset + own.size || own.offset >= other.offset + other.size;
      if (apart || other.first == own.first) return false;
      out.problem.intervals[before].upper = own.first.value;
      return true;
    });
    live.push_back(i);
    out.problem.intervals.push_back({own.first.value, own.last.value, own.size, 0, {}, {}});
    const auto& list = own.tensor.is_leaf() ? graph.leafs : graph.nodes;
    std::string name = own.tensor.index() < list.size() ? list[own.tensor.index()].name : std::string();
    if (name.empty() || !names.insert(name).second) names.insert(name = fmt::format("{}#{}", name, i));
    out.problem.ids.push_back(std::move(name));
  }
  std::map<int64_t, Bytes> changes;
  for (const planner::Interval& interval : out.problem.intervals)
    changes[interval.lower] += interval.size, changes[interval.upper] -= interval.size;
  Bytes sum = 0;
  for (const auto& [step, change] : changes) out.live_peak = std::max(out.live_peak, sum += change);
  return out;
}

}  // namespace arenascope::app
