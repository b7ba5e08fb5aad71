// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/figure.h>
#include <views/occupancy/occupancy_picture.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace arenascope::views {

namespace {

using trace::MemoryCount;
using trace::MemoryKind;

// What hardly changes stands below what does.
constexpr MemoryKind kStack[] = {MemoryKind::Mapped,     MemoryKind::Persistent,   MemoryKind::KVCache,
                                 MemoryKind::HostPinned, MemoryKind::HostPageable, MemoryKind::Default,
                                 MemoryKind::Workspace};

std::vector<Level> from_steps(const std::vector<Bytes>& bytes, const AxisFrame& axis) {
  std::vector<Level> levels;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto v = static_cast<double>(bytes[i]);
    if (!levels.empty() && levels.back().max == v) {
      levels.back().x1 = axis.x_of_step(static_cast<double>(i + 1));
    } else {
      levels.push_back({axis.x_of_step(static_cast<double>(i)), axis.x_of_step(static_cast<double>(i + 1)), v, v});
    }
  }
  return levels;
}

std::vector<Level> from_curve(const std::vector<trace::CurvePoint>& points, const AxisFrame& axis) {
  std::vector<Level> levels;
  levels.reserve(points.size());
  for (const trace::CurvePoint& p : points) {
    levels.push_back({axis.x_of_time(p.begin), axis.x_of_time(p.end), p.min, p.max});
  }
  return levels;
}

// One on the other; all have their pieces at their own places.
void stack(std::vector<OccupancyPicture::Kind>& kinds) {
  std::vector<double> cuts;
  for (const auto& k : kinds) {
    for (const Level& l : k.levels) {
      cuts.push_back(l.x0);
      cuts.push_back(l.x1);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<double> base(cuts.size(), 0);
  for (auto& k : kinds) {
    size_t at = 0;
    for (size_t c = 0; c + 1 < cuts.size(); ++c) {
      while (at < k.levels.size() && k.levels[at].x1 <= cuts[c]) ++at;
      const bool here = at < k.levels.size() && k.levels[at].x0 <= cuts[c];
      const double v = here ? k.levels[at].max : 0;
      if (v > 0) k.stacked.push_back({cuts[c], cuts[c + 1], base[c], base[c] + v});
      base[c] += v;
    }
  }
}

// The upper edge of a stack.
std::vector<Level> tops(const std::vector<OccupancyPicture::Kind>& kinds) {
  std::vector<Level> edge;
  for (const auto& k : kinds) {
    std::vector<Level> merged;
    size_t at = 0;
    for (const Level& l : k.stacked) {  // pieces of all kinds begin at the same cuts
      while (at < edge.size() && edge[at].x0 < l.x0) merged.push_back(edge[at++]);
      if (at < edge.size() && edge[at].x0 == l.x0) ++at;
      merged.push_back({l.x0, l.x1, l.max, l.max});
    }
    while (at < edge.size()) merged.push_back(edge[at++]);
    edge = std::move(merged);
  }
  return edge;
}

void prepare_arena(OccupancyPicture& p, const PrepareInput& in, const std::stop_token& stop) {
  const trace::PlanInfo& plan = *in.plan;
  p.arena = plan.arena_bytes;
  p.bound = plan.lower_bound_bytes;
  p.capacity = plan.capacity_bytes;
  p.planned = sweep(plan_stays(plan, in.axis), false, stop).live;
  if (in.shown_plan == nullptr) {  // a plan that was never run has nothing that was seen
    const SeenSlices seen = seen_slices(*in.snapshot, in.run, in.axis);
    if (seen.complete) {
      std::vector<Stay> stays;
      stays.reserve(seen.slices.size());
      for (const trace::SliceRect& s : seen.slices) stays.push_back(stay_of(s, in.axis)), p.derived |= s.derived;
      p.live = sweep(std::move(stays), false, stop).live;
    }
  }
  if (const auto shape = arena_shape(*in.snapshot, in.run, in.plan, in.shown_plan != nullptr, in.axis, stop)) {
    p.peak = shape->peak;
    p.peak_x = shape->peak_x;
    p.peak_step = shape->peak_step;
    p.peak_id = shape->planned ? plan_figure(plan.id, "peak") : run_figure(in.run, "arena.peak_by_step");
    p.peak_step_id = shape->planned ? plan_figure(plan.id, "peak_step") : run_figure(in.run, "arena.peak_step");
  }
  if (in.axis.mode == AxisMode::Time) {
    p.covered = in.axis.range;
    p.per_pixel = in.axis.range.length() / in.pixels;
    p.live = reduced(p.live, in.axis.range, in.pixels);
  }
}

// Libraries, stacks, code and whatever else no allocator of ours knows of.
void take_resident(OccupancyPicture& p, const PrepareInput& in) {
  const trace::SeriesView* resident = in.snapshot->resident();
  if (resident == nullptr) return;
  const trace::TimeRange range = range_of_run(in);
  const auto most = resident->highest(range.begin, range.end);
  if (!most) return;
  p.resident = static_cast<Bytes>(most->value);
  p.outside = p.resident - in.snapshot->host_reserved(most->time);
}

// Of all kinds together at one moment of the run, or of all that is known without one; exact, whatever is drawn.
void take_peak(OccupancyPicture& p, const PrepareInput& in) {
  const trace::TimeRange range = range_of_run(in);
  const auto most = in.snapshot->all_active.highest(range.begin, range.end);
  if (!most || most->value <= 0) return;
  p.peak = static_cast<Bytes>(most->value);
  p.peak_id = in.snapshot->run(in.run) ? run_figure(in.run, "active.peak") : "memory.active.peak";
  p.peak_step_id = run_figure(in.run, "active.peak_step");
  p.peak_x = in.axis.x_of_time(most->time);
  const double step = std::floor(in.axis.mapping.step_at(static_cast<double>(most->time - in.axis.origin)));
  if (step >= 0 && step < in.axis.mapping.steps()) p.peak_step = Step(static_cast<int32_t>(step));
  if (in.axis.mode == AxisMode::Step && p.peak_step.valid()) p.peak_x = in.axis.x_of_step(step + 0.5);
}

constexpr size_t kMostSlices = 300000;

uint32_t layer_of(OccupancyScope scope, const trace::SpaceSlice& slice, const MemoryClasses& classes) {
  if (scope == OccupancyScope::Classes) return static_cast<uint32_t>(classes.of(slice));
  return scope == OccupancyScope::Devices ? static_cast<uint32_t>(slice.device.value) : slice.allocator;
}

// Layers by allocator, by device or by class, from the slices.
void add_layers(OccupancyPicture& p, const PrepareInput& in, const std::stop_token& stop) {
  const trace::Snapshot& s = *in.snapshot;
  const trace::TimeRange run = range_of_run(in);
  const bool steps = in.axis.mode == AxisMode::Step;
  const trace::TimeRange t = steps ? run : in.axis.time_range();
  const MemoryClasses classes(s, in.plan != nullptr ? in.plan->arena_bytes : 0);
  std::map<uint32_t, std::vector<std::pair<Nanoseconds, Bytes>>> changes;  // by layer
  for (const trace::SpaceSlice& slice : s.space_slices_in(t.begin, t.end, kMostSlices)) {
    if (stop.stop_requested()) return;
    auto& own = changes[layer_of(p.scope, slice, classes)];
    own.emplace_back(std::max(slice.begin, t.begin), slice.bytes);
    own.emplace_back(slice.open ? t.end : std::min(slice.end, t.end), -slice.bytes);
  }
  for (auto& [which, list] : changes) {
    std::sort(list.begin(), list.end());
    OccupancyPicture::Kind layer;
    layer.allocator = which;
    layer.device = trace::DeviceId(static_cast<int32_t>(which));
    if (p.scope == OccupancyScope::Classes) layer.memory_class = static_cast<MemoryClass>(which);
    Bytes now = 0;
    for (size_t i = 0; i < list.size();) {
      const Nanoseconds time = list[i].first;
      for (; i < list.size() && list[i].first == time; ++i) now += list[i].second;
      if (now <= 0 || i >= list.size()) continue;
      const auto bytes = static_cast<double>(now);
      layer.levels.push_back({in.axis.x_of_time(time), in.axis.x_of_time(list[i].first), bytes, bytes});
    }
    if (!steps) layer.levels = reduced(layer.levels, in.axis.range, in.pixels);
    p.kinds.push_back(std::move(layer));
  }
}

void add_kinds(OccupancyPicture& p, const PrepareInput& in, const std::stop_token& stop) {
  const bool steps = in.axis.mode == AxisMode::Step;
  const trace::TimeRange t = in.axis.time_range();
  for (const MemoryKind kind : kStack) {
    if (stop.stop_requested()) return;
    const trace::SeriesView& series = in.snapshot->series(kind, MemoryCount::Active);
    if (series.samples.empty()) continue;
    OccupancyPicture::Kind k;
    k.kind = kind;
    k.levels = steps ? from_steps(in.snapshot->memory_by_step(in.run, kind, MemoryCount::Active), in.axis)
                     : from_curve(series.curve(t.begin, t.end, in.pixels), in.axis);
    p.kinds.push_back(std::move(k));
  }
}

void prepare_kinds(OccupancyPicture& p, const PrepareInput& in, const std::stop_token& stop) {
  const bool steps = in.axis.mode == AxisMode::Step;
  const trace::TimeRange t = in.axis.time_range();
  if (p.scope == OccupancyScope::Kinds) {
    add_kinds(p, in, stop);
  } else {
    add_layers(p, in, stop);
  }
  stack(p.kinds);
  take_peak(p, in);
  if (!in.snapshot->all_reserved.samples.empty()) {
    if (steps) {
      std::vector<Bytes> sum;
      for (const MemoryKind kind : kStack) {
        const auto by_step = in.snapshot->memory_by_step(in.run, kind, MemoryCount::Reserved);
        sum.resize(std::max(sum.size(), by_step.size()), 0);
        for (size_t i = 0; i < by_step.size(); ++i) sum[i] += by_step[i];
      }
      p.reserved = from_steps(sum, in.axis);
    } else {
      p.reserved = from_curve(in.snapshot->all_reserved.curve(t.begin, t.end, in.pixels), in.axis);
    }
  }
  if (!steps) {
    p.covered = in.axis.range;
    p.per_pixel = in.axis.range.length() / in.pixels;
  }
}

}  // namespace

double value_at(const std::vector<Level>& levels, double x) {
  const auto next =
      std::upper_bound(levels.begin(), levels.end(), x, [](double v, const Level& l) { return v < l.x0; });
  if (next == levels.begin()) return 0;
  const Level& l = *(next - 1);
  return x < l.x1 ? l.max : 0;
}

std::shared_ptr<const OccupancyPicture> prepare_occupancy(const PrepareInput& in, OccupancyScope scope,
                                                          const std::stop_token& stop, bool with_plan) {
  auto p = std::make_shared<OccupancyPicture>();
  p->mode = in.axis.mode;
  const bool planned = in.plan != nullptr && !in.plan->slices.empty();
  p->scope = scope;
  if (scope == OccupancyScope::Auto) p->scope = lies_in_spaces(in) ? OccupancyScope::Kinds : OccupancyScope::Arena;
  if (p->scope == OccupancyScope::Arena && !planned) p->scope = OccupancyScope::Kinds;
  if (p->scope == OccupancyScope::Arena) {
    prepare_arena(*p, in, stop);
  } else {
    prepare_kinds(*p, in, stop);
    if (with_plan && planned) {
      p->planned = sweep(plan_stays(*in.plan, in.axis), false, stop).live;
      p->needed = in.plan->arena_bytes;
    }
  }
  take_resident(*p, in);
  if (stop.stop_requested()) return nullptr;
  if (in.ghost && p->scope == OccupancyScope::Arena) {
    p->ghost = sweep(plan_stays(*in.ghost, in.axis), false, stop).live;
    p->ghost_arena = in.ghost->arena_bytes;
  }
  if (in.comparison) {
    const auto theirs = prepare_occupancy(in.of_other(), p->scope, stop);
    if (!theirs) return nullptr;
    if (theirs->scope == OccupancyScope::Arena)
      p->other = theirs->live.empty() ? theirs->planned : theirs->live;
    else
      p->other = tops(theirs->kinds);
    p->other_arena = theirs->arena;
    p->other_peak = theirs->peak;
    if (p->mode == AxisMode::Time) p->other = reduced(p->other, in.axis.range, in.pixels);
  }
  if (p->peak > 0) {
    if (p->peak_step.valid() && in.graph) {
      NodeId node(p->peak_step.value);
      if (in.plan && p->peak_step.index() < in.plan->order.size()) node = in.plan->order[p->peak_step.index()];
      if (node.valid() && node.index() < in.graph->nodes.size()) p->peak_name = in.graph->nodes[node.index()].name;
    }
  }
  const auto raise = [&](const std::vector<Level>& levels) {
    for (const Level& l : levels) p->top = std::max(p->top, l.max);
  };
  raise(p->live);
  raise(p->other);
  raise(p->ghost);
  raise(p->planned);
  raise(p->reserved);
  for (const auto& k : p->kinds) raise(k.stacked);
  p->top = std::max({p->top, static_cast<double>(p->arena), static_cast<double>(p->bound)});
  return p;
}

}  // namespace arenascope::views
