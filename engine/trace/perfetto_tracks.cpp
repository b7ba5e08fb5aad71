// SPDX-License-Identifier: MIT
// Field numbers are from track_descriptor.proto, thread_descriptor.proto, process_descriptor.proto and process_tree.proto.
#include "engine/trace/perfetto_tracks.h"

#include <array>

namespace arenascope::trace {

namespace {

constexpr int kMaxParents = 100;

int64_t as_int(const WireReader& in) { return static_cast<int64_t>(in.number); }

std::string_view text_field(ByteSpan message, uint32_t field) {
  std::string_view text;
  WireReader in(message);
  while (in.next())
    if (in.field == field && in.type == WireType::Bytes) text = in.text();
  return text;
}

}  // namespace

std::optional<PerfettoTracks::Thread> PerfettoTracks::thread_descriptor(ByteSpan message) {
  Thread t;
  std::string_view name;
  bool has_thread = false;
  WireReader in(message);
  while (in.next()) {
    if (in.field == 1 && in.type == WireType::Varint) t.process = static_cast<int32_t>(in.number);
    if (in.field == 2 && in.type == WireType::Varint) t.thread = as_int(in), has_thread = true;
    if (in.field == 5 && in.type == WireType::Bytes) name = in.text();
  }
  if (!has_thread) return std::nullopt;
  name_thread(t, name);
  return t;
}

void PerfettoTracks::process_descriptor(ByteSpan message) {
  int64_t process = 0;
  std::string_view name, command;
  WireReader in(message);
  while (in.next()) {
    if (in.field == 1 && in.type == WireType::Varint) process = static_cast<int32_t>(in.number);
    if (in.type != WireType::Bytes) continue;
    if (in.field == 6) name = in.text();
    if (in.field == 2 && command.empty()) command = in.text();
  }
  name_process(process, name.empty() ? command : name);
}

void PerfettoTracks::process_tree(ByteSpan message) {
  WireReader in(message);
  while (in.next()) {
    if ((in.field != 1 && in.field != 2) || in.type != WireType::Bytes) continue;
    const bool is_process = in.field == 1;
    int64_t id = 0, process = 0;
    std::string_view name;
    WireReader entry(in.payload);
    while (entry.next()) {
      if (entry.field == 1 && entry.type == WireType::Varint) id = static_cast<int32_t>(entry.number);
      if (entry.field == 3 && entry.type == WireType::Varint) process = static_cast<int32_t>(entry.number);
      if (entry.field == (is_process ? 3u : 2u) && entry.type == WireType::Bytes && name.empty()) name = entry.text();
    }
    if (is_process)
      name_process(id, name);
    else
      name_thread({process, id}, name);
  }
}

void PerfettoTracks::name_process(int64_t process, std::string_view name) {
  if (!name.empty()) process_names_[process] = name;
}

void PerfettoTracks::name_thread(Thread thread, std::string_view name) {
  if (!name.empty()) thread_names_[thread] = name;
}

void PerfettoTracks::read_counter(ByteSpan message, Track& track) {
  constexpr std::array<const char*, 4> kUnits{"", "ns", "count", "bytes"};
  constexpr std::array<const char*, 3> kTypes{"", "thread_time", "thread_instruction_count"};
  track.counter = true;
  uint64_t type = 0;
  WireReader in(message);
  while (in.next()) {
    if (in.field == 6 && in.type == WireType::Bytes && track.unit.empty()) track.unit = in.text();
    if (in.type != WireType::Varint) continue;
    if (in.field == 1) type = in.number;
    if (in.field == 3 && in.number > 0 && in.number < kUnits.size()) track.unit = kUnits[in.number];
    if (in.field == 4) track.multiplier = as_int(in);
    if (in.field == 5) track.incremental = in.number != 0;
  }
  if (type == 0 || type >= kTypes.size()) return;
  track.unit = kUnits[type];
  if (track.name.empty()) track.name = kTypes[type];
}

std::optional<PerfettoTracks::Thread> PerfettoTracks::describe(ByteSpan message) {
  Track t;
  uint64_t uuid = 0;
  ByteSpan counter;
  bool has_counter = false;
  WireReader in(message);
  while (in.next()) {
    if (in.type == WireType::Varint) {
      if (in.field == 1) uuid = in.number;
      if (in.field == 5) t.parent = in.number;
      if (in.field == 15 && in.number >= 2) t.merge = in.number == 2 ? Merge::None : Merge::ByKey;
      if (in.field == 17) t.merge_key = std::to_string(in.number);
    }
    if (in.type != WireType::Bytes) continue;
    if (in.field == 2 || in.field == 10 || in.field == 13) t.name = in.text();
    if (in.field == 16) t.merge_key = in.text();
    if (in.field == 4) {
      t.thread = thread_descriptor(in.payload);
      t.owner_name = text_field(in.payload, 5);
    }
    if (in.field == 8) counter = in.payload, has_counter = true;
    if (in.field == 3) {
      process_descriptor(in.payload);
      if (!t.thread) t.owner_name = text_field(in.payload, 6);
      WireReader process(in.payload);
      while (process.next())
        if (process.field == 1 && process.type == WireType::Varint) t.process = static_cast<int32_t>(process.number);
    }
  }
  if (has_counter) read_counter(counter, t);
  const auto [it, fresh] = tracks_.try_emplace(uuid, t);
  // A track keeps its identity. Its name may come later, and that of a row of its own may change.
  if (!t.owner_name.empty()) it->second.owner_name = t.owner_name;
  if (!fresh && !t.name.empty() && (it->second.name.empty() || t.merge == Merge::None)) it->second.name = t.name;
  return t.thread;
}

// The name that the descriptor of the track's thread, or of its process, has; "" if there is none. Identifiers are used
// again, so that this name may differ from the last one of that identifier.
std::string_view PerfettoTracks::owner_name(uint64_t uuid, bool process) const {
  for (int i = 0; i < kMaxParents && uuid != 0; ++i) {
    const auto it = tracks_.find(uuid);
    if (it == tracks_.end()) break;
    if (process ? it->second.process.has_value() : it->second.thread.has_value()) return it->second.owner_name;
    uuid = it->second.parent;
  }
  return {};
}

// The process and thread of a track: its own, or those of its parents. A track of a process has thread 0.
PerfettoTracks::Thread PerfettoTracks::owner(uint64_t uuid) const {
  for (int i = 0; i < kMaxParents && uuid != 0; ++i) {
    const auto it = tracks_.find(uuid);
    if (it == tracks_.end()) break;
    if (it->second.thread) return *it->second.thread;
    if (it->second.process) return {*it->second.process, 0};
    uuid = it->second.parent;
  }
  return {};
}

uint64_t PerfettoTracks::thread_counter(Thread thread, const char* name, const char* unit) {
  const auto [it, fresh] = thread_counters_.try_emplace({thread, name}, UINT64_MAX - thread_counters_.size());
  if (fresh) {
    Track& track = tracks_[it->second];
    track.name = name;
    track.unit = unit;
    track.thread = thread;
    track.counter = true;
  }
  return it->second;
}

size_t PerfettoTracks::add_row(RowInfo info) {
  rows_.emplace_back().info = std::move(info);
  return rows_.size() - 1;
}

size_t PerfettoTracks::row_set(const std::string& key, const RowInfo& model) {
  const auto [it, fresh] = row_set_of_.try_emplace(key, row_sets_.size());
  if (fresh) row_sets_.push_back({model, {}, {}, {}});
  return it->second;
}

size_t PerfettoTracks::row_in(RowSet& set, uint64_t id, PerfettoUse use) {
  auto known = set.lane_of.find(id);
  if (known == set.lane_of.end()) {
    size_t lane = set.lanes.size();
    if (set.free.empty()) {
      set.lanes.push_back({id, 0, add_row(set.model)});
    } else {
      lane = *set.free.begin();
      set.lane_of.erase(set.lanes[lane].id);
      set.lanes[lane].id = id;
    }
    known = set.lane_of.emplace(id, lane).first;
  }
  RowSet::Lane& lane = set.lanes[known->second];
  if (use == PerfettoUse::Begin) ++lane.open;
  if (use == PerfettoUse::End && lane.open > 0) --lane.open;
  if (lane.open == 0)
    set.free.insert(known->second);
  else
    set.free.erase(known->second);
  return lane.row;
}

// Decides on first use where the events of a track are shown.
void PerfettoTracks::assign_row(uint64_t uuid, Track& track, std::string_view event_name) {
  const Thread owned_by = owner(uuid);
  if (track.thread) {
    const auto [it, fresh] = thread_rows_.try_emplace(owned_by);
    // With a track already, the thread's id was used again, for another thread.
    if (fresh || it->second.described) it->second.row = add_row({{}, track.name, owned_by, true, uuid});
    it->second.described = true;
    track.row = it->second.row;
    return;
  }
  if (track.process) {
    track.row = add_row({{}, track.name, owned_by, true, uuid});
    return;
  }
  const RowInfo model{track.name.empty() ? std::string(event_name) : track.name, "track " + std::to_string(uuid),
                      owned_by, false, uuid};
  if (track.merge == Merge::None) {
    track.row = add_row(model);
    return;
  }
  track.row_set = row_set("track\x1f" + std::to_string(track.parent) + '\x1f' + '\x1f' +
                              (track.merge == Merge::ByKey ? "key " + track.merge_key : "name " + model.name),
                          model);
}

PerfettoTracks::Row& PerfettoTracks::row(uint64_t uuid, PerfettoUse use, std::string_view event_name) {
  Track& track = tracks_[uuid];
  if (uuid == 0 && track.name.empty()) track.name = "Default Track";
  if (track.row == SIZE_MAX && track.row_set == SIZE_MAX) assign_row(uuid, track, event_name);
  return rows_[track.row != SIZE_MAX ? track.row : row_in(row_sets_[track.row_set], uuid, use)];
}

PerfettoTracks::Row& PerfettoTracks::row(Thread thread) {
  const auto [it, fresh] = thread_rows_.try_emplace(thread);
  if (fresh) it->second.row = add_row({{}, thread == Thread{} ? "global events" : "", thread, true});
  return rows_[it->second.row];
}

PerfettoTracks::Row& PerfettoTracks::row(const std::string& scope, int64_t process, uint64_t id, PerfettoUse use,
                                         std::string_view event_name) {
  const std::string& name = async_names_.try_emplace({process, id}, event_name).first->second;
  const size_t set = row_set("id\x1f" + std::to_string(process) + '\x1f' + scope + '\x1f' + name,
                             {name, "asynchronous " + scope, {process, 0}});
  return rows_[row_in(row_sets_[set], id, use)];
}

}  // namespace arenascope::trace
