// SPDX-License-Identifier: MIT
// Prepares data for a given width in pixels: the cells of a timeline row and the points of a curve.
#include <arenascope/trace/snapshot.h>
#include "engine/trace/saturate.h"

#include <algorithm>
#include <map>

namespace arenascope::trace {

namespace {

// Maps times in [t0, t1) to pixels and back.
struct Pixels {
  Nanoseconds t0, t1;
  int count;
  int of(Nanoseconds t) const {
    const double p = static_cast<double>(t - t0) / static_cast<double>(t1 - t0) * count;
    return std::clamp(static_cast<int>(p), 0, count - 1);
  }
  Nanoseconds begin(int pixel) const {
    return t0 + static_cast<Nanoseconds>(static_cast<double>(t1 - t0) * pixel / count);
  }
};

}  // namespace

std::vector<SpanCell> Snapshot::spans(TrackId track, Nanoseconds t0, Nanoseconds t1, int pixels) const {
  std::vector<SpanCell> cells;
  if (!track.valid() || track.index() >= tracks.size() || t1 <= t0 || pixels <= 0) return cells;
  const TrackView& view = tracks[track.index()];
  const Pixels px{t0, t1, pixels};
  std::vector<SpanSummary> dense;  // merged spans, per pixel
  for (uint32_t lane = 0; lane < view.lanes.size(); ++lane) {
    const LaneView& l = view.lanes[lane];
    const size_t first = cells.size();
    dense.assign(static_cast<size_t>(pixels), SpanSummary{});
    l.tree.visit(
        [&](const SpanSummary& s, size_t, size_t) {
          if (s.lo >= t1 || s.hi <= t0) return false;
          const int pixel = px.of(s.lo);
          if (s.lo < t0 || s.hi > t1 || pixel != px.of(s.hi)) return true;
          dense[static_cast<size_t>(pixel)].add(s);
          return false;
        },
        [&](size_t row) {
          const Event& e = l.rows[row];
          if (e.begin() >= t1 || (e.end() <= t0 && e.begin() < t0)) return;
          const int pixel = px.of(e.begin());
          const EventKind kind = e.kind();
          if (e.begin() < t0 || e.end() > t1 || pixel != px.of(e.end())) {
            SpanCell cell{e.begin(), e.end(), 1, {track, lane, static_cast<uint32_t>(row)}, kind};
            (kind == EventKind::Work ? cell.work : kind == EventKind::Wait ? cell.wait : cell.other) = 1;
            return cells.push_back(cell);
          }
          dense[static_cast<size_t>(pixel)].add(SpanSummary::of(e, static_cast<uint32_t>(row)));
        });
    for (const SpanSummary& s : dense) {
      if (s.count == 0) continue;
      SpanCell cell{s.lo, s.hi, s.count, {track, lane, s.longest_row}, l.rows[s.longest_row].kind()};
      const auto length = static_cast<float>(std::max<Nanoseconds>(s.hi - s.lo, 1));
      cell.work = std::min(1.0f, static_cast<float>(s.work) / length);
      cell.wait = std::min(1.0f, static_cast<float>(s.wait) / length);
      cell.other = std::min(1.0f, static_cast<float>(s.other) / length);
      if (s.count == 1 && s.lo == s.hi) {
        (cell.kind == EventKind::Work ? cell.work : cell.kind == EventKind::Wait ? cell.wait : cell.other) = 1;
      }
      cells.push_back(cell);
    }
    std::sort(cells.begin() + static_cast<ptrdiff_t>(first), cells.end(),
              [](const SpanCell& x, const SpanCell& y) { return x.begin < y.begin; });
  }
  return cells;
}

void SampleSummary::add(const SampleSummary& o) {
  if (!o.any) return;
  lo = std::min(lo, o.lo);
  hi = std::max(hi, o.hi);
  min = any ? std::min(min, o.min) : o.min;
  max = any ? std::max(max, o.max) : o.max;
  last = o.last;
  any = true;
}

double SeriesView::at(Nanoseconds t) const {
  const size_t next = samples.partition_point([&](const Sample& s) { return s.time <= t; });
  return next == 0 ? 0 : samples[next - 1].value;
}

std::optional<Sample> SeriesView::highest(Nanoseconds t0, Nanoseconds t1) const {
  std::optional<Sample> most;
  const size_t next = samples.partition_point([&](const Sample& s) { return s.time <= t0; });
  if (next > 0) most = Sample{t0, samples[next - 1].value};
  tree.visit(
      [&](const SampleSummary& s, size_t, size_t) { return s.lo < t1 && s.hi > t0 && (!most || s.max > most->value); },
      [&](size_t row) {
        const Sample& s = samples[row];
        if (s.time > t0 && s.time < t1 && (!most || s.value > most->value)) most = s;
      });
  return most;
}

std::vector<CurvePoint> SeriesView::curve(Nanoseconds t0, Nanoseconds t1, int pixels) const {
  std::vector<CurvePoint> points;
  if (t1 <= t0 || pixels <= 0) return points;
  const Pixels px{t0, t1, pixels};
  std::vector<SampleSummary> by_pixel(static_cast<size_t>(pixels));
  tree.visit(
      [&](const SampleSummary& s, size_t, size_t) {
        if (s.lo >= t1 || s.hi < t0) return false;
        const int pixel = px.of(s.lo);
        if (s.lo < t0 || s.hi >= t1 || pixel != px.of(s.hi)) return true;
        by_pixel[static_cast<size_t>(pixel)].add(s);
        return false;
      },
      [&](size_t row) {
        const Sample& s = samples[row];
        if (s.time < t0 || s.time >= t1) return;
        by_pixel[static_cast<size_t>(px.of(s.time))].add({s.time, s.time, s.value, s.value, s.value, true});
      });
  const size_t before = samples.partition_point([&](const Sample& s) { return s.time < t0; });
  double value = before == 0 ? 0 : samples[before - 1].value;
  points.reserve(by_pixel.size());
  for (int p = 0; p < pixels; ++p) {
    const SampleSummary& s = by_pixel[static_cast<size_t>(p)];
    CurvePoint point{px.begin(p), px.begin(p + 1), value, value, value};
    if (s.any) {
      const bool from_start = s.lo <= point.begin;  // then the previous value is not visible in this pixel
      point.min = from_start ? s.min : std::min(value, s.min);
      point.max = from_start ? s.max : std::max(value, s.max);
      point.last = value = s.last;
    }
    points.push_back(point);
  }
  return points;
}

Bytes Snapshot::peak(MemoryKind kind, MemoryCount count) const {
  const SeriesView& s = series(kind, count);
  double most = 0;
  s.tree.visit(
      [&](const SampleSummary& summary, size_t, size_t) {
        most = std::max(most, summary.max);
        return false;
      },
      [&](size_t row) { most = std::max(most, s.samples[row].value); });
  return static_cast<Bytes>(most);
}

std::vector<Bytes> Snapshot::memory_by_step(RunId run_id, MemoryKind kind, MemoryCount count) const {
  return by_step(run_id, series(kind, count));
}

std::vector<Bytes> Snapshot::by_step(RunId run_id, const SeriesView& s) const {
  const StepMap map = steps(run_id);
  std::vector<Bytes> most(static_cast<size_t>(map.steps()), 0);
  if (most.empty()) return most;
  size_t i = s.samples.partition_point([&](const Sample& x) { return x.time <= map.time_of(0); });
  double value = i == 0 ? 0 : s.samples[i - 1].value;
  for (int32_t step = 0; step < map.steps(); ++step) {
    const Nanoseconds begin = map.time_of(step), end = map.time_of(step + 1.0);
    for (; i < s.samples.size() && s.samples[i].time <= begin; ++i) value = s.samples[i].value;
    double top = value;
    for (; i < s.samples.size() && s.samples[i].time < end; ++i) {
      value = s.samples[i].value;
      top = std::max(top, value);
    }
    most[static_cast<size_t>(step)] = static_cast<Bytes>(top);
  }
  return most;
}

// Bytes shared by several tensors (in-place results, inputs placed inside a concatenation) count once.
std::vector<Bytes> Snapshot::occupancy(const PlanInfo& plan) {
  size_t steps = plan.order.size();
  for (const SliceInfo& s : plan.slices) {
    const auto last = static_cast<size_t>(std::max(s.last.value, 0));
    if (last > steps && last <= plan.order.size() + 1) steps = last;
  }
  struct Edge {
    size_t step;
    Bytes low, high;
    int begins;
  };
  std::vector<Edge> edges;
  for (const SliceInfo& s : plan.slices) {
    const auto first = std::min(static_cast<size_t>(std::max(s.first.value, 0)), steps);
    const auto last = std::min(static_cast<size_t>(std::max(s.last.value, 0)), steps);
    if (s.size <= 0 || last <= first) continue;
    const Bytes high = add_saturated(s.offset, s.size);
    edges.push_back({first, s.offset, high, 1});
    edges.push_back({last, s.offset, high, -1});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) { return x.step < y.step; });
  std::vector<Bytes> out(steps, 0);
  std::map<std::pair<Bytes, Bytes>, int> live;
  size_t next = 0;
  for (size_t step = 0; step < steps; ++step) {
    if (next == edges.size() || edges[next].step > step) {
      if (step > 0) out[step] = out[step - 1];
      continue;
    }
    for (; next < edges.size() && edges[next].step == step; ++next) {
      const auto at = live.try_emplace({edges[next].low, edges[next].high}, 0).first;
      if ((at->second += edges[next].begins) == 0) live.erase(at);
    }
    Bytes reached = INT64_MIN;
    for (const auto& [range, count] : live) {
      if (range.second <= reached) continue;
      out[step] =
          add_saturated(out[step], add_saturated(range.second, -std::max({range.first, reached, INT64_MIN + 1})));
      reached = range.second;
    }
  }
  return out;
}

}  // namespace arenascope::trace
