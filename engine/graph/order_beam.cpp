// SPDX-License-Identifier: MIT
#include <algorithm>
#include <unordered_set>

#include "engine/graph/order_exact.h"

namespace arenascope {
namespace {

// Beam search over sets of executed ops: keeps the `width` best sets of each size, extends each by every ready op that
// stays below the bound, and runs free ops immediately. The first complete order is returned.
template <int W>
class Beam {
 public:
  Beam(const OrderWindow& window, Bytes below, const BeamOptions& options, SearchBudget& budget)
      : window_(window),
        steps_(window),
        below_(below),
        options_(options),
        budget_(budget),
        levels_(window.ops.size() + 1) {}

  std::optional<std::vector<int32_t>> run() {
    Place first{steps_.start(), -1, 0};
    if (first.state.live >= below_) return std::nullopt;
    arrive(first);
    for (size_t size = 0; size < levels_.size(); ++size) {
      if (budget_.spent()) return std::nullopt;
      std::vector<Place> level = std::move(levels_[size]);
      levels_[size] = {};
      if (level.empty()) continue;
      if (size + 1 == levels_.size()) return path_of(level.front().last);
      thin(level);
      grow(level);
    }
    return std::nullopt;
  }

 private:
  struct Place {
    WindowState<W> state;
    int32_t last;  // in history_
    Bytes rank;
  };
  struct Move {
    Bytes rank;
    int32_t from, op;
    Bytes after;
  };
  struct Ran {
    int32_t before, op;
  };

  // Live bytes; with a seed, randomly perturbed by up to a quarter.
  Bytes rank(Bytes live, uint64_t what) const {
    if (options_.seed == 0) return live;
    const uint64_t mixed = (what + options_.seed) * 0x9E3779B97F4A7C15u;
    return live - live / 1024 * static_cast<Bytes>((mixed >> 40) % 256);
  }

  int32_t note(int32_t before, int32_t op) {
    history_.push_back({before, op});
    return static_cast<int32_t>(history_.size()) - 1;
  }

  void arrive(Place& place) {
    budget_.spend(steps_.run_free_ops(place.state, below_ - 1, [&](int32_t op) { place.last = note(place.last, op); }));
    place.rank = rank(place.state.live, place.state.done.hash());
    levels_[static_cast<size_t>(place.state.count)].push_back(place);
  }

  // Keeps the best distinct sets of a level.
  void thin(std::vector<Place>& level) const {
    std::stable_sort(level.begin(), level.end(), [](const Place& a, const Place& b) { return a.rank < b.rank; });
    std::unordered_set<uint64_t> seen;
    size_t kept = 0;
    for (size_t i = 0; i < level.size() && kept < options_.width; ++i)
      if (seen.insert(level[i].state.done.hash()).second) level[kept++] = level[i];
    level.resize(kept);
  }

  void grow(const std::vector<Place>& level) {
    std::vector<Move> moves;
    for (size_t i = 0; i < level.size(); ++i) {
      level[i].state.ready.each([&](int32_t op) {
        const StepCost cost = steps_.cost(level[i].state, op);
        budget_.spend(1);
        if (cost.peak >= below_) return;
        moves.push_back({rank(cost.after, level[i].state.done.hash() + static_cast<uint64_t>(op)),
                         static_cast<int32_t>(i), op, cost.after});
      });
    }
    // More than the width, because several moves may lead to the same set.
    const size_t most = std::min(moves.size(), 2 * options_.width);
    const auto better = [](const Move& a, const Move& b) {
      return std::tie(a.rank, a.from, a.op) < std::tie(b.rank, b.from, b.op);
    };
    std::partial_sort(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(most), moves.end(), better);
    for (size_t i = 0; i < most; ++i) {
      const Move& move = moves[i];
      Place next = level[static_cast<size_t>(move.from)];
      steps_.run(next.state, move.op, move.after);
      next.last = note(next.last, move.op);
      arrive(next);
    }
  }

  std::vector<int32_t> path_of(int32_t last) const {
    std::vector<int32_t> order;
    for (; last >= 0; last = history_[static_cast<size_t>(last)].before)
      order.push_back(history_[static_cast<size_t>(last)].op);
    std::reverse(order.begin(), order.end());
    return order;
  }

  const OrderWindow& window_;
  const WindowSteps<W> steps_;
  const Bytes below_;
  const BeamOptions options_;
  SearchBudget& budget_;
  std::vector<std::vector<Place>> levels_;  // by number of ops done
  std::vector<Ran> history_;
};

}  // namespace

std::optional<std::vector<int32_t>> beam_order(const OrderWindow& window, Bytes below, const BeamOptions& options,
                                               SearchBudget& budget) {
  const int32_t n = window.size();
  if (n <= 64) return Beam<1>(window, below, options, budget).run();
  if (n <= 256) return Beam<4>(window, below, options, budget).run();
  if (n <= kLargestWindow) return Beam<kLargestWindow / 64>(window, below, options, budget).run();
  return std::nullopt;
}

}  // namespace arenascope
