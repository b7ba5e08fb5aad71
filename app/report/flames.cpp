// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/flames.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <arenascope/trace/flame_tree.h>

namespace arenascope::app {
namespace {

using Json = ReportJson;

const char* unit_name(trace::FlameUnit unit) {
  switch (unit) {
    case trace::FlameUnit::Bytes: return "bytes";
    case trace::FlameUnit::Nanoseconds: return "nanoseconds";
    case trace::FlameUnit::Flops: return "flops";
  }
  return "";
}

// The frames with the largest totals, by index. No total is larger than that of the parent, so that they are a tree.
std::vector<size_t> largest_frames(const trace::FlameTree& tree, size_t limit) {
  std::vector<size_t> kept(tree.frames.size());
  std::iota(kept.begin(), kept.end(), size_t{0});
  if (kept.size() <= limit) return kept;
  std::stable_sort(kept.begin(), kept.end(),
                   [&](size_t a, size_t b) { return tree.frames[a].total > tree.frames[b].total; });
  kept.resize(limit);
  std::sort(kept.begin(), kept.end());
  return kept;
}

Json flame_json(const trace::FlameTree& tree, trace::FlameWeight weight, ReportNames& names, size_t limit) {
  const std::vector<size_t> kept = largest_frames(tree, limit);
  std::vector<size_t> position(tree.frames.size(), 0);  // in the list
  Json frames = Json::array();
  for (const size_t index : kept) {
    const trace::FlameFrame& frame = tree.frames[index];
    position[index] = frames.size();
    frames.push_back({names.number(tree.name(frame)), position[frame.parent], std::llround(frame.total),
                      std::llround(frame.self), frame.count});
  }
  return {{"weight", trace::name(weight)},
          {"unit", unit_name(tree.unit)},
          {"frames", frames},
          {"omitted", tree.frames.size() - kept.size()}};
}

}  // namespace

Json flames_json(const trace::Snapshot& snapshot, ReportNames& names, size_t limit) {
  Json flames = Json::array();
  if (limit <= 1) return flames;
  for (const trace::FlameWeight weight : trace::flame_weights(snapshot)) {
    const trace::FlameTree tree = trace::flame_tree(snapshot, weight);
    if (!tree.empty()) flames.push_back(flame_json(tree, weight, names, limit));
  }
  return flames;
}

}  // namespace arenascope::app
