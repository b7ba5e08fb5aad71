// SPDX-License-Identifier: MIT
#include <arenascope/planner/crowd.h>
#include <arenascope/planner/fit.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace arenascope::planner {
namespace {

constexpr int kRepairs = 4;

// Live bytes over time: load[k] from step[k] on; and the largest load of any range of steps.
class Loads {
 public:
  explicit Loads(const Items& items) {
    std::vector<std::pair<int64_t, Bytes>> changes;
    changes.reserve(2 * items.items.size());
    for (const Item& v : items.items) {
      changes.emplace_back(v.lower, v.size);
      changes.emplace_back(v.upper, -v.size);
    }
    std::sort(changes.begin(), changes.end());
    Bytes live = 0;
    std::vector<Bytes> load;
    for (const auto& [step, change] : changes) {
      live += change;
      if (!steps_.empty() && steps_.back() == step) {
        load.back() = live;
      } else {
        steps_.push_back(step);
        load.push_back(live);
      }
    }
    most_.push_back(std::move(load));
    for (size_t width = 2; width <= steps_.size(); width *= 2) {
      const std::vector<Bytes>& half = most_.back();
      std::vector<Bytes> whole(steps_.size() - width + 1);
      for (size_t k = 0; k < whole.size(); ++k) whole[k] = std::max(half[k], half[k + width / 2]);
      most_.push_back(std::move(whole));
    }
    const auto peak = std::max_element(most_[0].begin(), most_[0].end());
    peak_bytes_ = *peak;
    peak_step_ = steps_[static_cast<size_t>(peak - most_[0].begin())];
  }

  Bytes most(const Item& v) const {
    const auto at = [&](int64_t step) {
      return static_cast<size_t>(std::lower_bound(steps_.begin(), steps_.end(), step) - steps_.begin());
    };
    const size_t from = at(v.lower), to = at(v.upper);
    if (from >= to) return 0;
    const auto level = static_cast<size_t>(std::bit_width(to - from) - 1);
    return std::max(most_[level][from], most_[level][to - (size_t{1} << level)]);
  }
  Bytes peak_bytes() const { return peak_bytes_; }
  bool at_peak(const Item& v) const { return v.lower <= peak_step_ && peak_step_ < v.upper; }

 private:
  std::vector<int64_t> steps_;
  std::vector<std::vector<Bytes>> most_;  // [k][i]: over the 2^k steps from i on
  Bytes peak_bytes_ = 0;
  int64_t peak_step_ = 0;
};

// The items in `order`, those with the larger rank first.
std::vector<int32_t> ranked(const std::vector<int32_t>& order, const std::vector<int>& rank) {
  std::vector<int32_t> out = order;
  std::stable_sort(out.begin(), out.end(), [&](int32_t a, int32_t b) { return rank[a] > rank[b]; });
  return out;
}

}  // namespace

void try_crowded_first(const Items& items, Incumbent& best) {
  const size_t n = items.items.size();
  const auto stop = [&] { return best.done(); };
  if (n < 2 || stop()) return;
  const Loads loads(items);
  constexpr double kTiers = 10;
  std::vector<int> tier(n), fine(n), peak(n);
  for (size_t i = 0; i < n; ++i) {
    const double share = static_cast<double>(loads.most(items.items[i])) / static_cast<double>(loads.peak_bytes());
    tier[i] = static_cast<int>(kTiers * share);
    fine[i] = static_cast<int>(1e6 * share);
    peak[i] = loads.at_peak(items.items[i]) ? 1 : 0;
  }
  const std::vector<int32_t> by_size = order_by(items, Key::size), by_length = order_by(items, Key::length);
  std::vector<int32_t> peak_by_length = ranked(by_length, peak);
  // Behind those at the peak, the rest by size.
  const auto rest = std::find_if(peak_by_length.begin(), peak_by_length.end(), [&](int32_t i) { return peak[i] == 0; });
  std::copy_if(by_size.begin(), by_size.end(), rest, [&](int32_t i) { return peak[i] == 0; });
  std::array<std::vector<int32_t>, 5> orders{ranked(by_size, tier), std::move(peak_by_length), ranked(by_size, peak),
                                             ranked(by_length, tier), ranked(by_size, fine)};
  Placer placer(items);
  std::vector<int> above(n);
  for (int round = 0; round <= kRepairs; ++round) {
    for (std::vector<int32_t>& order : orders) {
      if (stop()) return;
      placer.clear();
      const std::optional<std::vector<Bytes>> offsets = placer.place_all(order, Fit::first, stop);
      if (!offsets) return;
      best.offer(*offsets);
      const Bytes goal = best.capacity() ? std::max(*best.capacity(), best.bound()) : best.bound();
      for (size_t i = 0; i < n; ++i) above[i] = (*offsets)[i] + items.items[i].size > goal ? 1 : 0;
      order = ranked(order, above);
    }
  }
}

}  // namespace arenascope::planner
