// SPDX-License-Identifier: MIT
#include "engine/trace/flame_tree_builder.h"

#include <algorithm>
#include <numeric>

namespace arenascope::trace {

FlameTreeBuilder::FlameTreeBuilder() {
  frames_.emplace_back().name = intern("all");
  largest_.push_back(0);
}

uint32_t FlameTreeBuilder::intern(std::string name) {
  const auto [it, added] = name_of_.try_emplace(std::move(name), static_cast<uint32_t>(names_.size()));
  if (added) names_.push_back(it->first);
  return it->second;
}

uint32_t FlameTreeBuilder::new_child(uint32_t parent, uint32_t name, FlameKind kind, const FlameOrigin& origin) {
  const auto frame = static_cast<uint32_t>(frames_.size());
  frames_.push_back(
      {.name = name, .parent = parent, .depth = frames_[parent].depth + 1, .kind = kind, .origin = origin});
  largest_.push_back(0);
  return frame;
}

uint32_t FlameTreeBuilder::child(uint32_t parent, uint32_t name, FlameKind kind, const FlameOrigin& origin) {
  const auto [it, added] = child_of_.try_emplace(uint64_t{parent} << 32 | name << 3 | static_cast<uint32_t>(kind), 0);
  if (added) it->second = new_child(parent, name, kind, origin);
  return it->second;
}

void FlameTreeBuilder::add(uint32_t frame, double weight, int64_t count, const FlameOrigin& origin) {
  FlameFrame& f = frames_[frame];
  f.self += weight;
  f.count += count;
  if (weight <= largest_[frame]) return;
  largest_[frame] = weight;
  f.origin = origin;
}

// A function takes the origin of its largest descendant.
void FlameTreeBuilder::sum_up() {
  for (uint32_t i = static_cast<uint32_t>(frames_.size()); i-- > 0;) {
    FlameFrame& frame = frames_[i];
    frame.self = std::max(frame.self, 0.0);
    frame.total += frame.self;
    if (i == 0) return;
    FlameFrame& parent = frames_[frame.parent];
    parent.total += frame.total;
    if (parent.kind != FlameKind::Function || largest_[i] <= largest_[frame.parent]) continue;
    largest_[frame.parent] = largest_[i];
    parent.origin = frame.origin;
  }
}

FlameTree FlameTreeBuilder::finish(FlameUnit unit) && {
  sum_up();
  std::vector<uint32_t> kept(frames_.size() - 1);
  std::iota(kept.begin(), kept.end(), 1);
  std::erase_if(kept, [&](uint32_t f) { return frames_[f].total <= 0; });
  std::ranges::sort(kept, [&](uint32_t x, uint32_t y) {
    const FlameFrame &a = frames_[x], &b = frames_[y];
    if (a.parent != b.parent) return a.parent < b.parent;
    if (a.total != b.total) return a.total > b.total;
    if (a.name != b.name) return names_[a.name] < names_[b.name];
    return x < y;
  });
  std::vector<std::pair<uint32_t, uint32_t>> of_parent(frames_.size());  // a range of `kept`
  for (uint32_t i = 0; i < kept.size(); ++i) {
    auto& [first, count] = of_parent[frames_[kept[i]].parent];
    if (count++ == 0) first = i;
  }
  FlameTree tree;
  tree.unit = unit;
  tree.names = std::move(names_);
  tree.frames.reserve(kept.size() + 1);
  std::vector<uint32_t> built{0};  // frame of frames_ that each frame of the tree was
  tree.frames.push_back(frames_[0]);
  for (uint32_t i = 0; i < tree.frames.size(); ++i) {
    const auto [first, count] = of_parent[built[i]];
    tree.frames[i].first_child = static_cast<uint32_t>(tree.frames.size());
    tree.frames[i].children = count;
    for (uint32_t c = first; c < first + count; ++c) {
      built.push_back(kept[c]);
      tree.frames.push_back(std::move(frames_[kept[c]]));
      tree.frames.back().parent = i;
    }
  }
  return tree;
}

}  // namespace arenascope::trace
