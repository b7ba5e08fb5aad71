// SPDX-License-Identifier: MIT
#include "engine/audit/residencies.h"

#include <algorithm>
#include <set>

namespace arenascope::audit {

namespace {

// The gaps below the highest of the live rects and the bytes in use.
Bytes united(std::vector<std::pair<Bytes, Bytes>> live, std::vector<std::pair<Bytes, Bytes>>& gaps) {
  std::sort(live.begin(), live.end());
  Bytes used = 0, reached = 0;
  for (const auto& [low, high] : live) {
    if (low > reached) gaps.emplace_back(reached, low);
    if (high > reached) used += high - std::max(low, reached);
    reached = std::max(reached, high);
  }
  return used;
}

// The run of an arena entry that does not name one: the executor marks steps on the same
// thread, so it is the run of the nearest matching mark there. Without any, the run that was active at that
// time.
class RunOf {
 public:
  explicit RunOf(const Raw& raw) : raw_(raw) {
    for (const RawMark& mark : raw.marks) by_track_[mark.track].push_back(&mark);
  }
  int32_t operator()(const RawLive& live) const {
    if (live.run >= 0) return live.run;
    const auto it = by_track_.find(live.track);
    if (it != by_track_.end()) {
      const auto& marks = it->second;
      const auto after = std::partition_point(marks.begin(), marks.end(),
                                              [&](const RawMark* m) { return m->file_position < live.file_position; });
      const RawMark* next = after == marks.end() ? nullptr : *after;
      const RawMark* before = after == marks.begin() ? nullptr : *std::prev(after);
      if (live.begins) {  // marked right before or right after it; a run that has begun by then is the newer one
        const bool fits_next = next && next->step == live.step && within(*next, live);
        if (before && before->step == live.step && within(*before, live) && !(fits_next && next->run != before->run))
          return before->run;
        if (fits_next) return next->run;
      }
      if (before && within(*before, live)) return before->run;
      if (next && within(*next, live)) return next->run;
    }
    for (const auto& [id, run] : raw_.runs)
      if (lasts(run, live.time)) return id;
    return -1;
  }

 private:
  static bool lasts(const RawRun& run, Nanoseconds t) {
    return run.info.begin <= t && (!run.ended || t <= run.end.end);
  }
  bool within(const RawMark& mark, const RawLive& live) const {
    const auto run = raw_.runs.find(mark.run);
    return run != raw_.runs.end() && lasts(run->second, live.time);
  }
  const Raw& raw_;
  std::map<int32_t, std::vector<const RawMark*>> by_track_;
};

}  // namespace

Occupied occupied(const std::vector<ArenaRect>& rects) {
  Occupied out;
  std::set<int64_t> moments;
  for (const ArenaRect& p : rects) {
    if (p.end <= p.begin || p.bytes <= 0) continue;
    moments.insert(p.begin);
    moments.insert(p.end);
    out.top = std::max(out.top, p.offset + p.bytes);
  }
  std::vector<const ArenaRect*> by_begin;
  for (const ArenaRect& p : rects)
    if (p.end > p.begin && p.bytes > 0) by_begin.push_back(&p);
  std::sort(by_begin.begin(), by_begin.end(),
            [](const ArenaRect* a, const ArenaRect* b) { return a->begin < b->begin; });
  std::map<std::pair<Bytes, Bytes>, int64_t> open;  // holes, since when
  std::vector<const ArenaRect*> live;
  size_t next = 0;
  for (const int64_t t : moments) {
    std::erase_if(live, [&](const ArenaRect* p) { return p->end <= t; });
    for (; next < by_begin.size() && by_begin[next]->begin <= t; ++next) live.push_back(by_begin[next]);
    std::vector<std::pair<Bytes, Bytes>> used, gaps;
    for (const ArenaRect* p : live) used.emplace_back(p->offset, p->offset + p->bytes);
    const Bytes bytes = united(used, gaps);
    if (bytes > out.peak) out.peak = bytes, out.peak_at = t;
    Bytes unused = 0;
    for (const auto& [low, high] : gaps) unused += high - low;
    out.max_holes = std::max(out.max_holes, unused);
    for (auto h = open.begin(); h != open.end();) {
      if (std::find(gaps.begin(), gaps.end(), h->first) != gaps.end()) {
        ++h;
        continue;
      }
      out.holes.push_back({h->second, t, h->first.first, h->first.second});
      h = open.erase(h);
    }
    for (const auto& gap : gaps) open.try_emplace(gap, t);
  }
  return out;
}

std::vector<Residency> residencies_of(const Raw& raw, std::vector<RawLive>* orphans) {
  const RunOf run_of(raw);
  struct Entry {
    const RawLive* live;
    int32_t run;
  };
  std::vector<Entry> entries;
  for (const RawLive& live : raw.lives) entries.push_back({&live, run_of(live)});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.live->time < b.live->time; });
  std::vector<Residency> residencies;
  std::map<std::tuple<int32_t, trace::TensorRef, Bytes>, std::vector<size_t>> open;
  for (const auto& [live, run] : entries) {
    auto& same = open[{run, live->tensor, live->offset}];
    if (live->begins) {
      same.push_back(residencies.size());
      residencies.push_back(
          {live->tensor, run, live->time, live->time, live->step, live->step, live->offset, live->bytes});
      continue;
    }
    if (same.empty()) {
      if (orphans != nullptr) orphans->push_back(*live), orphans->back().run = run;
      continue;
    }
    Residency& residency = residencies[same.back()];
    same.pop_back();
    residency.end = live->time;
    residency.last = live->step;
    residency.ended = true;
  }
  for (Residency& residency : residencies) {
    if (residency.ended) continue;
    const auto run = raw.runs.find(residency.run);
    residency.end = run != raw.runs.end() && run->second.ended ? run->second.end.end : raw.end;
    residency.last = residency.first + 1;
    for (const RawMark& mark : raw.marks)
      if (mark.run == residency.run) residency.last = std::max(residency.last, mark.step + 1);
  }
  return residencies;
}

}  // namespace arenascope::audit
