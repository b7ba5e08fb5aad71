// SPDX-License-Identifier: GPL-3.0-or-later
// Lifetimes where tensors lie in allocators' spaces: a row for each place from which memory was handed out.
#include <views/common/spaces.h>
#include <views/lifetimes/lifetimes_picture.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace arenascope::views {

namespace {

constexpr size_t kMost = 300000;  // slices taken in

uint32_t style_of(const trace::Snapshot& snapshot, const trace::SpaceSlice& slice) {
  return slice_style(snapshot.tensor(slice.graph, slice.tensor),
                     slice.tensor.valid() ? slice.tensor : trace::TensorRef{slice.block}, true);
}

// Of the range, how much at least one of a row's slices was there; they are by when they begin.
double used_share(const std::vector<const trace::SpaceSlice*>& slices, trace::TimeRange range) {
  Nanoseconds reached = range.begin, used = 0;
  for (const trace::SpaceSlice* s : slices) {
    const Nanoseconds end = s->open ? range.end : std::min(s->end, range.end);
    if (end <= reached) continue;
    used += end - std::max(s->begin, reached);
    reached = end;
  }
  return range.length() > 0 ? static_cast<double>(used) / static_cast<double>(range.length()) : 0;
}

}  // namespace

void prepare_space_lifetimes(const PrepareInput& in, LifetimesPicture& p, const std::stop_token& stop) {
  const trace::TimeRange run = range_of_run(in);
  const SpaceChoice choice;
  p.in_spaces = true;
  p.space_slices = in.snapshot->space_slices_in(run.begin, run.end, kMost);
  std::erase_if(p.space_slices, [&](const trace::SpaceSlice& s) { return !shows(choice, s); });
  using Place = std::tuple<uint32_t, trace::DeviceId, uint64_t>;
  std::map<Place, std::vector<const trace::SpaceSlice*>> by_place;
  for (const trace::SpaceSlice& s : p.space_slices) by_place[{s.space_allocator, s.device, s.address}].push_back(&s);
  struct Row {
    LifetimesRow row;
    std::vector<const trace::SpaceSlice*> slices;
  };
  std::vector<Row> rows;
  for (auto& [place, slices] : by_place) {
    std::stable_sort(slices.begin(), slices.end(), [](auto* a, auto* b) { return a->begin < b->begin; });
    Row row{{BlockId(), static_cast<Bytes>(std::get<uint64_t>(place)), 0, slices.size(), used_share(slices, run)}, {}};
    for (const trace::SpaceSlice* s : slices) row.row.size = std::max(row.row.size, s->bytes);
    row.slices = std::move(slices);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.row.size > b.row.size; });
  std::vector<Rect> spans, shares, captions;
  for (size_t r = 0; r < rows.size() && !stop.stop_requested(); ++r) {
    const double top = -static_cast<double>(r) - 0.08, height = 0.84, low = top - height;
    for (const trace::SpaceSlice* s : rows[r].slices) {
      const double x0 = in.axis.x_of_time(std::max(s->begin, run.begin));
      const double x1 = in.axis.x_of_time(s->open ? run.end : std::min(s->end, run.end));
      const double share = static_cast<double>(s->bytes) / static_cast<double>(std::max<Bytes>(rows[r].row.size, 1));
      const auto tag = static_cast<uint32_t>(s - p.space_slices.data());
      const uint32_t style = style_of(*in.snapshot, *s);
      spans.push_back({x0, x1, low, top, style + kSliceStyles, tag});
      const double high = low + height * std::max(share, 0.06);
      shares.push_back({x0, x1, low, high, style, tag});
      const bool on_share = share > 0.5, light = style == kSliceInput || style == kSliceOutput;
      captions.push_back(
          {x0, x1, on_share ? low : high, on_share ? high : top, on_share ? (light ? 2u : 0u) : 1u, tag});
    }
    p.rows.push_back(rows[r].row);
  }
  p.spans = std::make_shared<RectSet>(std::move(spans));
  p.shares = std::make_shared<RectSet>(std::move(shares));
  p.captions = std::make_shared<RectSet>(std::move(captions));
}

}  // namespace arenascope::views
