// SPDX-License-Identifier: MIT
// The names of a Perfetto trace's rows, and its counters.
#include "engine/trace/perfetto_tracks.h"

namespace arenascope::trace {

std::string PerfettoTracks::process_name(int64_t process) const {
  const auto it = process_names_.find(process);
  return it == process_names_.end() ? "process " + std::to_string(process) : it->second;
}

std::string PerfettoTracks::thread_name(Thread thread) const {
  auto it = thread_names_.find(thread);
  if (it == thread_names_.end()) it = thread_names_.find({0, thread.thread});  // recorded without its process
  return it == thread_names_.end() ? "" : it->second;
}

std::string PerfettoTracks::name_of(const RowInfo& row) const {
  const auto& [process, thread] = row.owner;
  if (!row.name.empty()) {
    const auto renamed = process != 0 && thread == 0 ? renamed_.find(row.name) : renamed_.end();
    return renamed == renamed_.end() ? row.name : renamed->second;
  }
  if (row.own_track) {
    if (const std::string_view described = owner_name(row.uuid, thread == 0); !described.empty())
      return std::string(described);
    const std::string name = thread != 0 ? thread_name(row.owner) : "";
    if (!name.empty()) return name;
    if (thread == 0 && process_names_.contains(process)) return process_name(process);
  }
  if (!row.fallback.empty()) return row.fallback;
  return thread != 0 ? "thread " + std::to_string(thread) : process_name(process);
}

size_t PerfettoTracks::add(Row& row, ImportBuilder& builder) const {
  if (row.track != SIZE_MAX) return row.track;
  row.track = builder.track("row " + std::to_string(&row - rows_.data()));
  ThreadInfo& info = builder.info(row.track);
  info.process = row.info.owner.process;
  info.thread = row.info.owner.thread;
  info.kind = row.info.own_track && info.thread != 0 ? TrackKind::Worker : TrackKind::Other;
  return row.track;
}

void PerfettoTracks::name_rows(ImportBuilder& builder) const {
  for (const Row& row : rows_) {
    if (row.track == SIZE_MAX) continue;
    ThreadInfo& info = builder.info(row.track);
    info.name = name_of(row.info);
    if (row.info.owner.process == 0) continue;
    const std::string_view described = owner_name(row.info.uuid, true);
    const auto process = process_names_.find(row.info.owner.process);
    info.program = !described.empty() ? described : process == process_names_.end() ? "process" : process->second;
  }
}

double PerfettoTracks::counter_value(uint64_t uuid, double value, std::unordered_map<uint64_t, double>& sums) const {
  const auto it = tracks_.find(uuid);
  if (it == tracks_.end()) return value;
  if (it->second.multiplier > 0) value *= static_cast<double>(it->second.multiplier);
  return it->second.incremental ? sums[uuid] += value : value;
}

std::pair<CounterId, size_t> PerfettoTracks::counter(uint64_t uuid, ImportBuilder& builder) {
  Track& track = tracks_[uuid];
  const Thread of = owner(uuid);
  if (track.row == SIZE_MAX) {
    const std::string name = track.name.empty() ? "counter " + std::to_string(uuid) : track.name;
    track.row = add_row({name, {}, of, false, uuid});
  }
  Row& row = rows_[track.row];
  add(row, builder);
  if (!track.counter_id) {
    // Counters of one name are distinguished by their thread or process, or by their track.
    std::string name = name_of(row.info);
    if (!counter_names_.try_emplace(name, uuid).second && of.process != 0)
      name += " of " + (of.thread != 0 && !thread_name(of).empty() ? thread_name(of) : process_name(of.process));
    if (counter_names_.try_emplace(name, uuid).first->second != uuid) name += " (track " + std::to_string(uuid) + ")";
    track.counter_id = builder.counter(name, track.unit);
  }
  return {*track.counter_id, row.track};
}

}  // namespace arenascope::trace
