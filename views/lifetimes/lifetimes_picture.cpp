// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/spaces.h>
#include <views/common/sweep.h>
#include <views/lifetimes/lifetimes_picture.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace arenascope::views {
namespace {

struct Block {
  LifetimesRow row;
  std::vector<uint32_t> members;  // slices, by first step
  bool together = false;          // two of them are live at the same time
};

// Grouped by block, or by offset if the plan has no blocks; largest first.
std::vector<Block> blocks_of(const std::vector<trace::SliceInfo>& slices) {
  std::map<std::pair<int64_t, Bytes>, std::vector<uint32_t>> by_block;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    const trace::SliceInfo& s = slices[i];
    if (s.size > 0 && s.last > s.first) by_block[{s.block.value, s.block.valid() ? 0 : s.offset}].push_back(i);
  }
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
  return blocks;
}

// Lifetimes of our tensors on the other side of the comparison.
struct Elsewhere {
  double x0 = 0, x1 = 0;
  uint32_t style = 0;
};

std::unordered_multimap<uint32_t, Elsewhere> elsewhere_of(const PrepareInput& in, LifetimesPicture& p) {
  std::unordered_multimap<uint32_t, Elsewhere> out;
  if (in.ghost)
    for (const trace::SliceInfo& s : in.ghost->slices)
      out.emplace(s.tensor.value, Elsewhere{in.axis.x_of_step(s.first.value), in.axis.x_of_step(s.last.value), 0});
  if (!in.comparison) return out;
  const PrepareInput other = in.comparison_input();
  p.compared = other.plan != nullptr;
  if (other.plan && !is_in_spaces(other))  // otherwise the run used other memory than planned
    for (const trace::SliceInfo& s : other.plan->slices)
      if (const trace::TensorRef ours = in.comparison->match.from_other(s.tensor); ours.valid())
        out.emplace(ours.value, Elsewhere{other.axis.x_of_step(s.first.value), other.axis.x_of_step(s.last.value), 1});
  return out;
}

class Rows {
 public:
  Rows(const PrepareInput& in, LifetimesPicture& picture)
      : in_(in),
        picture_(picture),
        slices_(in.plan->slices),
        chains_(chains_of(*in.plan)),
        elsewhere_(elsewhere_of(in, picture)) {
    spans_ = copied(picture.spans), shares_ = copied(picture.shares), captions_ = copied(picture.captions);
    levels_ = copied(picture.levels), ghosts_ = copied(picture.ghosts);
    if (in.shown_plan == nullptr) find_seen();
  }

  void add(Block& b) {
    int32_t until = INT32_MIN;
    for (const uint32_t i : b.members) {
      if (slices_[i].first.value < until) b.together = true;
      until = std::max(until, chains_.reused_at[i]);
    }
    int32_t reached = -1;
    double used = 0;
    for (const uint32_t i : b.members) {
      const trace::SliceInfo& s = slices_[i];
      used += std::max(0, s.last.value - std::max(s.first.value, reached));
      reached = std::max(reached, s.last.value);
      draw(b, i);
    }
    b.row.used = std::min(used / std::max<double>(static_cast<double>(in_.plan->order.size()), 1), 1.0);
    picture_.rows.push_back(b.row);
  }

  void finish() {
    picture_.spans = std::make_shared<RectSet>(std::move(spans_));
    picture_.shares = std::make_shared<RectSet>(std::move(shares_));
    picture_.captions = std::make_shared<RectSet>(std::move(captions_));
    picture_.levels = std::make_shared<RectSet>(std::move(levels_));
    picture_.ghosts = std::make_shared<RectSet>(std::move(ghosts_));
  }

 private:
  static std::vector<Rect> copied(const std::shared_ptr<const RectSet>& set) {
    std::vector<Rect> out;
    for (size_t i = 0; i < set->size(); ++i) out.push_back((*set)[i]);
    return out;
  }
  void find_seen() {
    AxisFrame steps = in_.axis;  // axis of the whole run
    steps.mode = AxisMode::Step;
    for (const trace::ArenaAllocation& s : seen_slices(*in_.snapshot, in_.run, steps).slices) {
      const LiveRect rect = live_rect_of(s, in_.axis);
      seen_.insert_or_assign(s.tensor.value, std::pair(rect.x0, rect.x1));
      picture_.derived = picture_.derived || s.derived;
    }
  }

  void draw(const Block& b, uint32_t i) {
    const trace::SliceInfo& s = slices_[i];
    const double top = -static_cast<double>(picture_.rows.size()) - 0.08, height = 0.84;
    const double size = static_cast<double>(std::max<Bytes>(b.row.size, 1));
    const double share = height * static_cast<double>(s.size) / size;
    // The full height if the block has one user at a time; otherwise its address range in the block, lowest at the
    // bottom.
    const double low = top - height;
    const double s0 = b.together ? low + height * static_cast<double>(s.offset - b.row.offset) / size : low;
    const double s1 = std::min(s0 + std::max(share, height * 0.06), top);
    const double y0 = s0, y1 = b.together ? s1 : top;
    double x0 = in_.axis.x_of_step(s.first.value), x1 = in_.axis.x_of_step(chains_.reused_at[i]);
    const auto seen = seen_.find(s.tensor.value);
    if (seen != seen_.end()) {
      ++picture_.seen;
      x0 = seen->second.first;
      x1 = chains_.next[i] >= 0 ? std::min(x1, seen->second.second) : seen->second.second;
    }
    const trace::TensorInfo* tensor = SliceText::tensor(in_.graph, s.tensor);
    const uint32_t tag = picture_.first_of_plan + i;
    spans_.push_back({x0, x1, y0, y1, slice_style(tensor, s.tensor, false), tag});
    shares_.push_back({x0, x1, s0, s1, slice_style(tensor, s.tensor, seen_.empty() || seen != seen_.end()), tag});
    const bool on_share = (s1 - s0) * 2 >= y1 - y0;
    const bool light = tensor && (tensor->flags & (trace::kInput | trace::kOutput));
    const uint32_t caption = 3 * static_cast<uint32_t>(std::clamp(s.level, 0, 2)) + (!on_share ? 1 : light ? 2 : 0);
    captions_.push_back({x0, x1, on_share ? s0 : s1, on_share ? s1 : y1, caption, tag});
    for (auto [at, end] = elsewhere_.equal_range(s.tensor.value); at != end; ++at)
      ghosts_.push_back({at->second.x0, at->second.x1, y0, y1, at->second.style, tag});
    if (s.level == 0) return;
    ++picture_.reused;
    levels_.push_back({x0, x1, y0, y1, static_cast<uint32_t>(std::min(s.level, 2) - 1), tag});
  }

  const PrepareInput& in_;
  LifetimesPicture& picture_;
  const std::vector<trace::SliceInfo>& slices_;
  const Chains chains_;
  const std::unordered_multimap<uint32_t, Elsewhere> elsewhere_;
  std::unordered_map<uint32_t, std::pair<double, double>> seen_;  // x range, by tensor
  std::vector<Rect> spans_, shares_, captions_, levels_, ghosts_;
};

// Adds a row for each block of the plan after the existing rows. Returns the total size of all tensors.
Bytes add_plan_rows(const PrepareInput& in, LifetimesPicture& p, const std::stop_token& stop) {
  p.plan = in.plan->id;
  p.slices = in.plan->slices.size();
  std::vector<Block> blocks = blocks_of(in.plan->slices);
  Bytes all = 0;
  Rows rows(in, p);
  for (Block& block : blocks) {
    if (stop.stop_requested()) break;
    for (const uint32_t i : block.members) all += in.plan->slices[i].size;
    rows.add(block);
  }
  rows.finish();
  return all;
}

// True if the arena of the run's plan is among the allocations.
bool has_arena(const PrepareInput& in, const LifetimesPicture& p) {
  return in.plan != nullptr && std::any_of(p.space_slices.begin(), p.space_slices.end(), [&](const auto& slice) {
           return trace::is_arena(slice) && slice.graph == in.plan->graph;
         });
}

}  // namespace

std::shared_ptr<const LifetimesPicture> prepare_lifetimes(const PrepareInput& in, const std::stop_token& stop,
                                                          bool with_plan, ArenaMode show, const SpaceChoice& choice) {
  auto p = std::make_shared<LifetimesPicture>();
  p->mode = in.axis.mode;
  p->by_runs = in.axis.by_runs();
  p->spans = p->shares = p->captions = p->levels = p->ghosts = std::make_shared<RectSet>();
  if (shows_spaces(in, show)) {
    prepare_space_lifetimes(in, choice, *p, stop, with_plan);
    p->first_of_plan = static_cast<uint32_t>(p->space_slices.size());
    if (has_arena(in, *p)) add_plan_rows(in, *p, stop);
  } else if (in.plan) {
    p->saved = std::max<Bytes>(add_plan_rows(in, *p, stop) - in.plan->arena_bytes, 0);
  }
  return stop.stop_requested() ? nullptr : p;
}

}  // namespace arenascope::views
