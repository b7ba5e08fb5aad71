// SPDX-License-Identifier: MIT
#include "engine/trace/address_space_tracker.h"
#include <arenascope/trace/bind_event.h>

#include <algorithm>

namespace arenascope::trace {

namespace {

Space space_of(const Event& e, int32_t device) {
  Space s;
  s.kind = e.memory_kind();
  s.allocator = e.allocator();
  s.device = DeviceId(device);
  s.address = static_cast<uint64_t>(e.a);
  s.bytes = e.b;
  s.begin = s.end = e.time;
  s.open = true;
  return s;
}

}  // namespace

void AddressSpaceTracker::add(const Event& e, DeviceId device) {
  const Place place{device.value, static_cast<uint64_t>(e.a)};
  if (place.second == 0) return;
  switch (e.kind()) {
    case EventKind::Reserve: return reserve(e, place);
    case EventKind::Release: return release(e.time, place, e.b);
    case EventKind::Alloc: return allocate(e, place);
    case EventKind::Free: return free(e.time, place);
    case EventKind::Bind: return own(e, place);
    default: return;
  }
}

void AddressSpaceTracker::reserve(const Event& e, Place place) {
  release(e.time, place, e.b);  // only the events of the earlier allocation were lost
  if (e.b <= 0) return;
  Space space = space_of(e, place.first);
  space.image = image_size(e.id, e.b);
  open_.emplace(place, space);
}

// Every space that overlaps the range ends; its parts outside the range begin as new spaces.
void AddressSpaceTracker::release(Nanoseconds time, Place place, Bytes bytes) {
  const uint64_t begin = place.second, end = begin + static_cast<uint64_t>(bytes);
  auto at = open_.lower_bound(place);
  if (at != open_.begin() && std::prev(at)->second.device.value == place.first &&
      std::prev(at)->second.address + static_cast<uint64_t>(std::prev(at)->second.bytes) > begin)
    --at;
  while (at != open_.end() && at->first.first == place.first && at->first.second < end) {
    Space space = at->second;
    at = open_.erase(at);
    const auto keep = [&](uint64_t from, uint64_t to) {
      if (to <= from) return;
      Space rest = space;
      rest.address = from;
      rest.bytes = static_cast<Bytes>(to - from);
      rest.begin = std::max(time, space.begin);
      rest.image = {};
      open_.emplace(Place{place.first, from}, rest);
    };
    const uint64_t last = space.address + static_cast<uint64_t>(space.bytes);
    keep(space.address, std::min(begin, last));
    keep(std::max(end, space.address), last);
    space.end = std::max(time, space.begin);
    space.open = false;
    gone_.push_back(space);
  }
}

// Looks up by start address: a block of a heap may span two adjacent spaces.
const Space* AddressSpaceTracker::space_at(Place place) const {
  const auto next = open_.upper_bound(place);
  if (next == open_.begin()) return nullptr;
  const Space& space = std::prev(next)->second;
  const bool inside =
      space.device.value == place.first && place.second - space.address < static_cast<uint64_t>(space.bytes);
  return inside ? &space : nullptr;
}

void AddressSpaceTracker::allocate(const Event& e, Place place) {
  free(e.time, place);
  const Space* space = space_at(place);
  Space own = space_of(e, place.first);
  if (space == nullptr && e.b > 0) {
    release(e.time, place, e.b);
    own.implied = true;
    open_.emplace(place, own);
  }
  if (space == nullptr) space = &own;
  SpaceAllocation s;
  s.kind = e.memory_kind();
  s.allocator = e.allocator();
  s.space_kind = space->kind;
  s.space_allocator = space->allocator;
  s.device = space->device;
  s.address = place.second;
  s.bytes = s.asked = e.b;
  s.block = e.id;
  s.begin = s.end = e.time;
  s.open = true;
  held_.emplace(place, s);
}

void AddressSpaceTracker::free(Nanoseconds time, Place place) {
  const auto own = held_.find(place);
  if (own == held_.end()) return;
  SpaceAllocation& slice = own->second;
  slice.end = std::max(time, slice.begin);
  slice.open = false;
  append(freed_, times_, slice, Range64{slice.begin, slice.end});
  const Bytes bytes = slice.bytes;
  held_.erase(own);
  if (const auto alone = open_.find(place); alone != open_.end() && alone->second.implied) release(time, place, bytes);
}

void AddressSpaceTracker::own(const Event& e, Place place) {
  const auto held = held_.find(place);
  if (held == held_.end()) return;
  SpaceAllocation& slice = held->second;
  slice.asked = std::min(bound_bytes(e), slice.bytes);
  if (const GraphId graph = bound_graph(e); graph.valid()) {
    slice.tensor = TensorRef{e.id};
    slice.graph = graph;
  }
}

void AddressSpaceTracker::view(Snapshot& out) const {
  out.spaces = gone_.view();
  for (const auto& [place, space] : open_) {
    out.open_spaces.push_back(space);
    out.open_spaces.back().end = std::max(space.begin, out.time.end);
  }
  out.space_slices = freed_.view();
  out.space_slice_times = times_.view();
  for (const auto& [place, slice] : held_) {
    out.open_space_slices.push_back(slice);
    out.open_space_slices.back().end = std::max(slice.begin, out.time.end);
  }
}

void AddressSpaceTracker::forget(Nanoseconds keep) {
  const auto before = [keep](const auto& row) { return row.end < keep; };
  gone_.drop_front(gone_.view().partition_point(before));
  if (freed_.drop_front(freed_.view().partition_point(before)) == 0) return;
  times_ = {};
  for (size_t i = 0; i < freed_.size(); ++i) times_.add({freed_[i].begin, freed_[i].end});
}

size_t AddressSpaceTracker::bytes() const {
  return gone_.bytes() + freed_.bytes() + times_.bytes() + open_.size() * sizeof(Space) +
         held_.size() * sizeof(SpaceAllocation);
}

}  // namespace arenascope::trace
