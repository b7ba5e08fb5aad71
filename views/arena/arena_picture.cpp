// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/arena/arena_colours.h>
#include <views/arena/arena_picture.h>
#include <views/arena/space_map.h>
#include <views/common/figure.h>

#include <algorithm>
#include <unordered_set>

namespace arenascope::views {

namespace {

constexpr size_t kMaxSeen = 300000;  // maximum number of accesses evaluated
constexpr size_t kMaxRuns = 32;      // runs with outlines in time mode

uint64_t key(trace::RunId run, trace::TensorRef tensor) {
  return static_cast<uint64_t>(static_cast<uint32_t>(run.value)) << 32 | tensor.value;
}

struct Touched {
  Bytes lo = INT64_MAX, hi = INT64_MIN;
};

// The bytes that were accessed, by run and tensor.
std::unordered_map<uint64_t, Touched> touched_bytes(const PrepareInput& in,
                                                    const std::vector<trace::ArenaAllocation>& seen) {
  std::unordered_map<uint64_t, Touched> touched;
  if (in.snapshot->seen.empty() || seen.empty()) return touched;
  trace::TimeRange t{INT64_MAX, INT64_MIN};
  for (const trace::ArenaAllocation& s : seen) {
    t.begin = std::min(t.begin, s.begin);
    t.end = std::max(t.end, s.end);
  }
  const auto list = in.snapshot->accesses_in(t.begin, t.end + 1, kMaxSeen);
  if (list.size() >= kMaxSeen) return touched;  // incomplete data would look like a difference
  for (const trace::AccessRect& s : list) {
    Touched& b = touched[key(s.run, s.tensor)];
    b.lo = std::min(b.lo, s.offset);
    b.hi = std::max(b.hi, s.offset + s.bytes);
  }
  return touched;
}

class ArenaPictureBuilder {
 public:
  ArenaPictureBuilder(const PrepareInput& in, ArenaPicture& p) : in_(in), p_(p) {}

  void run(const std::stop_token& stop) {
    p_.mode = in_.axis.mode;
    p_.by_runs = in_.axis.by_runs();
    if (in_.plan) {
      p_.plan = in_.plan->id;
      p_.arena = in_.plan->arena_bytes;
      chains_ = chains_of(*in_.plan);
      for (uint32_t i = 0; i < in_.plan->slices.size(); ++i) of_tensor_.emplace(in_.plan->slices[i].tensor.value, i);
    }
    if (!in_.shown_plan) {
      add_seen();
      p_.differing = off_plan();
    }
    if (stop.stop_requested()) return;
    add_plan();
    if (in_.ghost) add_ghost();
    if (in_.comparison) add_other();
    const SweepResult swept = sweep(rects_, true, stop);
    std::vector<Rect> holes;
    for (const LiveRect& h : swept.holes) {
      holes.push_back({h.x0, h.x1, static_cast<double>(h.lo), static_cast<double>(h.hi), 0, 0});
    }
    set_shape(swept, stop);
    p_.top = std::max({p_.arena, swept.top, p_.top});
    p_.bodies = std::make_shared<RectSet>(std::move(bodies_));
    p_.outlines = std::make_shared<RectSet>(std::move(outlines_));
    p_.holes = std::make_shared<RectSet>(std::move(holes));
    p_.ghosts = std::make_shared<RectSet>(std::move(ghosts_));
  }

 private:
  const trace::SliceInfo* planned(trace::TensorRef tensor, uint32_t* index) const {
    const auto found = of_tensor_.find(tensor.value);
    if (found == of_tensor_.end()) return nullptr;
    *index = found->second;
    return &in_.plan->slices[found->second];
  }

  uint32_t item(ArenaItem i) {
    p_.items.push_back(i);
    return static_cast<uint32_t>(p_.items.size() - 1);
  }

  void add_seen() {
    SeenSlices seen = seen_slices(*in_.snapshot, in_.run, in_.axis);
    p_.seen = std::move(seen.slices);
    const auto touched = touched_bytes(in_, p_.seen);
    VisibleEnds visible_ends(*in_.snapshot, in_.axis, p_.seen);
    for (size_t i = 0; i < p_.seen.size(); ++i) {
      const trace::ArenaAllocation& s = p_.seen[i];
      LiveRect rect = live_rect_of(s, in_.axis);
      rects_.push_back(rect);
      uint32_t slice = 0;
      const bool by_plan = in_.plan != nullptr && (s.run == in_.run || in_.snapshot->plan_of(s.run) == in_.plan);
      const trace::SliceInfo* plan = by_plan ? planned(s.tensor, &slice) : nullptr;
      ArenaItem it{s.tensor, plan ? static_cast<int32_t>(slice) : -1, static_cast<int32_t>(i), false};
      if (plan) {
        if (s.run == in_.run) has_seen_.insert(slice);
        it.differs = plan->offset != s.offset || plan->size < s.bytes;
        rect.x1 = visible_ends.end(s);
      }
      const auto t = touched.find(key(s.run, s.tensor));
      Bytes lo = s.offset, hi = s.offset + s.bytes;
      if (t != touched.end()) {
        if (t->second.lo < lo || t->second.hi > hi) it.differs = true;
        lo = t->second.lo;
        hi = t->second.hi;
      }
      const bool differs = it.differs;
      const uint32_t tag = item(it);
      const trace::GraphInfo* graph = s.run == in_.run ? in_.graph : in_.snapshot->graph_of(s.run);
      const trace::TensorInfo* info = SliceText::tensor(graph, s.tensor);
      bodies_.push_back(
          {rect.x0, rect.x1, static_cast<double>(lo), static_cast<double>(hi), slice_style(info, s.tensor, true), tag});
      if (differs) {
        outlines_.push_back({rect.x0, rect.x1, static_cast<double>(lo), static_cast<double>(hi), kOutlineDiffers, tag});
      } else if (!plan) {
        outlines_.push_back({rect.x0, rect.x1, static_cast<double>(lo), static_cast<double>(hi), kOutlinePlan, tag});
      }
      p_.top = std::max(p_.top, hi);
    }
    if (in_.axis.mode == AxisMode::Time) {
      p_.covered = in_.axis.range;
      p_.per_pixel = 0;
    }
  }

  // Over the whole run, independent of the visible range.
  size_t off_plan() const {
    AxisFrame steps = in_.axis;
    steps.mode = AxisMode::Step;
    const SeenSlices seen = seen_slices(*in_.snapshot, in_.run, steps);
    const auto touched = touched_bytes(in_, seen.slices);
    size_t off = 0;
    for (const trace::ArenaAllocation& s : seen.slices) {
      uint32_t slice = 0;
      const trace::SliceInfo* plan = planned(s.tensor, &slice);
      bool differs = plan && (plan->offset != s.offset || plan->size < s.bytes);
      if (const auto t = touched.find(key(s.run, s.tensor)); t != touched.end())
        differs = differs || t->second.lo < s.offset || t->second.hi > s.offset + s.bytes;
      off += differs ? 1 : 0;
    }
    return off;
  }

  // Outlines of the plan for the current run, and in time mode also for adjacent runs.
  void add_plan() {
    if (!in_.plan) return;
    std::unordered_set<int32_t> blocks;
    std::unordered_map<int32_t, std::pair<int32_t, uint32_t>> first_of_block;  // first step and slice
    for (uint32_t i = 0; i < in_.plan->slices.size(); ++i) {
      const trace::SliceInfo& s = in_.plan->slices[i];
      if (!s.block.valid()) continue;
      const auto [at, fresh] = first_of_block.try_emplace(s.block.value, s.first.value, i);
      if (!fresh && s.first.value < at->second.first) at->second = {s.first.value, i};
    }
    p_.blocks = first_of_block.size();
    is_new_.assign(in_.plan->slices.size(), false);
    for (const auto& [block, first] : first_of_block) is_new_[first.second] = true;
    add_plan_with(in_.axis, true);
    if (in_.axis.mode != AxisMode::Time) return;
    const trace::TimeRange t = in_.axis.time_range();
    size_t done = 0;
    for (size_t r = in_.snapshot->runs.size(); r-- > in_.snapshot->forgotten_runs && done < kMaxRuns;) {
      const trace::Run& run = in_.snapshot->runs[r];
      if (trace::RunId(r) == in_.run || run.info.plan != in_.plan->id || run.end <= t.begin ||
          run.info.begin >= t.end) {
        continue;
      }
      AxisFrame frame = in_.axis;
      frame.mapping = AxisMapping::from(in_.snapshot->steps(trace::RunId(r)), frame.origin,
                                        static_cast<int32_t>(in_.plan->order.size()));
      if (frame.mapping.empty()) continue;
      add_plan_with(frame, false);
      ++done;
    }
  }

  void add_plan_with(const AxisFrame& axis, bool current) {
    const auto& slices = in_.plan->slices;
    std::unordered_map<uint32_t, Rect> chain;  // by root
    for (uint32_t i = 0; i < slices.size(); ++i) {
      const trace::SliceInfo& s = slices[i];
      if (s.size <= 0 || s.last <= s.first) continue;
      Rect r{axis.x_of_step(s.first.value),
             axis.x_of_step(s.last.value),
             static_cast<double>(s.offset),
             static_cast<double>(s.offset + s.size),
             kOutlinePlan,
             0};
      r.tag = item({s.tensor, static_cast<int32_t>(i), -1, false});
      if (current && !has_seen_.contains(i)) {
        Rect body = r;
        body.x1 = axis.x_of_step(chains_.reused_at[i]);
        body.style = slice_style(SliceText::tensor(in_.graph, s.tensor), s.tensor, false);
        bodies_.push_back(body);
        rects_.push_back({r.x0, r.x1, s.offset, s.offset + s.size});
      }
      const uint32_t root = chains_.root[i];
      if (root == i && !chains_.has_followers[i]) {
        r.style = is_new_[i] ? kOutlineNew : kOutlinePlan;
        outlines_.push_back(r);
        continue;
      }
      const auto [whole, fresh] = chain.try_emplace(root, r);
      if (!fresh) {
        whole->second.x0 = std::min(whole->second.x0, r.x0);
        whole->second.x1 = std::max(whole->second.x1, r.x1);
        whole->second.y1 = std::max(whole->second.y1, r.y1);
      }
      if (root != i) {
        r.style = kOutlineChainPart;
        outlines_.push_back(r);
      }
    }
    for (auto& [root, r] : chain) {
      r.style = is_new_[root] ? kOutlineNew : kOutlinePlan;
      outlines_.push_back(r);
    }
  }

  void add_ghost() {
    for (const trace::SliceInfo& s : in_.ghost->slices) {
      if (s.size <= 0) continue;
      ghosts_.push_back({in_.axis.x_of_step(s.first.value), in_.axis.x_of_step(s.last.value),
                         static_cast<double>(s.offset), static_cast<double>(s.offset + s.size), kOutlineGhost, 0});
      p_.top = std::max(p_.top, s.offset + s.size);
    }
  }

  void add_other() {
    for (const Rect& r : other_rects(in_.comparison_input(), {})) {
      p_.other_arena = std::max(p_.other_arena, static_cast<Bytes>(r.y1));
      ghosts_.push_back(r);
    }
    p_.top = std::max(p_.top, p_.other_arena);
    p_.other = comparison_peak(in_.comparison_input(), {});
  }

  // Values of the whole run; without a run, the peak of the visible range.
  void set_shape(const SweepResult& swept, const std::stop_token& stop) {
    if (const auto shape = arena_shape(*in_.snapshot, in_.run, in_.plan, in_.shown_plan != nullptr, in_.axis, stop)) {
      p_.peak = shape->peak;
      p_.peak_x = shape->peak_x;
      p_.max_hole_bytes = shape->max_hole_bytes;
      p_.hole_id =
          shape->planned ? plan_figure(in_.plan->id, "max_holes") : run_figure(in_.run, "arena.max_holes_by_step");
      return;
    }
    for (const CurveSegment& l : swept.live) {
      if (l.max <= static_cast<double>(p_.peak)) continue;
      p_.peak = static_cast<Bytes>(l.max);
      p_.peak_x = (l.x0 + l.x1) / 2;
    }
  }

  const PrepareInput& in_;
  ArenaPicture& p_;
  Chains chains_;
  std::unordered_map<uint32_t, uint32_t> of_tensor_;
  std::unordered_set<uint32_t> has_seen_;
  std::vector<bool> is_new_;
  std::vector<LiveRect> rects_;
  std::vector<Rect> bodies_, outlines_, ghosts_;
};

}  // namespace

std::shared_ptr<const ArenaPicture> prepare_arena_map(const PrepareInput& input, const std::stop_token& stop,
                                                      ArenaMode show, SpaceChoice choice, bool with_plan,
                                                      ArenaColour colour) {
  auto p = std::make_shared<ArenaPicture>();
  p->colour = colour;
  if (shows_spaces(input, show)) {
    prepare_space_map(input, choice, *p, stop);
    if (with_plan && input.plan != nullptr) add_plan_ghost(input, *p);
  } else {
    ArenaPictureBuilder(input, *p).run(stop);
    colour_bodies(*p, input);
    p->derived = std::any_of(p->seen.begin(), p->seen.end(), [](const trace::ArenaAllocation& s) { return s.derived; });
  }
  return stop.stop_requested() ? nullptr : p;
}

}  // namespace arenascope::views
