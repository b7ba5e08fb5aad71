// SPDX-License-Identifier: GPL-3.0-or-later
// Lifetimes of allocations in allocator spaces: one row per address.
#include <views/common/spaces.h>
#include <views/lifetimes/lifetimes_picture.h>

#include <algorithm>
#include <map>

namespace arenascope::views {

namespace {

uint32_t style_of(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice) {
  return slice_style(snapshot.tensor(slice.graph, slice.tensor),
                     slice.tensor.valid() ? slice.tensor : trace::TensorRef{slice.block}, true);
}

// Memory lifetimes on the other side of the comparison, on our axis, by our tensor.
std::multimap<uint32_t, std::pair<double, double>> compared_with(const PrepareInput& in) {
  std::multimap<uint32_t, std::pair<double, double>> out;
  const PrepareInput other = in.comparison_input();
  const trace::TimeRange run = range_of_run(other);
  const auto add = [&](trace::TensorRef theirs, double x0, double x1) {
    const trace::TensorRef ours = in.comparison->match.from_other(theirs);
    if (ours.valid()) out.emplace(ours.value, std::pair(x0, x1));
  };
  if (is_in_spaces(other)) {
    for (const trace::SpaceAllocation& s : trace::slices_of(*other.snapshot, run, {})) {
      if (!s.tensor.valid() || other.graph == nullptr || s.graph != other.graph->id) continue;
      add(s.tensor, other.axis.x_of_time(std::max(s.begin, run.begin)),
          other.axis.x_of_time(s.open ? run.end : std::min(s.end, run.end)));
    }
  } else if (other.plan != nullptr) {
    for (const trace::SliceInfo& s : other.plan->slices)
      add(s.tensor, other.axis.x_of_step(s.first.value), other.axis.x_of_step(s.last.value));
  }
  return out;
}

// Lifetimes in the plan that the run did not use, by tensor.
std::map<uint32_t, std::pair<double, double>> planned(const PrepareInput& in) {
  std::map<uint32_t, std::pair<double, double>> out;
  for (const trace::SliceInfo& s : in.plan->slices)
    out[s.tensor.value] = {in.axis.x_of_step(s.first.value), in.axis.x_of_step(s.last.value)};
  return out;
}

}  // namespace

void prepare_space_lifetimes(const PrepareInput& in, const SpaceChoice& choice, LifetimesPicture& p,
                             const std::stop_token& stop, bool with_plan) {
  const trace::TimeRange run = range_of_run(in);
  p.in_spaces = true;
  p.choice = choice;
  p.call_sites = std::make_shared<const CallSites>(*in.snapshot);
  p.space_slices = trace::slices_of(*in.snapshot, run, choice);
  std::vector<trace::SpaceAddress> ranges = trace::group_by_address(p.space_slices, run);
  std::stable_sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  p.compared = in.comparison != nullptr;
  const auto elsewhere = p.compared ? compared_with(in) : decltype(compared_with(in))();
  const bool plan = with_plan && in.plan != nullptr;
  const auto by_plan = plan ? planned(in) : decltype(planned(in))();
  p.needed = plan ? in.plan->arena_bytes : 0;
  std::vector<Rect> spans, shares, captions, ghosts;
  for (size_t r = 0; r < ranges.size() && !stop.stop_requested(); ++r) {
    const trace::SpaceAddress& place = ranges[r];
    const double top = -static_cast<double>(r) - 0.08, height = 0.84, low = top - height;
    for (const uint32_t tag : place.slices) {
      const trace::SpaceAllocation& s = p.space_slices[tag];
      const double x0 = in.axis.x_of_time(std::max(s.begin, run.begin));
      const double x1 = in.axis.x_of_time(s.open ? run.end : std::min(s.end, run.end));
      const double share = static_cast<double>(s.bytes) / static_cast<double>(std::max<Bytes>(place.bytes, 1));
      const uint32_t style = style_of(*in.snapshot, s);
      spans.push_back({x0, x1, low, top, style + kSliceStyles, tag});
      const double high = low + height * std::max(share, 0.06);
      shares.push_back({x0, x1, low, high, style, tag});
      const bool on_share = share > 0.5, light = style == kSliceInput || style == kSliceOutput;
      captions.push_back(
          {x0, x1, on_share ? low : high, on_share ? high : top, on_share ? (light ? 2u : 0u) : 1u, tag});
      const bool of_graph = in.graph != nullptr && s.graph == in.graph->id && s.tensor.valid();
      if (const auto own = of_graph ? by_plan.find(s.tensor.value) : by_plan.end(); own != by_plan.end())
        ghosts.push_back({own->second.first, own->second.second, low, top, 2, tag});
      if (of_graph)
        for (auto [at, end] = elsewhere.equal_range(s.tensor.value); at != end; ++at)
          ghosts.push_back({at->second.first, at->second.second, low, top, 1, tag});
    }
    p.rows.push_back({BlockId(), static_cast<Bytes>(place.address), place.bytes, place.slices.size(), place.used});
  }
  p.spans = std::make_shared<RectSet>(std::move(spans));
  p.shares = std::make_shared<RectSet>(std::move(shares));
  p.captions = std::make_shared<RectSet>(std::move(captions));
  p.ghosts = std::make_shared<RectSet>(std::move(ghosts));
}

}  // namespace arenascope::views
