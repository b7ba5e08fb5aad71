// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/axis_mapping.h>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

AxisMapping::AxisMapping(std::vector<Anchor> anchors, int32_t steps) : steps_(steps) {
  std::sort(anchors.begin(), anchors.end(), [](const Anchor& x, const Anchor& y) { return x.step < y.step; });
  for (const Anchor& a : anchors) {
    if (!std::isfinite(a.step) || !std::isfinite(a.time)) continue;
    if (!anchors_.empty() && (a.step <= anchors_.back().step || a.time <= anchors_.back().time)) continue;
    anchors_.push_back(a);
  }
}

AxisMapping AxisMapping::from(const trace::StepMap& map, Nanoseconds origin, int32_t steps) {
  std::vector<Anchor> anchors;
  anchors.reserve(map.marks().size() + 1);
  for (const trace::StepMark& m : map.marks()) {
    anchors.push_back({static_cast<double>(m.step.value), static_cast<double>(m.time - origin)});
  }
  if (!map.empty()) {
    anchors.push_back({static_cast<double>(map.steps()), static_cast<double>(map.time_of(map.steps()) - origin)});
  }
  return AxisMapping(std::move(anchors), std::max(steps, map.steps()));
}

AxisMapping AxisMapping::of_runs(const trace::Snapshot& snapshot, trace::TimeRange recorded, Nanoseconds origin) {
  constexpr double kPause = 0.02;  // width of the time between two runs
  const auto after = [origin](Nanoseconds time) { return static_cast<double>(time - origin); };
  std::vector<Anchor> anchors;
  double n = 0;
  for (size_t i = snapshot.forgotten_runs; i < snapshot.runs.size(); ++i, ++n) {
    const trace::Run& run = snapshot.runs[i];
    if (n == 0 && recorded.begin < run.info.begin) anchors.push_back({-0.5, after(recorded.begin)});
    anchors.push_back({n, after(run.info.begin)});
    anchors.push_back({n + 1 - kPause, after(run.until())});
  }
  if (!anchors.empty() && after(recorded.end) > anchors.back().time) anchors.push_back({n + 0.5, after(recorded.end)});
  return AxisMapping(std::move(anchors), static_cast<int32_t>(n));
}

namespace {

// Linear interpolation between the two anchors around `at`; beyond the ends the mean slope is used.
double along(const std::vector<AxisMapping::Anchor>& anchors, double at, double AxisMapping::Anchor::*from,
             double AxisMapping::Anchor::*to) {
  if (anchors.size() < 2) return at;
  const AxisMapping::Anchor& front = anchors.front();
  const AxisMapping::Anchor& back = anchors.back();
  const double slope = (back.*to - front.*to) / (back.*from - front.*from);
  if (at <= front.*from) return front.*to + (at - front.*from) * slope;
  if (at >= back.*from) return back.*to + (at - back.*from) * slope;
  const auto next = std::upper_bound(anchors.begin(), anchors.end(), at,
                                     [&](double v, const AxisMapping::Anchor& a) { return v < a.*from; });
  const AxisMapping::Anchor &a = *(next - 1), &b = *next;
  return a.*to + (at - a.*from) / (b.*from - a.*from) * (b.*to - a.*to);
}

}  // namespace

double AxisMapping::step_at(double time) const { return along(anchors_, time, &Anchor::time, &Anchor::step); }
double AxisMapping::time_of(double step) const { return along(anchors_, step, &Anchor::step, &Anchor::time); }

AxisRange bounded(AxisRange range, AxisRange limits, double shortest) {
  const double longest = limits.length();  // an axis of one step shows one step, whatever the minimum is elsewhere
  shortest = std::min(shortest, longest);
  double length = range.length();
  if (!std::isfinite(range.lo) || !std::isfinite(range.hi) || !(length > 0)) return limits;
  const double middle = range.middle();
  if (length < shortest || length > longest) {
    length = std::clamp(length, shortest, longest);
    range = {middle - length / 2, middle + length / 2};
  }
  return panned(range, 0, limits);
}

AxisRange zoomed(AxisRange range, double factor, double centre, AxisRange limits, double shortest) {
  if (!(factor > 0) || !std::isfinite(factor)) return range;
  const double longest = limits.length();
  const double scaled_length = std::clamp(range.length() * factor, std::min(shortest, longest), longest);
  factor = scaled_length / range.length();
  return panned({centre - (centre - range.lo) * factor, centre + (range.hi - centre) * factor}, 0, limits);
}

AxisRange panned(AxisRange range, double delta, AxisRange limits) {
  const double length = range.length();
  double lo = range.lo + delta;
  lo = std::min(lo, limits.hi - length);
  lo = std::max(lo, limits.lo);
  return {lo, lo + length};
}

Nanoseconds AxisFrame::time_of_x(double x) const {
  const double after = mode == AxisMode::Time ? after_of_x(x) : mapping.time_of(own_step(x));
  return origin + static_cast<Nanoseconds>(std::llround(std::clamp(after, -9e15, 9e15)));
}

std::vector<AxisStretch> stretches_of(const AxisFrame& axis, int pixels, int min_pixels) {
  const bool by_steps = axis.mode == AxisMode::Step && !axis.mapping.empty();
  if (!by_steps && !axis.runs) return {{axis.time_range(), pixels}};
  const double per_unit = pixels / std::max(axis.range.length(), 1e-9);
  const double group = per_unit >= min_pixels ? 1 : std::ceil(min_pixels / per_unit);
  const double first = by_steps ? 0 : axis.runs->anchors().front().step,
               end_of_all = by_steps ? axis.mapping.steps() : axis.runs->anchors().back().step;
  const double lo = std::max(axis.range.lo, first), hi = std::min(axis.range.hi, end_of_all);
  std::vector<AxisStretch> list;
  for (double x = std::floor(lo / group) * group; x < hi; x += group) {
    const double end = std::min(x + group, end_of_all);
    const trace::TimeRange t{axis.time_of_x(std::max(x, first)), axis.time_of_x(end)};
    if (t.end > t.begin) list.push_back({t, std::max(static_cast<int>(std::ceil((end - x) * per_unit)), 1)});
  }
  return list;
}

std::vector<trace::CurvePoint> curve_on(const AxisFrame& axis, const trace::SeriesView& series, int pixels) {
  std::vector<trace::CurvePoint> out;
  for (const AxisStretch& part : stretches_of(axis, pixels)) {
    const auto points = series.curve(part.time.begin, part.time.end, part.pixels);
    out.insert(out.end(), points.begin(), points.end());
  }
  return out;
}

}  // namespace arenascope::views
