// SPDX-License-Identifier: MIT
#include <arenascope/trace/space_use.h>
#include "engine/trace/saturate.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace arenascope::trace {

namespace {

bool shows(const SpaceChoice& choice, MemoryKind kind, uint32_t allocator) {
  switch (choice.of) {
    case SpaceChoice::Of::Working: return kind != MemoryKind::Persistent && kind != MemoryKind::Mapped;
    case SpaceChoice::Of::All: return true;
    case SpaceChoice::Of::Allocator: return allocator == choice.allocator;
  }
  return false;
}

struct Change {
  Nanoseconds time = 0;
  Bytes reserved = 0, active = 0;
  int64_t slices = 0;
};

struct Changes {
  std::vector<Change> list;
  size_t slices = 0;
  bool complete = true, reserved_known = false;
};

Changes changes_of(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice) {
  Changes out;
  const auto add = [&](const auto& piece, Bytes reserved, Bytes active, int64_t slices) {
    out.list.push_back({std::max(piece.begin, range.begin), reserved, active, slices});
    if (!piece.open && piece.end < range.end) out.list.push_back({piece.end, -reserved, -active, -slices});
  };
  const auto spaces = snapshot.spaces_in(range.begin, range.end, kMaxSpaceAllocations);
  const auto slices = snapshot.space_slices_in(range.begin, range.end, kMaxSpaceAllocations);
  out.complete = spaces.size() < kMaxSpaceAllocations && slices.size() < kMaxSpaceAllocations;
  for (const Space& space : spaces)
    if (shows(choice, space)) add(space, space.bytes, 0, 0), out.reserved_known |= !space.implied;
  for (const SpaceAllocation& slice : slices) {
    if (!shows(choice, slice)) continue;
    ++out.slices;
    add(slice, 0, slice.bytes, 1);
  }
  std::sort(out.list.begin(), out.list.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  return out;
}

std::vector<SpaceMoment> moments_of(const Changes& changes) {
  std::vector<SpaceMoment> out;
  SpaceMoment now;
  for (size_t i = 0; i < changes.list.size();) {
    now.time = changes.list[i].time;
    for (; i < changes.list.size() && changes.list[i].time == now.time; ++i) {
      now.reserved += changes.list[i].reserved;
      now.active += changes.list[i].active;
      now.slices += changes.list[i].slices;
    }
    out.push_back(now);
  }
  return out;
}

// The maximum of bytes that were allocated without an address. Some tracers only record the total of older memory.
Bytes max_unplaced(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice) {
  std::vector<Event> events;
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i) {
    const Event& e = snapshot.event(snapshot.memory_events[i]);
    const bool active = e.kind() == EventKind::Alloc || e.kind() == EventKind::Free;
    if (active && e.a == 0 && e.time < range.end && shows(choice, e.memory_kind(), e.allocator())) events.push_back(e);
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& x, const Event& y) { return x.time < y.time; });
  Bytes now = 0, most = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    now = add_saturated(now, events[i].kind() == EventKind::Alloc ? events[i].b : -events[i].b);
    const Nanoseconds next = i + 1 < events.size() ? events[i + 1].time : range.end;
    if (next > std::max(events[i].time, range.begin)) most = std::max(most, now);
  }
  return most;
}

// The free ranges of one space during a scan over time, and since when each is free.
class FreeOfSpace {
 public:
  FreeOfSpace(uint32_t number, const Space& space, const std::vector<SpaceAllocation>& slices,
              std::vector<FreeRange>& out)
      : number_(number), space_(space), slices_(slices), out_(out) {}

  void run(const std::vector<uint32_t>& own, TimeRange range) {
    struct Edge {
      Nanoseconds time;
      bool begins;
      uint32_t slice;
    };
    std::vector<Edge> edges;
    for (const uint32_t i : own) {
      edges.push_back({std::max(slices_[i].begin, range.begin), true, i});
      if (!slices_[i].open && slices_[i].end < range.end) edges.push_back({slices_[i].end, false, i});
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      return std::tuple(a.time, a.begins, a.slice) < std::tuple(b.time, b.begins, b.slice);
    });
    time_ = std::max(space_.begin, range.begin);
    open(space_.address, end_of(space_.address, space_.bytes));
    for (const Edge& e : edges) {
      time_ = std::max(time_, e.time);
      e.begins ? take(e.slice) : give(e.slice);
    }
    time_ = space_.open ? range.end : std::min(space_.end, range.end);
    while (!free_.empty()) close(free_.begin());
  }

 private:
  struct Free {
    uint64_t end = 0;
    Nanoseconds since = 0;
    int32_t below = -1, above = -1;
  };
  using Frees = std::map<uint64_t, Free>;
  static uint64_t end_of(uint64_t address, Bytes bytes) { return address + static_cast<uint64_t>(bytes); }

  void open(uint64_t begin, uint64_t end) {
    if (end <= begin) return;
    Free free{end, time_, -1, -1};
    const auto above = live_.lower_bound(end);
    if (above != live_.end() && above->first == end) free.above = static_cast<int32_t>(above->second);
    if (const auto next = live_.lower_bound(begin); next != live_.begin()) {
      const uint32_t slice = std::prev(next)->second;
      if (end_of(slices_[slice].address, slices_[slice].bytes) >= begin) free.below = static_cast<int32_t>(slice);
    }
    free_[begin] = free;
  }
  Frees::iterator close(Frees::iterator at) {
    const auto& [begin, free] = *at;
    if (time_ > free.since)
      out_.push_back({number_, begin, static_cast<Bytes>(free.end - begin), free.since, time_, free.below, free.above});
    return free_.erase(at);
  }
  // Marks the bytes of a slice as used.
  void take(uint32_t slice) {
    const uint64_t begin = slices_[slice].address, end = end_of(begin, slices_[slice].bytes);
    live_[begin] = slice;
    auto at = free_.upper_bound(begin);
    if (at != free_.begin() && std::prev(at)->second.end > begin) --at;
    while (at != free_.end() && at->first < end) {
      const uint64_t lo = at->first, hi = at->second.end;
      at = close(at);
      open(lo, std::min(hi, begin));
      open(std::max(lo, end), hi);
      at = free_.upper_bound(lo);
    }
  }
  void give(uint32_t slice) {
    const auto own = live_.find(slices_[slice].address);
    if (own == live_.end() || own->second != slice) return;
    live_.erase(own);
    uint64_t begin = std::max(slices_[slice].address, space_.address),
             end = std::min(end_of(slices_[slice].address, slices_[slice].bytes), end_of(space_.address, space_.bytes));
    if (const auto above = free_.find(end); above != free_.end()) {
      end = above->second.end;
      close(above);
    }
    if (auto next = free_.lower_bound(begin); next != free_.begin() && std::prev(next)->second.end == begin) {
      begin = std::prev(next)->first;
      close(std::prev(next));
    }
    open(begin, end);
  }

  const uint32_t number_;
  const Space& space_;
  const std::vector<SpaceAllocation>& slices_;
  std::vector<FreeRange>& out_;
  Nanoseconds time_ = 0;
  Frees free_;
  std::map<uint64_t, uint32_t> live_;  // by address
};

}  // namespace

bool shows(const SpaceChoice& choice, const Space& space) { return shows(choice, space.kind, space.allocator); }
bool shows(const SpaceChoice& choice, const SpaceAllocation& slice) {
  return shows(choice, slice.space_kind, slice.space_allocator);
}

bool is_arena(const SpaceAllocation& slice) { return slice.graph.valid() && !slice.tensor.valid(); }

std::vector<ArenaAllocation> slices_in_arena(const Snapshot& snapshot, const SpaceAllocation& arena, TimeRange range) {
  const Nanoseconds end = arena.open ? range.end : std::min(arena.end, range.end);
  auto slices = snapshot.slices_in(std::max(arena.begin, range.begin), end, kMaxSpaceAllocations);
  std::erase_if(slices, [&](const ArenaAllocation& slice) {
    const Run* run = snapshot.run(slice.run);
    return run == nullptr || run->info.graph != arena.graph || slice.begin < arena.begin ||
           slice.offset + slice.bytes > arena.bytes;
  });
  return slices;
}

bool is_in_spaces(const Snapshot& s, RunId id, const PlanInfo* plan) {
  if (s.spaces.empty() && s.open_spaces.empty()) return false;
  const Run* run = s.run(id);
  if (plan == nullptr) return run == nullptr || (s.slices.empty() && s.open_slices.empty());
  if (run == nullptr) return false;
  if (!run->info.strategy.empty() && run->info.strategy != "planned") return true;
  return std::any_of(plan->elsewhere.begin(), plan->elsewhere.end(),
                     [](const SliceInfo& slice) { return slice.placement == Placement::Packed; });
}

TimeRange range_of_run(const Snapshot& s, RunId id) {
  TimeRange range{s.time.begin, s.time.end + 1};
  if (const Run* run = s.run(id)) {
    range.begin = run->info.begin;
    if (run->finished) range.end = std::max(run->end, run->info.begin + 1);
  }
  return range;
}

std::vector<SpaceAllocation> slices_of(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice) {
  auto slices = snapshot.space_slices_in(range.begin, range.end, kMaxSpaceAllocations);
  std::erase_if(slices, [&](const SpaceAllocation& slice) { return !shows(choice, slice); });
  return slices;
}

SpaceTotals space_totals(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice) {
  const Changes changes = changes_of(snapshot, range, choice);
  SpaceTotals totals;
  totals.slices = changes.slices;
  totals.complete = changes.complete;
  totals.unplaced = max_unplaced(snapshot, range, choice);
  totals.reserved_known = changes.reserved_known;
  for (const SpaceMoment& now : moments_of(changes)) {
    if (now.active > totals.peak) totals.peak = now.active, totals.peak_at = now.time;
    totals.reserved = std::max(totals.reserved, now.reserved);
    totals.unused = std::max(totals.unused, now.reserved - now.active);
  }
  return totals;
}

std::vector<SpaceMoment> space_moments(const Snapshot& snapshot, TimeRange range, const SpaceChoice& choice) {
  return moments_of(changes_of(snapshot, range, choice));
}

std::vector<SpaceAddress> group_by_address(const std::vector<SpaceAllocation>& slices, TimeRange range) {
  std::map<std::pair<DeviceId, uint64_t>, SpaceAddress> by_place;
  for (size_t i = 0; i < slices.size(); ++i) {
    const SpaceAllocation& s = slices[i];
    SpaceAddress& place = by_place[{s.device, s.address}];
    place.allocator = s.space_allocator;
    place.device = s.device;
    place.address = s.address;
    place.bytes = std::max(place.bytes, s.bytes);
    place.slices.push_back(static_cast<uint32_t>(i));
  }
  std::vector<SpaceAddress> out;
  for (auto& [key, place] : by_place) {
    std::stable_sort(place.slices.begin(), place.slices.end(),
                     [&](uint32_t a, uint32_t b) { return slices[a].begin < slices[b].begin; });
    Nanoseconds reached = range.begin, used = 0;
    for (const uint32_t i : place.slices) {
      const Nanoseconds end = slices[i].open ? range.end : std::min(slices[i].end, range.end);
      if (end <= reached) continue;
      used += end - std::max(slices[i].begin, reached);
      reached = end;
    }
    if (range.length() > 0) place.used = static_cast<double>(used) / static_cast<double>(range.length());
    out.push_back(std::move(place));
  }
  return out;
}

std::vector<FreeRange> free_ranges(const std::vector<Space>& spaces, const std::vector<SpaceAllocation>& slices,
                                   TimeRange range) {
  std::vector<uint32_t> order;  // candidate spaces, by device and address
  for (size_t i = 0; i < spaces.size(); ++i)
    if (!spaces[i].implied && spaces[i].bytes > 0) order.push_back(static_cast<uint32_t>(i));
  const auto place = [&](uint32_t i) { return std::pair(spaces[i].device, spaces[i].address); };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
  const auto end_of = [&](uint32_t i) { return spaces[i].address + static_cast<uint64_t>(spaces[i].bytes); };
  std::vector<uint64_t> reach(order.size());  // highest end so far on the device
  for (size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && spaces[order[k - 1]].device == spaces[order[k]].device;
    reach[k] = std::max(end_of(order[k]), same ? reach[k - 1] : 0);
  }
  std::vector<std::vector<uint32_t>> own(order.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    const SpaceAllocation& s = slices[i];
    const uint64_t end = s.address + static_cast<uint64_t>(s.bytes);
    auto k = static_cast<size_t>(std::lower_bound(order.begin(), order.end(), std::pair(s.device, end),
                                                  [&](uint32_t a, const auto& limit) { return place(a) < limit; }) -
                                 order.begin());
    while (k-- > 0 && spaces[order[k]].device == s.device && reach[k] > s.address) {
      const Space& space = spaces[order[k]];
      const bool there = (space.open || s.begin < space.end) && (s.open || s.end > space.begin);
      if (there && end_of(order[k]) > s.address) own[k].push_back(static_cast<uint32_t>(i));
    }
  }
  std::vector<FreeRange> out;
  for (size_t k = 0; k < order.size(); ++k) FreeOfSpace(order[k], spaces[order[k]], slices, out).run(own[k], range);
  return out;
}

}  // namespace arenascope::trace
