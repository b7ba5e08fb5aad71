// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/call_sites.h>
#include <views/common/figure.h>
#include <views/occupancy/occupancy_picture.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace arenascope::views {

namespace {

using trace::MemoryCount;
using trace::MemoryKind;

// Kinds that hardly change are at the bottom.
constexpr MemoryKind kStack[] = {MemoryKind::Mapped,     MemoryKind::Persistent,   MemoryKind::KVCache,
                                 MemoryKind::HostPinned, MemoryKind::HostPageable, MemoryKind::Default,
                                 MemoryKind::Workspace};

std::vector<CurveSegment> from_steps(const std::vector<Bytes>& bytes, const AxisFrame& axis) {
  std::vector<CurveSegment> levels;
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

std::vector<CurveSegment> from_curve(const std::vector<trace::CurvePoint>& points, const AxisFrame& axis) {
  std::vector<CurveSegment> levels;
  levels.reserve(points.size());
  for (const trace::CurvePoint& p : points) {
    levels.push_back({axis.x_of_time(p.begin), axis.x_of_time(p.end), p.min, p.max});
  }
  return levels;
}

// Stacks the curves; their segments begin at different x.
void stack(std::vector<OccupancyPicture::Kind>& kinds) {
  std::vector<double> cuts;
  for (const auto& k : kinds) {
    for (const CurveSegment& l : k.levels) {
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
std::vector<CurveSegment> tops(const std::vector<OccupancyPicture::Kind>& kinds) {
  std::vector<CurveSegment> edge;
  for (const auto& k : kinds) {
    std::vector<CurveSegment> merged;
    size_t at = 0;
    for (const CurveSegment& l : k.stacked) {  // segments of all kinds begin at the same cuts
      while (at < edge.size() && edge[at].x0 < l.x0) merged.push_back(edge[at++]);
      if (at < edge.size() && edge[at].x0 == l.x0) ++at;
      merged.push_back({l.x0, l.x1, l.max, l.max});
    }
    while (at < edge.size()) merged.push_back(edge[at++]);
    edge = std::move(merged);
  }
  return edge;
}

std::vector<CurveSegment> curve_of(const trace::PlanInfo& plan, const PrepareInput& in, const std::stop_token& stop,
                                   PlanCurves* curves) {
  const auto is_it = [&](const std::shared_ptr<const trace::PlanInfo>& p) { return p.get() == &plan; };
  if (curves != nullptr) {
    for (const auto& kept : {in.shown_plan, in.plan_before})
      if (is_it(kept)) return curves->of(kept, in.axis, stop);
    const auto& plans = in.snapshot->plans;
    if (const auto kept = std::find_if(plans.begin(), plans.end(), is_it); kept != plans.end())
      return curves->of(*kept, in.axis, stop);
  }
  return sweep(planned_rects(plan, in.axis), false, stop).live;
}

void prepare_arena(OccupancyPicture& p, const PrepareInput& in, const std::stop_token& stop, PlanCurves* curves) {
  const trace::PlanInfo& plan = *in.plan;
  p.arena = plan.arena_bytes;
  p.bound = plan.lower_bound_bytes;
  p.capacity = plan.capacity_bytes;
  p.planned = curve_of(plan, in, stop, curves);
  if (in.shown_plan == nullptr) {  // a plan that was never run has no observations
    const SeenSlices seen = seen_slices(*in.snapshot, in.run, in.axis);
    if (seen.complete) {
      std::vector<LiveRect> rects;
      rects.reserve(seen.slices.size());
      for (const trace::ArenaAllocation& s : seen.slices)
        rects.push_back(live_rect_of(s, in.axis)), p.derived |= s.derived;
      p.live = sweep(std::move(rects), false, stop).live;
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

// Memory outside all allocators: libraries, stacks, code.
void find_resident(OccupancyPicture& p, const PrepareInput& in) {
  const trace::SeriesView* resident = in.snapshot->resident();
  if (resident == nullptr) return;
  const trace::TimeRange range = range_of_run(in);
  const auto most = resident->highest(range.begin, range.end);
  if (!most) return;
  p.resident = static_cast<Bytes>(most->value);
  if (const auto reserved = in.snapshot->host_reserved(most->time)) p.outside = p.resident - *reserved;
}

// Peak over all kinds at one instant of the run, or of the whole recording if there is no run; exact, independent of
// the resolution.
std::optional<Nanoseconds> find_peak(OccupancyPicture& p, const PrepareInput& in) {
  const trace::TimeRange range = range_of_run(in);
  const auto most = in.snapshot->all_active.highest(range.begin, range.end);
  if (!most || most->value <= 0) return std::nullopt;
  p.peak = static_cast<Bytes>(most->value);
  p.peak_id = in.snapshot->run(in.run) ? run_figure(in.run, "active.peak") : "memory.active.peak";
  p.peak_step_id = run_figure(in.run, "active.peak_step");
  p.peak_x = in.axis.x_of_time(most->time);
  const double step = std::floor(in.axis.mapping.step_at(static_cast<double>(most->time - in.axis.origin)));
  if (step >= 0 && step < in.axis.mapping.steps()) p.peak_step = Step(static_cast<int32_t>(step));
  if (in.axis.mode == AxisMode::Step && p.peak_step.valid()) p.peak_x = in.axis.x_of_step(step + 0.5);
  return most->time;
}

constexpr size_t kMaxSlices = 300000;

// Layers of the call sites: the unknown ones, those with the most bytes at the peak, and all others.
class SiteLayers {
 public:
  SiteLayers(const trace::Snapshot& snapshot, trace::TimeRange range) : sites_(snapshot), layers_(sites_.size(), 0) {
    const auto peak = snapshot.all_active.highest(range.begin, range.end);
    const Nanoseconds time = peak ? peak->time : range.begin;
    std::vector<std::pair<Bytes, uint32_t>> sizes;
    for (uint32_t i = 0; i < sites_.size(); ++i) sizes.emplace_back(0, i);
    for (const trace::SpaceAllocation& slice : snapshot.space_slices_in(time, time + 1, kMaxSlices))
      sizes[sites_.of(slice.block)].first += slice.bytes;
    std::stable_sort(sizes.begin() + 1, sizes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    named_ = {CallSites::kUnknown};
    for (size_t i = 1; i < sizes.size(); ++i) {
      layers_[sizes[i].second] = static_cast<uint32_t>(std::min(i, kNamed + 1));
      if (i <= kNamed) named_.push_back(sizes[i].second);
    }
  }
  uint32_t of(const trace::SpaceAllocation& slice) const { return layers_[sites_.of(slice.block)]; }
  void describe(uint32_t which, OccupancyPicture::Kind& layer) const {
    layer.is_remainder = which > kNamed;
    if (which < named_.size()) layer.call_site = sites_.name(named_[which]);
  }

 private:
  static constexpr size_t kNamed = 7;  // as many as there are colours
  CallSites sites_;
  std::vector<uint32_t> layers_;  // by site
  std::vector<uint32_t> named_;   // sites of the layers that have a name
};

uint32_t layer_of(OccupancyScope scope, const trace::SpaceAllocation& slice, const MemoryClasses& classes,
                  const SiteLayers* sites) {
  if (scope == OccupancyScope::Classes) return static_cast<uint32_t>(classes.of(slice));
  if (sites != nullptr) return sites->of(slice);
  return scope == OccupancyScope::Devices ? static_cast<uint32_t>(slice.device.value) : slice.allocator;
}

using Changes = std::vector<std::pair<Nanoseconds, Bytes>>;

// An arena is one block that contains tensors of several classes. Bytes shared by two classes count for the first one;
// unoccupied bytes count as the arena's own class.
void split_arena(const trace::Snapshot& s, const trace::SpaceAllocation& arena, trace::TimeRange t,
                 const MemoryClasses& classes, std::map<uint32_t, Changes>& changes, bool& derived) {
  std::map<MemoryClass, std::vector<LiveRect>> by_class;
  const Nanoseconds from = std::max(arena.begin, t.begin), to = arena.open ? t.end : std::min(arena.end, t.end);
  for (const trace::ArenaAllocation& slice : trace::slices_in_arena(s, arena, t)) {
    derived = derived || slice.derived;
    const Nanoseconds begin = std::max(slice.begin, from), end = std::min(slice.end, to);
    by_class[classes.of(slice)].push_back({static_cast<double>(begin - t.begin), static_cast<double>(end - t.begin),
                                           slice.offset, slice.offset + slice.bytes});
  }
  const auto add = [&](MemoryClass of, const std::vector<CurveSegment>& levels, Bytes sign) {
    Changes& own = changes[static_cast<uint32_t>(of)];
    for (const CurveSegment& l : levels) {
      const Bytes bytes = sign * static_cast<Bytes>(l.max);
      own.emplace_back(t.begin + static_cast<Nanoseconds>(l.x0), bytes);
      own.emplace_back(t.begin + static_cast<Nanoseconds>(l.x1), -bytes);
    }
  };
  std::vector<LiveRect> counted;
  std::vector<CurveSegment> before;
  for (const auto& [of, rects] : by_class) {
    counted.insert(counted.end(), rects.begin(), rects.end());
    std::vector<CurveSegment> now = sweep(counted, false).live;
    add(of, now, 1);
    add(of, before, -1);
    before = std::move(now);
  }
  add(classes.of(arena), before, -1);
}

// Changes per layer (allocator, device or class), from the slices.
std::map<uint32_t, Changes> layer_changes(const trace::Snapshot& s, OccupancyScope scope, trace::TimeRange t,
                                          const std::stop_token& stop, bool& derived, const SiteLayers* sites) {
  const MemoryClasses classes(s);
  std::map<uint32_t, Changes> changes;
  for (const trace::SpaceAllocation& slice : s.space_slices_in(t.begin, t.end, kMaxSlices)) {
    if (stop.stop_requested()) return {};
    auto& own = changes[layer_of(scope, slice, classes, sites)];
    own.emplace_back(std::max(slice.begin, t.begin), slice.bytes);
    own.emplace_back(slice.open ? t.end : std::min(slice.end, t.end), -slice.bytes);
    if (scope == OccupancyScope::Classes && trace::is_arena(slice)) split_arena(s, slice, t, classes, changes, derived);
  }
  return changes;
}

void add_layers(OccupancyPicture& p, const PrepareInput& in, const std::stop_token& stop, const SiteLayers* sites) {
  const bool steps = in.axis.mode == AxisMode::Step;
  const trace::TimeRange t = steps ? range_of_run(in) : in.axis.time_range();
  for (auto& [which, list] : layer_changes(*in.snapshot, p.scope, t, stop, p.derived, sites)) {
    std::sort(list.begin(), list.end());
    OccupancyPicture::Kind layer;
    layer.allocator = which;
    layer.device = trace::DeviceId(static_cast<int32_t>(which));
    if (sites != nullptr) sites->describe(which, layer);
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
  for (const MemoryKind kind : kStack) {
    if (stop.stop_requested()) return;
    const trace::SeriesView& series = in.snapshot->series(kind, MemoryCount::Active);
    if (series.samples.empty()) continue;
    OccupancyPicture::Kind k;
    k.kind = kind;
    k.levels = steps ? from_steps(in.snapshot->memory_by_step(in.run, kind, MemoryCount::Active), in.axis)
                     : from_curve(curve_on(in.axis, series, in.pixels), in.axis);
    p.kinds.push_back(std::move(k));
  }
}

// Divides `whole` into the amount in `part`, and the remainder.
std::pair<std::vector<CurveSegment>, std::vector<CurveSegment>> divided(const std::vector<CurveSegment>& whole,
                                                                        const std::vector<CurveSegment>& part) {
  std::vector<double> cuts;
  for (const auto* levels : {&whole, &part})
    for (const CurveSegment& l : *levels) cuts.push_back(l.x0), cuts.push_back(l.x1);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::pair<std::vector<CurveSegment>, std::vector<CurveSegment>> out;
  for (size_t c = 0; c + 1 < cuts.size(); ++c) {
    const double middle = (cuts[c] + cuts[c + 1]) / 2, all = value_at(whole, middle);
    const double inside = std::min(all, value_at(part, middle));
    if (inside > 0) out.first.push_back({cuts[c], cuts[c + 1], inside, inside});
    if (all > inside) out.second.push_back({cuts[c], cuts[c + 1], all - inside, all - inside});
  }
  return out;
}

// A KV cache is allocated as a whole at the beginning; its filled part is shown separately.
void divide_cache(OccupancyPicture& p, const PrepareInput& in) {
  const trace::SeriesView* filled = in.snapshot->series_of(trace::CounterRole::CacheFilled);
  if (filled == nullptr) return;
  const auto own = std::find_if(p.kinds.begin(), p.kinds.end(), [&](const OccupancyPicture::Kind& k) {
    return p.scope == OccupancyScope::Kinds     ? k.kind == MemoryKind::KVCache
           : p.scope == OccupancyScope::Classes ? k.memory_class == MemoryClass::Cache
                                                : false;
  });
  if (own == p.kinds.end()) return;
  std::vector<CurveSegment> part;
  if (in.axis.mode == AxisMode::Step) {
    const trace::StepMap steps = in.snapshot->steps(in.run);
    std::vector<Bytes> by_step;
    for (int32_t step = 0; step < steps.steps(); ++step)
      by_step.push_back(static_cast<Bytes>(filled->at(steps.time_of(step + 1))));
    part = from_steps(by_step, in.axis);
  } else {
    part = from_curve(curve_on(in.axis, *filled, in.pixels), in.axis);
  }
  OccupancyPicture::Kind rest = *own;
  rest.unfilled = true;
  std::tie(own->levels, rest.levels) = divided(own->levels, part);
  p.kinds.insert(own + 1, std::move(rest));
  for (size_t i = 0; i < filled->samples.size(); ++i)
    p.filled = std::max(p.filled, static_cast<Bytes>(filled->samples[i].value));
  const auto counter = static_cast<size_t>(filled - in.snapshot->counter_series.data());
  p.filled_id = "counter." + std::to_string(counter) + ".most";
}

// Stores each layer's value at the peak.
void set_peak_values(OccupancyPicture& p, const PrepareInput& in, Nanoseconds time, const SiteLayers* sites) {
  bool derived = false;
  std::map<uint32_t, Changes> changes;
  if (p.scope != OccupancyScope::Kinds)
    changes = layer_changes(*in.snapshot, p.scope, {time, time + 1}, {}, derived, sites);
  for (size_t i = 0; i < p.kinds.size(); ++i) {
    OccupancyPicture::Kind& layer = p.kinds[i];
    if (p.scope == OccupancyScope::Kinds)
      layer.at_peak = static_cast<Bytes>(in.snapshot->series(layer.kind, MemoryCount::Active).at(time));
    for (const auto& [when, bytes] : changes[layer.allocator])
      if (when == time) layer.at_peak += bytes;
    if (!layer.unfilled || i == 0) continue;
    const trace::SeriesView* filled = in.snapshot->series_of(trace::CounterRole::CacheFilled);
    Bytes& full = p.kinds[i - 1].at_peak;
    full = std::min(full, filled ? static_cast<Bytes>(filled->at(time)) : 0);
    layer.at_peak -= full;
  }
}

void prepare_kinds(OccupancyPicture& p, const PrepareInput& in, const std::stop_token& stop) {
  const bool steps = in.axis.mode == AxisMode::Step;
  std::optional<SiteLayers> sites;
  if (p.scope == OccupancyScope::CallSites) sites.emplace(*in.snapshot, range_of_run(in));
  const SiteLayers* const by_site = sites ? &*sites : nullptr;
  if (p.scope == OccupancyScope::Kinds) {
    add_kinds(p, in, stop);
  } else {
    add_layers(p, in, stop, by_site);
  }
  divide_cache(p, in);
  stack(p.kinds);
  if (const auto time = find_peak(p, in)) set_peak_values(p, in, *time, by_site);
  if (!in.snapshot->all_reserved.samples.empty()) {
    if (steps) {
      p.reserved = from_steps(in.snapshot->by_step(in.run, in.snapshot->all_reserved), in.axis);
    } else {
      p.reserved = from_curve(curve_on(in.axis, in.snapshot->all_reserved, in.pixels), in.axis);
    }
  }
  if (!steps) {
    p.covered = in.axis.range;
    p.per_pixel = in.axis.range.length() / in.pixels;
  }
}

}  // namespace

double value_at(const std::vector<CurveSegment>& levels, double x) {
  const auto next =
      std::upper_bound(levels.begin(), levels.end(), x, [](double v, const CurveSegment& l) { return v < l.x0; });
  if (next == levels.begin()) return 0;
  const CurveSegment& l = *(next - 1);
  return x < l.x1 ? l.max : 0;
}

std::shared_ptr<const OccupancyPicture> prepare_occupancy(const PrepareInput& in, OccupancyScope scope,
                                                          const std::stop_token& stop, bool with_plan,
                                                          PlanCurves* curves) {
  auto p = std::make_shared<OccupancyPicture>();
  p->mode = in.axis.mode;
  p->by_runs = in.axis.by_runs();
  const bool planned = in.plan != nullptr && !in.plan->slices.empty();
  p->scope = scope;
  if (scope == OccupancyScope::Auto) p->scope = is_in_spaces(in) ? OccupancyScope::Kinds : OccupancyScope::Arena;
  // The allocations of another program are of one kind; their call sites differ.
  if (scope == OccupancyScope::Auto && is_in_spaces(in) && in.snapshot->runs.empty() && !in.snapshot->stacks.empty())
    p->scope = OccupancyScope::CallSites;
  if (p->scope == OccupancyScope::Arena && !planned) p->scope = OccupancyScope::Kinds;
  if (p->scope == OccupancyScope::Arena) {
    prepare_arena(*p, in, stop, curves);
  } else {
    prepare_kinds(*p, in, stop);
    if (with_plan && planned) {
      p->planned = curve_of(*in.plan, in, stop, curves);
      p->needed = in.plan->arena_bytes;
    }
  }
  find_resident(*p, in);
  if (stop.stop_requested()) return nullptr;
  if (in.ghost && p->scope == OccupancyScope::Arena) {
    p->ghost = curve_of(*in.ghost, in, stop, curves);
    p->ghost_arena = in.ghost->arena_bytes;
    p->ghost_id = plan_figure(in.ghost->id, "arena");
  }
  if (in.comparison) {
    const auto theirs = prepare_occupancy(in.comparison_input(), p->scope, stop);
    if (!theirs) return nullptr;
    if (theirs->scope == OccupancyScope::Arena)
      p->other = theirs->live.empty() ? theirs->planned : theirs->live;
    else
      p->other = tops(theirs->kinds);
    p->other_arena = theirs->arena;
    p->other_peak = theirs->peak;
    p->other_peak_id = other_figure(theirs->peak_id);
    if (p->mode == AxisMode::Time) p->other = reduced(p->other, in.axis.range, in.pixels);
  }
  if (p->peak > 0) {
    if (p->peak_step.valid() && in.graph) {
      NodeId node(p->peak_step.value);
      if (in.plan && p->peak_step.index() < in.plan->order.size()) node = in.plan->order[p->peak_step.index()];
      if (node.valid() && node.index() < in.graph->nodes.size()) p->peak_name = in.graph->nodes[node.index()].name;
    }
  }
  const auto raise = [&](const std::vector<CurveSegment>& levels) {
    for (const CurveSegment& l : levels) p->top = std::max(p->top, l.max);
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
