// SPDX-License-Identifier: MIT
#include <arenascope/graph/order_search.h>

#include <algorithm>
#include <limits>

#include <arenascope/graph/order_peak.h>
#include "engine/graph/order_exact.h"
#include "engine/graph/order_window.h"

namespace arenascope {
namespace {

// A range [begin, end) whose ops are contiguous in every order, and its peak of live bytes.
struct Part {
  int32_t begin, end;
  Bytes peak = 0;
  bool stuck = false;  // all methods have been tried
};

// Cuts after the ops that are ordered with respect to all other ops in every order, so that all orders have run the
// same ops there. This holds if each op before it has a reader no later than it and each op after it reads a result no
// earlier than it.
std::vector<Part> cut_parts(const OrderProblem& p, const OrderTrack& track) {
  const auto n = static_cast<int32_t>(track.ops.size());
  const auto at = [&](int32_t op) { return track.position[static_cast<size_t>(op)]; };
  std::vector<int32_t> earliest_source(static_cast<size_t>(n) + 1,
                                       n);  // suffix minimum over the ops from a step on
  for (int32_t i = n; i-- > 0;) {
    int32_t latest = -1;
    for (int32_t pred : p.preds[track.ops[static_cast<size_t>(i)]]) latest = std::max(latest, at(pred));
    earliest_source[static_cast<size_t>(i)] = std::min(earliest_source[static_cast<size_t>(i) + 1], latest);
  }
  std::vector<Part> parts;
  int32_t latest_reader = -1, begin = 0;
  for (int32_t i = 0; i < n; ++i) {
    const bool after_all = latest_reader <= i, before_all = earliest_source[static_cast<size_t>(i) + 1] >= i;
    if ((after_all && before_all) || i + 1 == n) parts.push_back({begin, i + 1}), begin = i + 1;
    int32_t first = std::numeric_limits<int32_t>::max();
    for (int32_t user : p.succs[track.ops[static_cast<size_t>(i)]]) first = std::min(first, at(user));
    latest_reader = std::max(latest_reader, first);
  }
  return parts;
}

Bytes peak_between(const OrderTrack& track, int32_t begin, int32_t end) {
  return *std::max_element(track.step_peak.begin() + begin, track.step_peak.begin() + end);
}

class OrderSearch {
 public:
  OrderSearch(const OrderProblem& problem, const OrderOptions& options)
      : p_(problem), budget_(options.budget_seconds, options.stop, options.by_clock) {}

  // Takes the best of the given orders for each part.
  void begin_with(const std::vector<std::vector<int32_t>>& orders) {
    track_ = track_order(p_, orders.front());
    parts_ = cut_parts(p_, track_);
    std::vector<OrderTrack> others;
    for (size_t i = 1; i < orders.size(); ++i) others.push_back(track_order(p_, orders[i]));
    std::vector<int32_t> ops;
    for (const Part& part : parts_) {
      const OrderTrack* best = &track_;
      for (const OrderTrack& other : others)
        if (peak_between(other, part.begin, part.end) < peak_between(*best, part.begin, part.end)) best = &other;
      ops.insert(ops.end(), best->ops.begin() + part.begin, best->ops.begin() + part.end);
    }
    track_ = track_order(p_, std::move(ops));
    for (Part& part : parts_) {
      part.peak = peak_between(track_, part.begin, part.end);
      bound_ = std::max(bound_, lower_bound_of(part));
    }
  }

  void run() {
    while (!parts_.empty()) {
      const auto worst =
          std::max_element(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.peak < b.peak; });
      if (worst->peak <= bound_ || worst->stuck || budget_.spent()) break;
      improve(*worst);
    }
  }

  const std::vector<int32_t>& ops() const { return track_.ops; }
  Bytes bound() const { return bound_; }

 private:
  static constexpr int32_t kLargestBounded = 4096;  // maximum number of ops for computing the lower bound
  static constexpr int64_t kFirstTry = 300000;      // evaluated steps

  Bytes lower_bound_of(const Part& part) const {
    if (part.end - part.begin <= kLargestBounded)
      return window_lower_bound(cut_window(p_, track_, part.begin, part.end));
    Bytes least = 0;
    for (int32_t i = part.begin; i < part.end; ++i) {
      const int32_t op = track_.ops[static_cast<size_t>(i)];
      Bytes live = p_.bytes[static_cast<size_t>(op)];
      for (int32_t b : p_.inputs[op]) live += p_.bytes[static_cast<size_t>(b)];
      least = std::max(least, live);
    }
    return least;
  }

  // Reorders the window that starts at `begin`.
  void replace(const OrderWindow& window, int32_t begin, const std::vector<int32_t>& order) {
    std::vector<int32_t> ops = track_.ops;
    for (size_t i = 0; i < order.size(); ++i)
      ops[static_cast<size_t>(begin) + i] = window.ops[static_cast<size_t>(order[i])];
    track_ = track_order(p_, std::move(ops));
  }

  void improve(Part& part) {
    if (prove(part, kFirstTry)) return;
    for (bool better = true; better && part.peak > bound_ && !budget_.spent();) {
      better = polish(part);
      better = beam(part) || better;
    }
    if (part.peak > bound_ && !prove(part, std::numeric_limits<int64_t>::max())) part.stuck = true;
  }

  // Solves the part exactly with at most `evaluations` evaluated steps. On success its peak is optimal and a lower bound of
  // the whole.
  bool prove(Part& part, int64_t evaluations) {
    if (part.end - part.begin > kLargestWindow) return false;
    const OrderWindow window = cut_window(p_, track_, part.begin, part.end);
    const int64_t rest = budget_.limit(evaluations);
    const ExactResult found = exact_order(window, bound_, part.peak, budget_);
    budget_.give_back(rest);
    if (found.kind == ExactResult::Kind::GaveUp) return false;
    if (found.kind == ExactResult::Kind::Found) {
      replace(window, part.begin, found.order);
      part.peak = peak_between(track_, part.begin, part.end);
    }
    bound_ = std::max(bound_, part.peak);
    return true;
  }

  // Exact searches over windows around the part's peak until no window improves it.
  bool polish(Part& part) {
    const Bytes before = part.peak;
    while (part.peak > bound_ && !budget_.spent()) {
      const auto first = track_.step_peak.begin();
      const auto peak_at = static_cast<int32_t>(std::max_element(first + part.begin, first + part.end) - first);
      if (!polish_around(part, peak_at)) break;
      part.peak = peak_between(track_, part.begin, part.end);
    }
    return part.peak < before;
  }

  bool polish_around(const Part& part, int32_t step) {
    constexpr int64_t kEvaluations = 60000;
    for (int32_t size : {16, 32, 64}) {
      for (int32_t quarter : {2, 3, 1}) {
        const int32_t begin = std::clamp(step - size * quarter / 4, part.begin, std::max(part.begin, part.end - size));
        const int32_t end = std::min(begin + size, part.end);
        const OrderWindow window = cut_window(p_, track_, begin, end);
        const int64_t rest = budget_.limit(kEvaluations);
        const ExactResult found = exact_order(window, bound_, peak_between(track_, begin, end), budget_);
        budget_.give_back(rest);
        if (found.kind == ExactResult::Kind::Found) {
          replace(window, begin, found.order);
          return true;
        }
        if (budget_.spent() || size >= part.end - part.begin) break;
      }
    }
    return false;
  }

  // Beam searches of growing width over the part, or over the largest window around its peak, each limited to a peak
  // below the best known.
  bool beam(Part& part) {
    const Bytes before = part.peak;
    for (size_t width : {4, 16, 64, 256}) {
      for (uint32_t seed : {0u, 1u, 2u, 3u}) {
        if (part.peak <= bound_ || budget_.spent()) return part.peak < before;
        const auto first = track_.step_peak.begin();
        const auto peak_at = static_cast<int32_t>(std::max_element(first + part.begin, first + part.end) - first);
        const int32_t begin =
            std::clamp(peak_at - kLargestWindow / 2, part.begin, std::max(part.begin, part.end - kLargestWindow));
        const int32_t end = std::min(begin + kLargestWindow, part.end);
        const OrderWindow window = cut_window(p_, track_, begin, end);
        // Tries a peak halfway to the lower bound first; a weak target gives only small improvements.
        for (Bytes aim : {bound_ + (part.peak - bound_) / 2, part.peak - 1}) {
          const auto order = beam_order(window, aim + 1, {width, seed}, budget_);
          if (!order) continue;
          replace(window, begin, *order);
          part.peak = peak_between(track_, part.begin, part.end);
          break;
        }
      }
    }
    return part.peak < before;
  }

  const OrderProblem& p_;
  SearchBudget budget_;
  OrderTrack track_;
  std::vector<Part> parts_;
  Bytes bound_ = 0;
};

}  // namespace

Result<OrderSearchResult> search_order(const Graph& graph, const OrderOptions& options) {
  auto problem = make_order_problem(graph, true, options.keep_outputs);
  if (!problem) return problem.error();
  OrderSearchResult best;
  std::vector<std::vector<int32_t>> orders;
  best.peak = std::numeric_limits<Bytes>::max();
  for (const OrderInfo& other : all_orders()) {
    if (other.make == searched_order) continue;
    auto made = other.make(graph, options);
    if (!made) return made.error();
    orders.push_back(problem->contract(*made));
    const Bytes peak = order_peak(graph, *made, options.keep_outputs);
    if (peak < best.peak) best = {std::move(*made), peak, 0, false};
  }
  if (problem->op_count() > 0) {
    OrderSearch search(*problem, options);
    search.begin_with(orders);
    search.run();
    std::vector<NodeId> order = problem->expand(search.ops());
    const Bytes peak = order_peak(graph, order, options.keep_outputs);
    if (peak <= best.peak) best = {std::move(order), peak, 0, false};
    best.lower_bound = search.bound();
  }
  best.optimal = best.peak == best.lower_bound;
  return best;
}

Result<std::vector<NodeId>> searched_order(const Graph& graph, const OrderOptions& options) {
  auto found = search_order(graph, options);
  if (!found) return found.error();
  return std::move(found->order);
}

}  // namespace arenascope
