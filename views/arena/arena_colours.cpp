// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/arena/arena_colours.h>
#include <views/common/categories.h>
#include <views/common/format.h>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {

// The value that determines the shade; negative if unknown.
class Amounts {
 public:
  Amounts(const ArenaPicture& picture, const PrepareInput& in) : picture_(picture), in_(in) {
    if (picture.colour == ArenaColour::Time && in.graph != nullptr) stats_ = in.snapshot->stats(in.graph->id);
  }
  double of(const Rect& body) const {
    const ArenaItem& item = picture_.items[body.tag];
    if (picture_.colour == ArenaColour::Size) return body.y1 - body.y0;
    if (picture_.colour == ArenaColour::Time) {
      const bool ran =
          item.tensor.is_node() && item.tensor.index() < stats_.size() && stats_[item.tensor.index()].runs > 0;
      return ran ? stats_[item.tensor.index()].mean : -1;
    }
    const trace::SliceInfo* slice = item.slice >= 0 ? &in_.plan->slices[static_cast<size_t>(item.slice)] : nullptr;
    if (slice != nullptr) return slice->last.value - slice->first.value;
    return in_.axis.mode == AxisMode::Step ? body.x1 - body.x0 : -1;
  }

 private:
  const ArenaPicture& picture_;
  const PrepareInput& in_;
  std::vector<trace::NodeStats> stats_;
};

// Shades are equal steps of the logarithm between minimum and maximum, because sizes and times span decades.
void shade(std::vector<Rect>& bodies, ArenaPicture& picture, const PrepareInput& in) {
  const Amounts amounts(picture, in);
  double least = 1e300, most = 0;
  std::vector<double> of(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    of[i] = amounts.of(bodies[i]);
    if (of[i] < 0) continue;
    least = std::min(least, std::max(of[i], 1.0));
    most = std::max(most, std::max(of[i], 1.0));
  }
  const double span = most > least ? std::log(most / least) : 1;
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (of[i] < 0) continue;
    const bool planned = bodies[i].style >= kSliceStyles;
    const double share = std::log(std::max(of[i], 1.0) / least) / span;
    const auto step = std::min(static_cast<uint32_t>(share * kArenaShades), kArenaShades - 1);
    bodies[i].style = kArenaShade0 + step + (planned ? kArenaShades : 0);
  }
  if (most <= 0) return;
  for (const uint32_t step : {0U, kArenaShades / 2, kArenaShades - 1})
    picture.meanings.push_back({kArenaShade0 + step, {}, least * std::exp(span * step / (kArenaShades - 1))});
  if (most <= least) picture.meanings.resize(1);
}

}  // namespace

void colour_bodies(ArenaPicture& picture, const PrepareInput& in) {
  if (picture.colour == ArenaColour::Kind || picture.in_spaces || !picture.bodies) return;
  std::vector<Rect> bodies;
  bodies.reserve(picture.bodies->size());
  for (size_t i = 0; i < picture.bodies->size(); ++i) bodies.push_back((*picture.bodies)[i]);
  if (picture.colour == ArenaColour::Op || picture.colour == ArenaColour::Layer) {
    if (in.graph == nullptr) return;
    const auto text = picture.colour == ArenaColour::Op ? &trace::TensorInfo::op : &trace::TensorInfo::layer;
    const auto categories = categories_of(*in.graph, text, kArenaCategories);
    std::vector<bool> met(kArenaCategories, false);
    for (Rect& body : bodies) {
      const trace::TensorInfo* tensor = SliceText::tensor(in.graph, picture.items[body.tag].tensor);
      const auto it = tensor == nullptr ? categories.end() : categories.find(tensor->*text);
      if (it == categories.end()) continue;
      met[it->second] = true;
      body.style = kArenaCategory0 + it->second + (body.style >= kSliceStyles ? kArenaCategories : 0);
    }
    for (uint32_t c = 0; c < kArenaCategories; ++c) {
      if (!met[c]) continue;
      std::string name;
      int sharing = 0;
      for (const auto& [of_category, category] : categories)
        if (category == c) name = of_category, ++sharing;
      picture.meanings.push_back(
          {kArenaCategory0 + c, sharing == 1 ? name : std::string(), static_cast<double>(sharing)});
    }
  } else {
    shade(bodies, picture, in);
  }
  picture.bodies = std::make_shared<RectSet>(std::move(bodies));
}

QString ArenaColourNames::of(ArenaColour colour) {
  switch (colour) {
    case ArenaColour::Kind: return tr("Kind");
    case ArenaColour::Op: return tr("Op");
    case ArenaColour::Layer: return tr("Layer");
    case ArenaColour::Age: return tr("Lifetime length");
    case ArenaColour::Size: return tr("Size");
    case ArenaColour::Time: return tr("Node time");
  }
  return {};
}

}  // namespace arenascope::views
