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
  const double after = mode == AxisMode::Time ? x : mapping.time_of(own_step(x));
  return origin + static_cast<Nanoseconds>(std::llround(std::clamp(after, -9e15, 9e15)));
}

}  // namespace arenascope::views
