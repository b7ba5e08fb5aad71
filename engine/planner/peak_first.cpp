// SPDX-License-Identifier: MIT
#include "engine/planner/peak_first.h"
#include "engine/planner/fit_allocator.h"
#include "engine/planner/loads.h"

#include <algorithm>
#include <array>

namespace arenascope::planner {
namespace {

constexpr int kRepairs = 4;

// The items in `order`, those with the larger rank first.
std::vector<int32_t> ranked(const std::vector<int32_t>& order, const std::vector<int>& rank,
                            const StopCheck& stop_check) {
  std::vector<int32_t> out = order;
  std::stable_sort(out.begin(), out.end(), [&](int32_t a, int32_t b) {
    stop_check();
    return rank[a] > rank[b];
  });
  return out;
}

}  // namespace

void try_peak_first(const Items& items, Incumbent& best) {
  const size_t n = items.items.size();
  const auto stop = [&] { return best.done(); };
  if (n < 2 || stop()) return;
  const StopCheck stop_check = best.deadline().stop_check();
  const Loads loads(items, stop_check);
  constexpr double kTiers = 10;
  std::vector<int> tier(n), fine(n), peak(n);
  for (size_t i = 0; i < n; ++i) {
    stop_check();
    const double share = static_cast<double>(loads.most(items.items[i])) / static_cast<double>(loads.peak_bytes());
    tier[i] = static_cast<int>(kTiers * share);
    fine[i] = static_cast<int>(1e6 * share);
    peak[i] = loads.at_peak(items.items[i]) ? 1 : 0;
  }
  const std::vector<int32_t> by_size = order_by(items, Key::size, stop_check),
                             by_length = order_by(items, Key::length, stop_check);
  std::vector<int32_t> peak_by_length = ranked(by_length, peak, stop_check);
  // Items at the peak first, then the others by size.
  const auto rest = std::find_if(peak_by_length.begin(), peak_by_length.end(), [&](int32_t i) { return peak[i] == 0; });
  std::copy_if(by_size.begin(), by_size.end(), rest, [&](int32_t i) { return peak[i] == 0; });
  std::array<std::vector<int32_t>, 5> orders{ranked(by_size, tier, stop_check), std::move(peak_by_length),
                                             ranked(by_size, peak, stop_check), ranked(by_length, tier, stop_check),
                                             ranked(by_size, fine, stop_check)};
  FitAllocator placer(items, stop_check);
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
      order = ranked(order, above, stop_check);
    }
  }
}

}  // namespace arenascope::planner
