// SPDX-License-Identifier: MIT
// Source of the idea: Joslin and Clements, "Squeaky wheel optimization", 1999.
#include "engine/planner/local_search.h"
#include "engine/planner/fit_allocator.h"

#include <algorithm>
#include <limits>
#include <random>

namespace arenascope::planner {
namespace {

struct Order {
  std::vector<double> rank;  // small goes first
  Bytes arena = std::numeric_limits<Bytes>::max();
  std::vector<Bytes> offsets;
};

void sort_by_rank(const std::vector<double>& rank, std::vector<int32_t>& order, const StopCheck& stop_check) {
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    stop_check();
    return rank[a] < rank[b] || (rank[a] == rank[b] && a < b);
  });
}

}  // namespace

void search_locally(const Items& items, const Deadline& until, int patience, Incumbent& best) {
  const size_t n = items.items.size();
  if (n < 2) return;
  const auto stop = [&] { return best.done() || until.over(); };
  std::mt19937_64 random(1);
  const auto chance = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const StopCheck stop_check = until.stop_check();
  FitAllocator placer(items, stop_check);
  Order current;
  std::vector<std::vector<int32_t>> begins;
  for (const Key key : {Key::size, Key::area, Key::length}) begins.push_back(order_by(items, key, stop_check));
  // Also from the best plan (there is one), from the bottom up: laid in that order it is no larger.
  begins.push_back(begins[0]);
  std::stable_sort(begins.back().begin(), begins.back().end(), [&](int32_t a, int32_t b) {
    stop_check();
    return best.offsets()[a] < best.offsets()[b];
  });
  for (const std::vector<int32_t>& order : begins) {
    placer.clear();
    std::optional<std::vector<Bytes>> offsets = placer.place_all(order, Fit::first, stop);
    if (!offsets) return;
    const Bytes arena = arena_of(items, *offsets);
    best.offer(*offsets);
    if (arena >= current.arena) continue;
    current.rank.assign(n, 0);
    for (size_t k = 0; k < n; ++k) current.rank[order[k]] = static_cast<double>(k);
    current.arena = arena;
    current.offsets = std::move(*offsets);
  }
  std::vector<int32_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = static_cast<int32_t>(i);
  for (int idle = 0; idle < patience && !stop();) {
    Order next;
    next.rank = current.rank;
    const Bytes goal = best.capacity() ? std::max(*best.capacity(), best.bound()) : best.bound();
    const bool shake = idle % 4 == 3;
    for (size_t i = 0; i < n; ++i) {
      const Item& item = items.items[i];
      if (current.offsets[i] + item.size > goal && chance() < 0.7) next.rank[i] *= 0.2 + 0.7 * chance();
      if (shake && chance() < 0.05) next.rank[i] *= 0.5 + chance();
    }
    sort_by_rank(next.rank, order, stop_check);
    placer.clear();
    std::optional<std::vector<Bytes>> offsets = placer.place_all(order, idle % 8 == 7 ? Fit::best : Fit::first, stop);
    if (!offsets) return;
    next.arena = arena_of(items, *offsets);
    next.offsets = std::move(*offsets);
    ++idle;
    if (best.offer(next.offsets)) idle = 0;
    // A slightly worse order is accepted, more so the longer nothing improved; ranks are respaced to stay distinct.
    const double worse = static_cast<double>(next.arena) / static_cast<double>(current.arena);
    if (worse <= 1.0 || chance() < 0.02 / (worse - 1 + 0.02) * 0.3) {
      for (size_t k = 0; k < n; ++k) next.rank[order[k]] = static_cast<double>(k);
      current = std::move(next);
    }
  }
}

}  // namespace arenascope::planner
