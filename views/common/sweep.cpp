// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/sweep.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace arenascope::views {

namespace {

constexpr size_t kMaxSlices = 300000;

struct Edge {
  double x = 0;
  uint32_t rect = 0;
  bool begins = false;
};

using Interval = std::pair<Bytes, Bytes>;

// The union of the live intervals: its size, and its gaps.
Bytes unite(const std::map<Interval, int>& live, std::vector<Interval>* gaps) {
  Bytes used = 0, reached = 0;
  bool first = true;
  for (const auto& [interval, count] : live) {
    const auto [lo, hi] = interval;
    if (first || lo > reached) {
      if (gaps && lo > reached) gaps->emplace_back(reached, lo);  // including the one below the first interval
      used += hi - lo;
      reached = hi;
      first = false;
    } else if (hi > reached) {
      used += hi - reached;
      reached = hi;
    }
  }
  return used;
}

}  // namespace

SweepResult sweep(std::vector<LiveRect> rects, bool holes, const std::stop_token& stop) {
  SweepResult result;
  std::vector<Edge> edges;
  edges.reserve(rects.size() * 2);
  for (uint32_t i = 0; i < rects.size(); ++i) {
    const LiveRect& s = rects[i];
    if (!(s.x1 > s.x0) || s.hi <= s.lo) continue;
    edges.push_back({s.x0, i, true});
    edges.push_back({s.x1, i, false});
    result.top = std::max(result.top, s.hi);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.x < b.x; });
  std::map<Interval, int> live;
  std::map<Interval, double> open;  // open holes and their start
  std::vector<Interval> gaps;
  for (size_t i = 0; i < edges.size();) {
    if ((i & 1023) < 2 && stop.stop_requested()) return {};
    const double x = edges[i].x;
    for (; i < edges.size() && edges[i].x == x; ++i) {
      const LiveRect& s = rects[edges[i].rect];
      const auto at = live.try_emplace({s.lo, s.hi}, 0).first;
      at->second += edges[i].begins ? 1 : -1;
    }
    std::erase_if(live, [](const auto& entry) { return entry.second <= 0; });
    const double next = i < edges.size() ? edges[i].x : x;
    gaps.clear();
    const auto used = static_cast<double>(unite(live, holes ? &gaps : nullptr));
    if (next > x && used > 0) {
      if (!result.live.empty() && result.live.back().x1 == x && result.live.back().max == used) {
        result.live.back().x1 = next;
      } else {
        result.live.push_back({x, next, used, used});
      }
    }
    if (!holes) continue;
    for (auto h = open.begin(); h != open.end();) {
      if (std::find(gaps.begin(), gaps.end(), h->first) == gaps.end()) {
        result.holes.push_back({h->second, x, h->first.first, h->first.second});
        h = open.erase(h);
      } else {
        ++h;
      }
    }
    for (const Interval& gap : gaps) open.try_emplace(gap, x);
  }
  return result;
}

std::vector<CurveSegment> reduced(const std::vector<CurveSegment>& levels, AxisRange range, int pixels) {
  if (pixels <= 0 || !(range.length() > 0)) return {};
  const double per_pixel = range.length() / pixels;
  std::vector<CurveSegment> out;
  CurveSegment column;
  int64_t at = INT64_MIN;  // the column being filled
  double filled = 0;       // the filled width of it
  const auto close = [&] {
    if (at == INT64_MIN) return;
    if (filled < per_pixel * 0.5) column.min = 0;
    out.push_back(column);
    at = INT64_MIN;
  };
  for (const CurveSegment& l : levels) {
    if (l.x1 <= range.lo || l.x0 >= range.hi) continue;
    const auto first = static_cast<int64_t>(std::floor((l.x0 - range.lo) / per_pixel));
    const auto last = static_cast<int64_t>(std::floor((l.x1 - range.lo) / per_pixel));
    if (last - first >= 2) {  // wide enough to be kept unchanged
      close();
      out.push_back(l);
      continue;
    }
    if (first != at) {
      close();
      at = first;
      filled = 0;
      column = {range.lo + static_cast<double>(first) * per_pixel,
                range.lo + static_cast<double>(first + 1) * per_pixel, l.min, l.max};
      if (!out.empty()) column.x0 = std::max(column.x0, out.back().x1);
    }
    column.min = std::min(column.min, l.min);
    column.max = std::max(column.max, l.max);
    column.x1 = std::max(column.x1, l.x1);
    filled += l.x1 - l.x0;
  }
  close();
  return out;
}

std::vector<LiveRect> planned_rects(const trace::PlanInfo& plan, const AxisFrame& axis) {
  std::vector<LiveRect> rects;
  rects.reserve(plan.slices.size());
  for (const trace::SliceInfo& s : plan.slices) {
    rects.push_back({axis.x_of_step(s.first.value), axis.x_of_step(s.last.value), s.offset, s.offset + s.size});
  }
  return rects;
}

SeenSlices seen_slices(const trace::Snapshot& snapshot, trace::RunId run, const AxisFrame& axis) {
  SeenSlices seen;
  trace::TimeRange t = axis.time_range();
  if (axis.mode == AxisMode::Step) {
    const trace::Run* r = snapshot.run(run);
    if (!r) return seen;
    t = {r->info.begin, std::max(r->end, r->info.begin) + 1};
    if (!r->finished) t.end = std::max(t.end, snapshot.time.end + 1);
  }
  if (t.end <= t.begin) return seen;
  seen.slices = snapshot.slices_in(t.begin, t.end, kMaxSlices);
  seen.complete = seen.slices.size() < kMaxSlices;
  if (axis.mode == AxisMode::Step) {
    std::erase_if(seen.slices, [&](const trace::ArenaAllocation& s) { return s.run != run; });
  }
  return seen;
}

std::optional<ArenaShape> arena_shape(const trace::Snapshot& snapshot, trace::RunId run, const trace::PlanInfo* plan,
                                      bool only_plan, const AxisFrame& axis, const std::stop_token& stop) {
  AxisFrame steps = axis;
  steps.mode = AxisMode::Step;
  steps.align = nullptr;
  std::vector<LiveRect> rects;
  if (!only_plan && run.valid()) {
    const SeenSlices seen = seen_slices(snapshot, run, steps);
    if (seen.complete)
      for (const trace::ArenaAllocation& s : seen.slices) rects.push_back(live_rect_of(s, steps));
  }
  const bool planned = rects.empty();
  if (planned && plan) rects = planned_rects(*plan, steps);
  if (rects.empty()) return std::nullopt;
  const SweepResult swept = sweep(std::move(rects), true, stop);
  ArenaShape shape;
  shape.planned = planned;
  for (const CurveSegment& l : swept.live) {
    if (l.max <= static_cast<double>(shape.peak)) continue;
    shape.peak = static_cast<Bytes>(l.max);
    shape.peak_step = Step(static_cast<int32_t>(l.x0));
    shape.peak_x = (axis.x_of_step(l.x0) + axis.x_of_step(l.x1)) / 2;
  }
  shape.max_hole_bytes = max_bytes_in_holes(swept.holes);
  return shape;
}

Bytes max_bytes_in_holes(const std::vector<LiveRect>& holes) {
  std::vector<std::pair<double, Bytes>> change;
  for (const LiveRect& h : holes) {
    change.emplace_back(h.x0, h.hi - h.lo);
    change.emplace_back(h.x1, h.lo - h.hi);
  }
  std::sort(change.begin(), change.end());  // at equal x, ends come first
  Bytes now = 0, most = 0;
  for (const auto& [x, bytes] : change) most = std::max(most, now += bytes);
  return most;
}

LiveRect live_rect_of(const trace::ArenaAllocation& s, const AxisFrame& axis) {
  if (axis.mode == AxisMode::Step) {
    return {axis.x_of_step(s.first.value), axis.x_of_step(s.last.value), s.offset, s.offset + s.bytes};
  }
  return {axis.x_of_time(s.begin), axis.x_of_time(s.end), s.offset, s.offset + s.bytes};
}

}  // namespace arenascope::views
