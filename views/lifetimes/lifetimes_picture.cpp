// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/spaces.h>
#include <views/lifetimes/lifetimes_picture.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace arenascope::views {

std::shared_ptr<const LifetimesPicture> prepare_lifetimes(const PrepareInput& in, const std::stop_token& stop) {
  auto p = std::make_shared<LifetimesPicture>();
  p->mode = in.axis.mode;
  p->spans = p->shares = p->captions = p->levels = p->ghosts = std::make_shared<RectSet>();
  if (lies_in_spaces(in)) {
    prepare_space_lifetimes(in, *p, stop);
    return stop.stop_requested() ? nullptr : p;
  }
  if (!in.plan) return p;
  const trace::PlanInfo& plan = *in.plan;
  p->plan = plan.id;
  const auto& slices = plan.slices;
  p->slices = slices.size();

  // By block, or by offset where the plan names none.
  std::map<std::pair<int64_t, Bytes>, std::vector<uint32_t>> by_block;
  Bytes all = 0;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    const trace::SliceInfo& s = slices[i];
    if (s.size <= 0 || s.last <= s.first) continue;
    by_block[{s.block.value, s.block.valid() ? 0 : s.offset}].push_back(i);
    all += s.size;
  }
  struct Block {
    LifetimesRow row;
    std::vector<uint32_t> members;
    bool together = false;  // two of them live at the same time
  };
  std::vector<Block> blocks;
  for (auto& [key, members] : by_block) {
    Block b{{}, std::move(members), false};
    Bytes lo = INT64_MAX, hi = 0;
    for (const uint32_t i : b.members) {
      lo = std::min(lo, slices[i].offset);
      hi = std::max(hi, slices[i].offset + slices[i].size);
    }
    b.row = {slices[b.members.front()].block, lo, hi - lo, b.members.size(), 0};
    std::stable_sort(b.members.begin(), b.members.end(),
                     [&](uint32_t x, uint32_t y) { return slices[x].first < slices[y].first; });
    blocks.push_back(std::move(b));
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) {
    return a.row.size != b.row.size ? a.row.size > b.row.size : a.row.offset < b.row.offset;
  });

  const Chains chains = chains_of(plan);
  const double steps = std::max<double>(static_cast<double>(plan.order.size()), 1);
  std::vector<Rect> spans, shares, captions, levels, ghosts;
  // By tensor of ours: where it lives elsewhere.
  struct Elsewhere {
    double x0 = 0, x1 = 0;
    uint32_t style = 0;
  };
  std::unordered_multimap<uint32_t, Elsewhere> elsewhere;
  if (in.ghost)
    for (const trace::SliceInfo& s : in.ghost->slices)
      elsewhere.emplace(s.tensor.value,
                        Elsewhere{in.axis.x_of_step(s.first.value), in.axis.x_of_step(s.last.value), 0});
  if (in.comparison) {
    const PrepareInput other = in.of_other();
    p->compared = other.plan != nullptr;
    if (other.plan && !lies_in_spaces(other))  // what it really used lay elsewhere
      for (const trace::SliceInfo& s : other.plan->slices)
        if (const trace::TensorRef ours = in.comparison->match.from_other(s.tensor); ours.valid())
          elsewhere.emplace(ours.value,
                            Elsewhere{other.axis.x_of_step(s.first.value), other.axis.x_of_step(s.last.value), 1});
  }
  spans.reserve(slices.size());
  for (size_t r = 0; r < blocks.size(); ++r) {
    if (stop.stop_requested()) return nullptr;
    Block& b = blocks[r];
    int32_t until = INT32_MIN;
    for (const uint32_t i : b.members) {
      if (slices[i].first.value < until) b.together = true;
      until = std::max(until, chains.handed_over[i]);
    }
    const double top = -static_cast<double>(r) - 0.08, height = 0.84;
    int32_t reached = -1;
    double used = 0;
    for (const uint32_t i : b.members) {
      const trace::SliceInfo& s = slices[i];
      if (s.level > 0) ++p->reused;
      used += std::max(0, s.last.value - std::max(s.first.value, reached));
      reached = std::max(reached, s.last.value);
      const double size = static_cast<double>(std::max<Bytes>(b.row.size, 1));
      const double share = height * static_cast<double>(s.size) / size;
      // The whole height where the block has one user at a time; else its own addresses, the lowest at the bottom.
      const double low = top - height;
      const double s0 = b.together ? low + height * static_cast<double>(s.offset - b.row.offset) / size : low;
      const double s1 = std::min(s0 + std::max(share, height * 0.06), top);
      const double y0 = s0, y1 = b.together ? s1 : top;
      const double x0 = in.axis.x_of_step(s.first.value), x1 = in.axis.x_of_step(chains.handed_over[i]);
      const trace::TensorInfo* tensor = SliceWords::tensor(in.graph, s.tensor);
      spans.push_back({x0, x1, y0, y1, slice_style(tensor, s.tensor, false), i});
      shares.push_back({x0, x1, s0, s1, slice_style(tensor, s.tensor, true), i});
      const bool on_share = (s1 - s0) * 2 >= y1 - y0;
      const bool light = tensor && (tensor->flags & (trace::kInput | trace::kOutput));
      const uint32_t caption = 3 * static_cast<uint32_t>(std::clamp(s.level, 0, 2)) + (!on_share ? 1 : light ? 2 : 0);
      captions.push_back({x0, x1, on_share ? s0 : s1, on_share ? s1 : y1, caption, i});
      for (auto [at, end] = elsewhere.equal_range(s.tensor.value); at != end; ++at)
        ghosts.push_back({at->second.x0, at->second.x1, y0, y1, at->second.style, i});
      if (s.level > 0) levels.push_back({x0, x1, y0, y1, static_cast<uint32_t>(std::min(s.level, 2) - 1), i});
    }
    b.row.used = std::min(used / steps, 1.0);
    p->rows.push_back(b.row);
  }
  p->saved = std::max<Bytes>(all - plan.arena_bytes, 0);
  p->spans = std::make_shared<RectSet>(std::move(spans));
  p->shares = std::make_shared<RectSet>(std::move(shares));
  p->captions = std::make_shared<RectSet>(std::move(captions));
  p->levels = std::make_shared<RectSet>(std::move(levels));
  p->ghosts = std::make_shared<RectSet>(std::move(ghosts));
  return p;
}

}  // namespace arenascope::views
