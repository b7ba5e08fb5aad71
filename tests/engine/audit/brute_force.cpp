// SPDX-License-Identifier: MIT
#include "tests/engine/audit/brute_force.h"

#include <algorithm>
#include <optional>
#include <set>

namespace arenascope::test {

using namespace trace;

namespace {

struct Known {
  std::map<int32_t, RunInfo> runs;
  std::map<int32_t, RunEnd> ends;
  std::map<int32_t, std::shared_ptr<const PlanInfo>> plans;
  std::map<int32_t, TrackId> first_thread;  // thread of a run on which its steps are marked
  std::set<int32_t> losers;                 // runs that went on while events were lost
  Nanoseconds begin = INT64_MAX, end = INT64_MIN;
  int64_t events = 0, lost = 0;

  explicit Known(const Stream& stream) {
    for (const Entry& entry : stream.entries) {
      if (!entry.description) continue;
      const Description* d = &*entry.description;
      if (std::holds_alternative<Loss>(*d)) {
        for (const auto& [run, info] : runs)
          if (!ends.contains(run)) losers.insert(run);
        if (!runs.empty() && ends.size() == runs.size()) losers.insert(runs.rbegin()->first);
      }
      if (const auto* run = std::get_if<RunInfo>(d)) runs[run->id.value] = *run;
      if (const auto* run_end = std::get_if<RunEnd>(d)) ends[run_end->id.value] = *run_end;
      if (const auto* loss = std::get_if<Loss>(d)) lost += loss->count;
      if (const auto* plan = std::get_if<std::shared_ptr<const PlanInfo>>(d)) plans[(*plan)->id.value] = *plan;
    }
    for (const auto& [id, run] : runs) begin = std::min(begin, run.begin), end = std::max(end, run.begin);
    for (const auto& [id, run] : ends) end = std::max(end, run.end);
    stream.each([&](TrackId track, const Event& e) {
      begin = std::min(begin, e.begin());
      end = std::max(end, e.end());
      ++events;
      if (e.kind() == EventKind::Step) first_thread[e.run().value] = track;
    });
  }
  Nanoseconds end_of(const Stream& stream, int32_t run) const {
    if (const auto it = ends.find(run); it != ends.end()) return it->second.end;
    Nanoseconds last = runs.at(run).begin;
    stream.each([&](TrackId, const Event& e) {
      const bool of_run = e.kind() == EventKind::Work || e.kind() == EventKind::Wait || e.kind() == EventKind::Step;
      if (of_run && e.run().value == run) last = std::max(last, e.end());
    });
    return last;
  }
};

using Figures = std::map<std::string, double>;

void count_memory(const Stream& stream, const Known& known, Figures& out) {
  std::map<std::string, double> most;
  std::map<std::string, Nanoseconds> at;
  for (Nanoseconds t = known.begin; t <= known.end; ++t) {
    std::map<std::string, double> now;
    stream.each([&](TrackId, const Event& e) {
      if (e.time > t || (e.kind() != EventKind::Alloc && e.kind() != EventKind::Free)) return;
      const double bytes = e.kind() == EventKind::Alloc ? static_cast<double>(e.b) : -static_cast<double>(e.b);
      now["memory.active"] += bytes;
      now["kind." + std::string(kMemoryKindNames[static_cast<size_t>(e.memory_kind())]) + ".active"] += bytes;
    });
    for (const auto& [id, bytes] : now) {
      const auto [it, fresh] = most.try_emplace(id, 0);
      if (fresh && bytes <= 0) at[id] = t;
      if (bytes > it->second) it->second = bytes, at[id] = t;
      out[id + ".end"] = bytes;
    }
  }
  for (const auto& [id, bytes] : most) {
    out[id + ".peak"] = bytes;
    out[id + ".peak_at"] = static_cast<double>(at[id] - known.begin);
  }
}

// Counts the arena in units of 16 bytes at every event of the run, from the tensors that are live then.
void count_arena(const Stream& stream, const Known& known, int32_t run, Figures& out) {
  const auto thread = known.first_thread.find(run);
  if (thread == known.first_thread.end()) return;
  const Nanoseconds begin = known.runs.at(run).begin, end = known.end_of(stream, run);
  double most = 0;
  Nanoseconds at = begin;
  double max_unused = 0;
  for (Nanoseconds t = begin; t <= end; ++t) {
    std::set<int64_t> pieces;
    int64_t top = 0;
    stream.each([&](TrackId track, const Event& live) {
      if (live.run().value != run || live.kind() != EventKind::SliceLive || live.time < begin || live.time > t) return;
      bool gone = false;
      stream.each([&](TrackId other, const Event& dead) {
        if (other == track && dead.kind() == EventKind::SliceDead && dead.run() == live.run() && dead.id == live.id &&
            dead.time >= live.time && dead.time <= t)
          gone = true;
      });
      const int64_t low = live.slice_offset() / 16, high = (live.slice_offset() + live.slice_bytes()) / 16;
      for (int64_t piece = low; !gone && piece < high; ++piece) pieces.insert(piece);
      if (!gone) top = std::max(top, high);
    });
    const double bytes = 16.0 * static_cast<double>(pieces.size());
    if (bytes > most) most = bytes, at = t;
    max_unused = std::max(max_unused, 16.0 * static_cast<double>(top) - bytes);
  }
  if (most == 0) return;
  const std::string id = "run." + std::to_string(run) + ".arena";
  out[id + ".peak"] = most;
  out[id + ".peak_at"] = static_cast<double>(at - known.begin);
  out[id + ".max_holes"] = max_unused;
}

void count_threads(const Stream& stream, const Known& known, Figures& out) {
  std::map<TrackId, std::array<double, 3>> whole;  // busy, waiting, of
  for (const auto& [run, info] : known.runs) {
    const Nanoseconds end = known.end_of(stream, run);
    out["run." + std::to_string(run) + ".wall"] = static_cast<double>(end - info.begin);
    std::map<TrackId, std::array<double, 2>> did;
    std::set<TrackId> took_part;
    for (Nanoseconds t = info.begin; t < end; ++t) {
      std::map<TrackId, std::array<bool, 2>> now;
      stream.each([&](TrackId track, const Event& e) {
        if ((e.kind() != EventKind::Work && e.kind() != EventKind::Wait) || e.run().value != run) return;
        took_part.insert(track);
        if (e.begin() <= t && t < e.end()) now[track][e.kind() == EventKind::Work ? 0 : 1] = true;
      });
      for (const auto& [track, what] : now)
        for (size_t i = 0; i < 2; ++i) did[track][i] += what[i] ? 1 : 0;
    }
    const auto length = static_cast<double>(end - info.begin);
    for (const TrackId track : took_part) {
      const std::string id = "run." + std::to_string(run) + ".thread." + std::to_string(track.value);
      out[id + ".busy_share"] = did[track][0] / length;
      out[id + ".wait_share"] = did[track][1] / length;
      for (size_t i = 0; i < 2; ++i) whole[track][i] += did[track][i];
      whole[track][2] += length;
    }
  }
  for (const auto& [track, sums] : whole) {
    const std::string id = "thread." + std::to_string(track.value);
    out[id + ".busy_share"] = sums[0] / sums[2];
    out[id + ".wait_share"] = sums[1] / sums[2];
  }
}

void count_node(const Stream& stream, const Known& known, int32_t graph, int32_t node, Figures& out) {
  struct One {
    Nanoseconds begin = INT64_MAX, end = INT64_MIN;
    double busy = 0, wait = 0, parts = 0;
    bool whole = false, cold = false;
  };
  std::vector<One> runs;
  bool whole_warm = false, whole_cold = false;  // whether the graph has such a run
  std::set<int32_t> plans;
  for (const auto& [run, info] : known.runs) {
    if (info.graph.value != graph) continue;
    One one;
    const auto end = known.ends.find(run);
    one.whole = end != known.ends.end() && end->second.status == RunStatus::Done && !known.losers.contains(run);
    one.cold = plans.insert(info.plan.value).second;
    (one.cold ? whole_cold : whole_warm) |= one.whole;
    stream.each([&](TrackId, const Event& e) {
      if ((e.kind() != EventKind::Work && e.kind() != EventKind::Wait) || e.run().value != run ||
          e.node().value != node)
        return;
      const auto took = static_cast<double>(e.end() - e.begin());
      if (e.kind() == EventKind::Wait) {
        one.wait += took;
        return;
      }
      one.begin = std::min(one.begin, e.begin());
      one.end = std::max(one.end, e.end());
      one.busy += took;
      ++one.parts;
    });
    if (one.parts > 0) runs.push_back(one);
  }
  if (runs.empty()) return;
  const std::string id = "node." + std::to_string(graph) + "." + std::to_string(node);
  out[id + ".runs"] = static_cast<double>(runs.size());
  if (runs[0].cold) out[id + ".cold_wall"] = static_cast<double>(runs[0].end - runs[0].begin);
  double parts = 0;
  for (const One& one : runs) parts += one.parts;
  out[id + ".parts"] = parts;
  std::erase_if(runs, [&](const One& one) {
    return whole_warm ? !one.whole || one.cold : whole_cold ? !one.whole || !one.cold : one.whole;
  });
  if (runs.empty()) return;
  std::vector<Nanoseconds> walls;
  double busy = 0, wait = 0;
  for (const One& one : runs) {
    walls.push_back(one.end - one.begin);
    busy += one.busy;
    wait += one.wait;
  }
  std::sort(walls.begin(), walls.end());
  const size_t n = walls.size();
  out[id + ".median_wall"] =
      static_cast<double>(n % 2 == 1 ? walls[n / 2] : walls[n / 2 - 1] + (walls[n / 2] - walls[n / 2 - 1]) / 2);
  out[id + ".busy"] = busy / static_cast<double>(n);
  out[id + ".wait"] = wait / static_cast<double>(n);
  out[id + ".longest_wall"] = static_cast<double>(walls.back());
}

}  // namespace

std::map<std::string, double> brute_force(const Stream& stream) {
  const Known known(stream);
  Figures out;
  out["recording.events"] = static_cast<double>(known.events);
  out["recording.lost_events"] = static_cast<double>(known.lost);
  if (known.events == 0) return out;
  out["recording.length"] = static_cast<double>(known.end - known.begin);
  count_memory(stream, known, out);
  count_threads(stream, known, out);
  for (const auto& [run, info] : known.runs) count_arena(stream, known, run, out);
  for (const auto& [id, plan] : known.plans)
    for (size_t node = 0; node < plan->order.size(); ++node)
      count_node(stream, known, plan->graph.value, static_cast<int32_t>(node), out);
  return out;
}

}  // namespace arenascope::test
