// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/cursor_readout.h>
#include <views/common/sweep.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace arenascope::views {

namespace {

constexpr size_t kMaxLiveRects = 300000;

// Size of the union of intervals, in one pass sorted by begin.
Bytes united(std::vector<std::pair<Bytes, Bytes>> ranges) {
  std::sort(ranges.begin(), ranges.end());
  Bytes sum = 0, reached = INT64_MIN;
  for (const auto& [low, high] : ranges) {
    if (high <= reached) continue;
    sum += high - std::max(low, reached);
    reached = high;
  }
  return sum;
}

Figure bytes_figure(std::string id, Bytes bytes) {
  return figure(std::move(id), static_cast<double>(bytes), FigureUnit::Bytes);
}

bool covers(const trace::SliceInfo& s, Step step) { return s.first <= step && step < s.last; }

}  // namespace

CursorReadout::CursorReadout(const trace::Snapshot& snapshot, trace::RunId run, const trace::PlanInfo* plan,
                             bool only_plan, const AxisFrame& axis, double x)
    : snapshot_(snapshot), run_(run), plan_(plan), only_plan_(only_plan), by_step_(axis.mode == AxisMode::Step) {
  // Beyond the end of the recording: the last known state.
  time_ = std::clamp(axis.time_of_x(x), snapshot.time.begin, std::max(snapshot.time.begin, snapshot.time.end));
  const trace::StepMap map = snapshot.steps(run);
  if (by_step_ || map.empty()) {
    const double step = std::floor(axis.step_of_x(x));
    const int32_t steps = std::max(plan ? static_cast<int32_t>(plan->order.size()) : 0, map.steps());
    if (step >= 0 && step < steps) step_ = Step(static_cast<int32_t>(step));
  } else if (const auto mark = map.mark_at(time_)) {
    step_ = mark->step;
  }
  if (!by_step_ || !step_ || map.empty()) return;
  step_begin_ = map.time_of(step_->value);
  step_end_ = map.time_of(step_->value + 1.0);
}

std::string CursorReadout::at_time(const std::string& what) const {
  const std::string of = run_.valid() ? run_figure(run_, "at.") : "recording.at.";
  return of + std::to_string(time_ - snapshot_.time.begin) + "." + what;
}

std::string CursorReadout::id(const std::string& what) const {
  if (!by_step_) return at_time(what);
  return run_figure(run_, "step.") + std::to_string(step_ ? step_->value : -1) + "." + what;
}

Figure CursorReadout::step_figure() const {
  const bool is_derived = !by_step_ && !snapshot_.steps(run_).empty();
  return figure(is_derived ? at_time("step") : "chosen.step", step_ ? step_->value : -1, FigureUnit::Step);
}

std::vector<trace::ArenaAllocation> CursorReadout::observed() const {
  std::vector<trace::ArenaAllocation> out;
  const trace::Run* run = snapshot_.run(run_);
  if (only_plan_ || (by_step_ && (run == nullptr || !step_))) return out;
  if (!by_step_) {
    out = snapshot_.slices_in(time_, time_ + 1, kMaxLiveRects);
    std::erase_if(out, [&](const trace::ArenaAllocation& s) { return s.begin > time_ || s.end <= time_; });
    return out;
  }
  const trace::TimeRange t = trace::TimeRange{run->info.begin, std::max(run->end, snapshot_.time.end) + 1};
  out = snapshot_.slices_in(t.begin, t.end, kMaxLiveRects);
  std::erase_if(out,
                [&](const trace::ArenaAllocation& s) { return s.run != run_ || s.first > *step_ || s.last <= *step_; });
  return out;
}

Bytes CursorReadout::union_of_stays() const {
  std::vector<std::pair<Bytes, Bytes>> ranges;
  for (const trace::ArenaAllocation& s : observed()) ranges.emplace_back(s.offset, s.offset + s.bytes);
  return united(std::move(ranges));
}

Figure CursorReadout::live() const { return bytes_figure(id("live"), union_of_stays()); }
Figure CursorReadout::unused() const {
  return bytes_figure(id("unused"), (plan_ ? plan_->arena_bytes : 0) - union_of_stays());
}

Figure CursorReadout::planned() const {
  if (plan_ == nullptr || !step_ || step_->index() >= plan_->order.size()) return {};
  std::vector<std::pair<Bytes, Bytes>> ranges;
  for (const trace::SliceInfo& s : plan_->slices)
    if (covers(s, *step_)) ranges.emplace_back(s.offset, s.offset + s.size);
  return bytes_figure(views::step_figure(plan_->id, step_->value, "live"), united(std::move(ranges)));
}

std::optional<CursorReadout::Hole> CursorReadout::hole(Bytes address) const {
  std::vector<std::pair<Bytes, Bytes>> ranges;
  for (const trace::ArenaAllocation& s : observed()) ranges.emplace_back(s.offset, s.offset + s.bytes);
  std::set<uint32_t> seen;
  if (const trace::Run* run = snapshot_.run(run_); run != nullptr && !only_plan_)
    for (const trace::ArenaAllocation& s : snapshot_.slices_in(run->info.begin, snapshot_.time.end + 1, kMaxLiveRects))
      if (s.run == run_) seen.insert(s.tensor.value);
  for (size_t i = 0; plan_ != nullptr && step_ && i < plan_->slices.size(); ++i) {
    const trace::SliceInfo& s = plan_->slices[i];
    if (covers(s, *step_) && !seen.contains(s.tensor.value)) ranges.emplace_back(s.offset, s.offset + s.size);
  }
  Hole hole{0, INT64_MAX};
  for (const auto& [low, high] : ranges) {
    if (high <= low) continue;
    if (low <= address && address < high) return std::nullopt;
    if (high <= address) hole.low = std::max(hole.low, high);
    if (low > address) hole.high = std::min(hole.high, low);
  }
  return hole.high == INT64_MAX ? std::nullopt : std::optional(hole);
}

Figure CursorReadout::of_hole(const Hole& hole, bool end) const {
  const std::string what = "hole." + std::to_string(hole.low) + (end ? ".end" : ".bytes");
  const bool of_plan = only_plan_ || snapshot_.run(run_) == nullptr;
  const std::string of = of_plan && plan_ && step_ ? views::step_figure(plan_->id, step_->value, what) : id(what);
  return figure(of, static_cast<double>(end ? hole.high : hole.high - hole.low),
                end ? FigureUnit::Address : FigureUnit::Bytes);
}

Bytes CursorReadout::most(const trace::SeriesView& series) const {
  if (!by_step_) return static_cast<Bytes>(series.at(time_));
  const auto most = series.highest(step_begin_, std::max(step_end_, step_begin_ + 1));
  return step_ && most ? static_cast<Bytes>(most->value) : 0;
}

Figure CursorReadout::active(trace::MemoryKind kind) const {
  const auto& name = trace::kMemoryKindNames[static_cast<size_t>(kind)];
  return bytes_figure(id("kind." + std::string(name)), most(snapshot_.series(kind, trace::MemoryCount::Active)));
}

Figure CursorReadout::reserved() const { return bytes_figure(id("reserved"), most(snapshot_.all_reserved)); }

Figure CursorReadout::filled(trace::MemoryKind kind, bool rest) const {
  const Figure whole = active(kind);
  const trace::SeriesView* series = snapshot_.series_of(trace::CounterRole::CacheFilled);
  const double now = series ? series->at(by_step_ ? step_end_ : time_) : 0;
  const auto part = static_cast<Bytes>(std::min(whole.value, now));
  return bytes_figure(whole.id + (rest ? ".unfilled" : ".filled"),
                      rest ? static_cast<Bytes>(whole.value) - part : part);
}

std::vector<trace::SpaceAllocation> CursorReadout::allocations() const {
  auto out = snapshot_.space_slices_in(time_, time_ + 1, kMaxLiveRects);
  std::erase_if(out, [&](const trace::SpaceAllocation& s) { return s.begin > time_ || (!s.open && s.end <= time_); });
  return out;
}

Figure CursorReadout::of_allocator(uint32_t allocator) const {
  Bytes sum = 0;
  for (const trace::SpaceAllocation& s : allocations())
    if (s.allocator == allocator) sum += s.bytes;
  return bytes_figure(at_time("allocator." + std::to_string(allocator)), sum);
}

Figure CursorReadout::of_device(trace::DeviceId device) const {
  Bytes sum = 0;
  for (const trace::SpaceAllocation& s : allocations())
    if (s.device == device) sum += s.bytes;
  const bool known = device.valid() && device.index() < snapshot_.devices.size();
  return bytes_figure(at_time("device." + (known ? snapshot_.devices[device.index()].name : std::string())), sum);
}

Figure CursorReadout::of_class(MemoryClass which) const {
  const MemoryClasses classes(snapshot_);
  Bytes sum = 0;
  for (const trace::SpaceAllocation& s : allocations()) {
    std::map<MemoryClass, std::vector<std::pair<Bytes, Bytes>>> lives;
    if (trace::is_arena(s))
      for (const trace::ArenaAllocation& r : trace::slices_in_arena(snapshot_, s, {time_, time_ + 1}))
        if (r.begin <= time_ && r.end > time_) lives[classes.of(r)].emplace_back(r.offset, r.offset + r.bytes);
    std::vector<std::pair<Bytes, Bytes>> counted;
    Bytes before = 0;
    for (const auto& [of, ranges] : lives) {
      counted.insert(counted.end(), ranges.begin(), ranges.end());
      const Bytes now = united(counted);
      if (of == which) sum += now - before;
      before = now;
    }
    if (classes.of(s) == which) sum += s.bytes - before;
  }
  return bytes_figure(at_time("class." + std::to_string(static_cast<int>(which))), sum);
}

}  // namespace arenascope::views
