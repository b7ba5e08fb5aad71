// SPDX-License-Identifier: MIT
#include "engine/planner/loads.h"

#include <algorithm>
#include <bit>

namespace arenascope::planner {
namespace {

constexpr size_t kBlock = 32;

}  // namespace

Loads::Loads(const Items& items, const StopCheck& stop_check) {
  const size_t n = items.items.size();
  std::vector<std::pair<int64_t, Bytes>> begins(n), ends(n);
  for (size_t i = 0; i < n; ++i) {
    const Item& v = items.items[i];
    begins[i] = {v.lower, v.size};
    ends[i] = {v.upper, v.size};
  }
  const auto earlier = [&](const auto& a, const auto& b) {
    stop_check();
    return a < b;
  };
  if (!std::is_sorted(begins.begin(), begins.end())) std::sort(begins.begin(), begins.end(), earlier);
  std::sort(ends.begin(), ends.end(), earlier);
  Bytes live = 0;
  size_t b = 0, e = 0;
  while (e < n) {
    const int64_t step = b < n ? std::min(begins[b].first, ends[e].first) : ends[e].first;
    for (; b < n && begins[b].first == step; ++b) live += begins[b].second;
    for (; e < n && ends[e].first == step; ++e) live -= ends[e].second;
    stop_check();
    steps_.push_back(step);
    load_.push_back(live);
  }
  if (load_.empty()) return;
  const auto peak = std::max_element(load_.begin(), load_.end());
  peak_bytes_ = *peak;
  peak_step_ = steps_[static_cast<size_t>(peak - load_.begin())];
  std::vector<Bytes> blocks((load_.size() + kBlock - 1) / kBlock, 0);
  for (size_t k = 0; k < load_.size(); ++k) blocks[k / kBlock] = std::max(blocks[k / kBlock], load_[k]);
  max_.push_back(std::move(blocks));
  for (size_t width = 2; width <= max_[0].size(); width *= 2) {
    const std::vector<Bytes>& half = max_.back();
    std::vector<Bytes> whole(max_[0].size() - width + 1);
    for (size_t k = 0; k < whole.size(); ++k) whole[k] = std::max(half[k], half[k + width / 2]);
    max_.push_back(std::move(whole));
  }
}

int64_t Loads::min_load_step(int64_t lower, int64_t upper) const {
  const auto from = std::lower_bound(steps_.begin(), steps_.end(), lower) - steps_.begin();
  const auto to = std::lower_bound(steps_.begin() + from, steps_.end(), upper) - steps_.begin();
  if (from == to) return lower;
  return steps_[static_cast<size_t>(std::min_element(load_.begin() + from, load_.begin() + to) - load_.begin())];
}

Bytes Loads::most(const Item& v) const {
  const auto at = [&](int64_t step) {
    return static_cast<size_t>(std::lower_bound(steps_.begin(), steps_.end(), step) - steps_.begin());
  };
  const size_t from = at(v.lower), to = at(v.upper);
  Bytes most = 0;
  const size_t first = (from + kBlock - 1) / kBlock, last = to / kBlock;  // whole blocks
  if (first >= last) {
    for (size_t k = from; k < to; ++k) most = std::max(most, load_[k]);
    return most;
  }
  for (size_t k = from; k < first * kBlock; ++k) most = std::max(most, load_[k]);
  for (size_t k = last * kBlock; k < to; ++k) most = std::max(most, load_[k]);
  const auto level = static_cast<size_t>(std::bit_width(last - first) - 1);
  return std::max({most, max_[level][first], max_[level][last - (size_t{1} << level)]});
}

}  // namespace arenascope::planner
