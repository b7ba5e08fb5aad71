// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/arena/space_map.h>

#include <algorithm>
#include <tuple>

namespace arenascope::views {

namespace {

// By tensor if it is known, otherwise by the purpose of the memory.
uint32_t style_of_memory(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice) {
  if (const trace::TensorInfo* tensor = snapshot.tensor(slice.graph, slice.tensor))
    return slice_style(tensor, slice.tensor, true);
  const bool weights = slice.kind == trace::MemoryKind::Persistent || slice.kind == trace::MemoryKind::Mapped;
  return weights ? static_cast<uint32_t>(kSliceWeight) : slice_style(nullptr, trace::TensorRef{slice.block}, true);
}

class SpaceMapBuilder {
 public:
  SpaceMapBuilder(const PrepareInput& in, ArenaPicture& p) : in_(in), p_(p), range_(range_of_run(in)) {}

  void run(const SpaceChoice& choice, const std::stop_token& stop) {
    const trace::Snapshot& s = *in_.snapshot;
    p_.call_sites = std::make_shared<const CallSites>(s);
    trace::TimeRange shown = in_.axis.time_range();
    if (in_.axis.mode == AxisMode::Step) shown = range_;
    // Bands keep their positions when panning, so they are laid out over the whole recording.
    std::vector<trace::Space> spaces = s.spaces_in(s.time.begin, s.time.end + 1, trace::kMaxSpaceAllocations);
    std::erase_if(spaces, [&](const trace::Space& space) { return !shows(choice, space); });
    const SpaceBands bands(spaces);
    for (const SpaceBand& band : bands.bands()) {
      if (band.from >= shown.end || band.to <= shown.begin) continue;
      const Extent x = extent(band.from, std::min(band.to, range_.end), false);
      p_.bands.push_back({band.allocator, x.x0, x.x1, band.lo, band.lo + static_cast<Bytes>(band.end - band.begin)});
    }
    for (const trace::Space& space : spaces) {
      if (stop.stop_requested()) return;
      if (space.begin < shown.end && (space.open || space.end > shown.begin))
        add_space(space, bands.at(space.allocator, space.device, space.address));
    }
    for (const trace::SpaceAllocation& slice : s.space_slices_in(shown.begin, shown.end, trace::kMaxSpaceAllocations)) {
      if (stop.stop_requested()) return;
      const Bytes lo = shows(choice, slice) ? bands.at(slice.space_allocator, slice.device, slice.address) : -1;
      if (lo >= 0) add_slice(slice, lo);
    }
    finish(choice);
  }

 private:
  struct Extent {
    double x0 = 0, x1 = 0;
  };
  // In step mode the range is clipped to the current run, which defines the axis. Live allocations extend to the end.
  Extent extent(Nanoseconds begin, Nanoseconds end, bool open) const {
    if (open) ++end;
    if (in_.axis.mode == AxisMode::Step) begin = std::max(begin, range_.begin), end = std::min(end, range_.end);
    return {in_.axis.x_of_time(begin), in_.axis.x_of_time(end)};
  }

  void add_space(const trace::Space& space, Bytes lo) {
    const Extent x = extent(space.begin, space.end, space.open);
    p_.top = std::max(p_.top, lo + space.bytes);
    p_.spaces.push_back(space);
    holes_.push_back({x.x0, x.x1, static_cast<double>(lo), static_cast<double>(lo + space.bytes), 0,
                      static_cast<uint32_t>(p_.spaces.size() - 1)});
  }

  void add_slice(const trace::SpaceAllocation& slice, Bytes lo) {
    const Extent x = extent(slice.begin, slice.end, slice.open);
    const Bytes hi = lo + slice.bytes;
    p_.top = std::max(p_.top, hi);
    p_.space_slices.push_back(slice);
    p_.items.push_back({slice.tensor, -1, -1, false, static_cast<int32_t>(p_.space_slices.size() - 1)});
    const auto tag = static_cast<uint32_t>(p_.items.size() - 1);
    if (slice.asked < slice.bytes)
      outlines_.push_back(
          {x.x0, x.x1, static_cast<double>(lo + slice.asked), static_cast<double>(hi), kOutlineWaste, tag});
    if (trace::is_arena(slice)) return add_arena(slice, x, lo, tag);
    bodies_.push_back({x.x0, x.x1, static_cast<double>(lo), static_cast<double>(lo + slice.asked),
                       style_of_memory(*in_.snapshot, slice), tag});
  }

  // Draws the tensors of an arena in place of its block.
  void add_arena(const trace::SpaceAllocation& arena, const Extent& x, Bytes band, uint32_t block) {
    outlines_.push_back(
        {x.x0, x.x1, static_cast<double>(band), static_cast<double>(band + arena.bytes), kOutlinePlan, block});
    const bool steps = in_.axis.mode == AxisMode::Step;
    const auto seen = trace::slices_in_arena(*in_.snapshot, arena, steps ? range_ : in_.axis.time_range());
    VisibleEnds visible_ends(*in_.snapshot, in_.axis, seen);
    for (const trace::ArenaAllocation& s : seen) {
      if (steps && s.run != in_.run) continue;
      LiveRect rect = live_rect_of(s, in_.axis);
      rect.x1 = visible_ends.end(s);
      p_.seen.push_back(s);
      p_.items.push_back({s.tensor, -1, static_cast<int32_t>(p_.seen.size() - 1), false, -1});
      p_.derived = p_.derived || s.derived;
      bodies_.push_back({rect.x0, std::min(rect.x1, x.x1), static_cast<double>(band + rect.lo),
                         static_cast<double>(band + rect.hi),
                         slice_style(in_.snapshot->tensor(arena.graph, s.tensor), s.tensor, true),
                         static_cast<uint32_t>(p_.items.size() - 1)});
    }
  }

  void finish(const SpaceChoice& choice) {
    p_.mode = in_.axis.mode;
    p_.by_runs = in_.axis.by_runs();
    p_.in_spaces = true;
    p_.choice = choice;
    p_.totals = trace::space_totals(*in_.snapshot, range_, choice);
    p_.peak = p_.totals.peak;
    p_.peak_x = in_.axis.x_of_time(p_.totals.peak_at);
    if (in_.axis.mode == AxisMode::Time) p_.covered = in_.axis.range;
    p_.bodies = std::make_shared<RectSet>(std::move(bodies_));
    p_.outlines = std::make_shared<RectSet>(std::move(outlines_));
    p_.holes = std::make_shared<RectSet>(std::move(holes_));
    std::vector<Rect> others;
    if (in_.comparison)
      others = other_rects(in_.comparison_input(), choice), p_.other = comparison_peak(in_.comparison_input(), choice);
    for (const Rect& r : others) p_.other_arena = std::max(p_.other_arena, static_cast<Bytes>(r.y1));
    p_.top = std::max(p_.top, p_.other_arena);
    p_.ghosts = std::make_shared<RectSet>(std::move(others));
  }

  const PrepareInput& in_;
  ArenaPicture& p_;
  const trace::TimeRange range_;
  std::vector<Rect> bodies_, outlines_, holes_;
};

}  // namespace

SpaceBands::SpaceBands(const std::vector<trace::Space>& spaces) {
  for (const trace::Space& s : spaces)
    bands_.push_back({s.allocator, s.device, s.address, s.address + static_cast<uint64_t>(s.bytes), s.begin,
                      s.open ? INT64_MAX : std::max(s.end, s.begin + 1), 0});
  const auto place = [](const SpaceBand& b) { return std::tuple(b.allocator, b.device, b.begin); };
  std::sort(bands_.begin(), bands_.end(), [&](const SpaceBand& a, const SpaceBand& b) { return place(a) < place(b); });
  std::vector<SpaceBand> joined;  // merged adjacent spaces
  for (const SpaceBand& b : bands_) {
    SpaceBand* last = joined.empty() ? nullptr : &joined.back();
    if (last == nullptr || last->allocator != b.allocator || last->device != b.device || last->end < b.begin) {
      joined.push_back(b);
      continue;
    }
    last->end = std::max(last->end, b.end);
    last->from = std::min(last->from, b.from);
    last->to = std::max(last->to, b.to);
  }
  bands_ = std::move(joined);
  std::vector<SpaceBand*> by_time;
  for (SpaceBand& b : bands_) by_time.push_back(&b);
  std::stable_sort(by_time.begin(), by_time.end(), [](auto* a, auto* b) { return a->from < b->from; });
  std::vector<const SpaceBand*> there;  // sorted by height
  const auto bytes = [](const SpaceBand& b) { return static_cast<Bytes>(b.end - b.begin); };
  for (SpaceBand* band : by_time) {
    std::erase_if(there, [&](const SpaceBand* b) { return b->to <= band->from; });
    auto before = there.begin();
    for (; before != there.end() && (*before)->lo < band->lo + bytes(*band); ++before)
      band->lo = std::max(band->lo, (*before)->lo + bytes(**before));
    there.insert(before, band);
  }
}

Bytes SpaceBands::at(uint32_t allocator, trace::DeviceId device, uint64_t address) const {
  const auto next = std::upper_bound(
      bands_.begin(), bands_.end(), std::tuple(allocator, device, address),
      [](const auto& p, const SpaceBand& b) { return p < std::tuple(b.allocator, b.device, b.begin); });
  if (next == bands_.begin()) return -1;
  const SpaceBand& band = *std::prev(next);
  if (band.allocator != allocator || band.device != device || address >= band.end) return -1;
  return band.lo + static_cast<Bytes>(address - band.begin);
}

namespace {

// Allocator numbers differ between recordings, so an allocator cannot be chosen on the other side.
SpaceChoice choice_of_other(const SpaceChoice& choice) {
  return {choice.of == SpaceChoice::Of::All ? choice.of : SpaceChoice::Of::Working, 0};
}

}  // namespace

ComparisonPeak comparison_peak(const PrepareInput& other, const SpaceChoice& choice) {
  const trace::Snapshot& s = *other.snapshot;
  if (is_in_spaces(other)) {
    const SpaceChoice theirs = choice_of_other(choice);
    const trace::SpaceTotals totals = trace::space_totals(s, range_of_run(other), theirs);
    if (totals.reserved_known) return {space_figure(other.run, theirs, "reserved"), totals.reserved, true};
    return {space_figure(other.run, theirs, "peak"), totals.peak, false};
  }
  ComparisonPeak most;
  AxisFrame steps = other.axis;
  steps.mode = AxisMode::Step;
  steps.align = nullptr;
  for (const trace::ArenaAllocation& slice : seen_slices(s, other.run, steps).slices)
    most.bytes = std::max(most.bytes, slice.offset + slice.bytes), most.id = run_figure(other.run, "arena.top");
  if (most.id.empty() && other.plan != nullptr && s.run(other.run) == nullptr)
    for (const trace::SliceInfo& slice : other.plan->slices)
      most.bytes = std::max(most.bytes, slice.offset + slice.size), most.id = plan_figure(other.plan->id, "top");
  return most;
}

std::vector<Rect> other_rects(const PrepareInput& other, const SpaceChoice& choice) {
  std::vector<Rect> rects;
  const auto add = [&](double x0, double x1, Bytes lo, Bytes hi) {
    if (hi > lo && x1 > x0)
      rects.push_back({x0, x1, static_cast<double>(lo), static_cast<double>(hi), kOutlineOther, 0});
  };
  const trace::Snapshot& s = *other.snapshot;
  if (is_in_spaces(other)) {
    const SpaceChoice theirs = choice_of_other(choice);
    const trace::TimeRange run = range_of_run(other);
    std::vector<trace::Space> spaces = s.spaces_in(run.begin, run.end, trace::kMaxSpaceAllocations);
    std::erase_if(spaces, [&](const trace::Space& space) { return !shows(theirs, space); });
    const SpaceBands bands(spaces);
    for (const trace::SpaceAllocation& slice : trace::slices_of(s, run, theirs)) {
      const Bytes lo = bands.at(slice.space_allocator, slice.device, slice.address);
      const Nanoseconds end = slice.open ? run.end : std::min(slice.end, run.end);
      if (lo >= 0)
        add(other.axis.x_of_time(std::max(slice.begin, run.begin)), other.axis.x_of_time(end), lo, lo + slice.bytes);
    }
    return rects;
  }
  for (const trace::ArenaAllocation& slice : seen_slices(s, other.run, other.axis).slices) {
    const LiveRect rect = live_rect_of(slice, other.axis);
    add(rect.x0, rect.x1, rect.lo, rect.hi);
  }
  if (rects.empty() && other.plan != nullptr && s.run(other.run) == nullptr)
    for (const LiveRect& rect : planned_rects(*other.plan, other.axis)) add(rect.x0, rect.x1, rect.lo, rect.hi);
  return rects;
}

void add_plan_ghost(const PrepareInput& input, ArenaPicture& picture) {
  std::vector<Rect> ghosts;
  for (size_t i = 0; i < picture.ghosts->size(); ++i) ghosts.push_back((*picture.ghosts)[i]);
  for (const LiveRect& s : planned_rects(*input.plan, input.axis))
    if (s.x1 > s.x0 && s.hi > s.lo)
      ghosts.push_back({s.x0, s.x1, static_cast<double>(s.lo), static_cast<double>(s.hi), kOutlineGhost, 0});
  picture.needed = input.plan->arena_bytes;
  picture.top = std::max(picture.top, picture.needed);
  picture.ghosts = std::make_shared<RectSet>(std::move(ghosts));
}

void prepare_space_map(const PrepareInput& input, const SpaceChoice& choice, ArenaPicture& picture,
                       const std::stop_token& stop) {
  SpaceMapBuilder(input, picture).run(choice, stop);
}

}  // namespace arenascope::views
