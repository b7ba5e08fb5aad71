// SPDX-License-Identifier: MIT
// The default planner: always holds a valid plan, improves it until its budget or a proof, and can be stopped.
#include <arenascope/planner/blocks.h>
#include <arenascope/planner/crowd.h>
#include <arenascope/planner/fit.h>
#include <arenascope/planner/incumbent.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/race.h>
#include <arenascope/planner/wheel.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <thread>

namespace arenascope::planner {
namespace {

// The problem with its intervals in an order that does not depend on the order of the input. order[k] is the k-th.
Problem in_order(const Problem& p, std::vector<int32_t>& order) {
  order.resize(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const Interval &x = p.intervals[a], &y = p.intervals[b];
    const auto key = [&](const Interval& v, int32_t i) {
      return std::make_tuple(v.lower, -v.upper, -v.size, p.alignment_of(i), v.fixed_offset.value_or(-1), v.gaps.size());
    };
    const auto kx = key(x, a), ky = key(y, b);
    if (kx != ky) return kx < ky;
    return p.ids.empty() ? a < b : p.ids[a] < p.ids[b];
  });
  std::vector<int32_t> rank(p.size());
  Problem out;
  out.alignment = p.alignment;
  out.capacity = p.capacity;
  out.intervals.reserve(p.size());
  for (size_t k = 0; k < order.size(); ++k) {
    rank[order[k]] = static_cast<int32_t>(k);
    out.intervals.push_back(p.intervals[order[k]]);
  }
  for (const InPlace& s : p.in_place) out.in_place.push_back({rank[s.source], rank[s.target], s.shift});
  for (const Attachment& a : p.attachments) out.attachments.push_back({rank[a.part], rank[a.whole], a.shift});
  std::sort(out.in_place.begin(), out.in_place.end(), [](const InPlace& a, const InPlace& b) {
    return std::tie(a.source, a.target, a.shift) < std::tie(b.source, b.target, b.shift);
  });
  return out;
}

// What the planners by blocks would do: quick.
void try_blocks(const Items& items, Incumbent& best) {
  const auto stop = [&] { return best.done(); };
  if (!stop()) best.offer(place_online_best_fit(items).offsets);
  if (!stop()) best.offer(place_in_ranges(items, binary_ranges(items)).offsets);
  const Deadline share = best.deadline().ending_at(best.deadline().seconds() + 0.25 * best.deadline().left());
  Placement two = place_two_level(items, [&] { return stop() || (items.items.size() > 5000 && share.over()); });
  if (!two.offsets.empty()) best.offer(std::move(two.offsets));
}

// What the planners that lay one item after the other would do, as far as time allows.
void try_orders(const Items& items, Incumbent& best) {
  const auto stop = [&] { return best.done(); };
  if (stop()) return;
  Placer placer(items);
  for (const Fit fit : {Fit::first, Fit::best}) {
    for (const Key key : {Key::size, Key::area, Key::length, Key::begin}) {
      if (stop()) return;
      placer.clear();
      std::optional<std::vector<Bytes>> offsets = placer.place_all(order_by(items, key), fit, stop);
      if (offsets) best.offer(std::move(*offsets));
    }
  }
}

class Search final : public Planner {
 public:
  std::string_view name() const override { return "search"; }
  std::string_view description() const override {
    return "The default: races searches of several tastes, until its budget or a proof that no plan is smaller.";
  }

  Result<Plan> plan(const Problem& given, const Options& options) const override {
    const Deadline deadline(options.budget_seconds, options.stop);
    if (Status s = validate(given); !s) return s.error();
    try {
      if (!given.attachments.empty()) {  // so that an error names the buffers by their names
        if (Result<Items> items = make_items(given, false); !items) return items.error();
      }
      std::vector<int32_t> order;
      const Problem p = in_order(given, order);
      Result<Items> items = make_items(p, true);
      if (!items) return items.error();
      Incumbent best(*items, lower_bound(p), p.capacity, deadline, options.on_progress);
      improve(*items, options, best);
      Plan plan;
      plan.planner = name();
      plan.lower_bound = best.bound();
      plan.arena_bytes = 0;
      const std::vector<Bytes> offsets = items->to_intervals(best.offsets());
      plan.offsets.resize(p.size());
      for (size_t k = 0; k < order.size(); ++k) {
        plan.offsets[order[k]] = offsets[k];
        plan.arena_bytes = std::max(plan.arena_bytes, offsets[k] + p.intervals[k].size);
      }
      plan.lower_bound = std::min(plan.lower_bound, plan.arena_bytes);
      plan.optimal = plan.arena_bytes == plan.lower_bound;
      plan.seconds = deadline.seconds();
      return plan;
    } catch (const std::bad_alloc&) {
      return Error{"There is not enough memory to plan this many buffers."};
    }
  }

 private:
  static void improve(const Items& items, const Options& options, Incumbent& best) {
    best.offer(place_apart(items).offsets);  // so that there is a plan, whatever the budget
    constexpr size_t kHuge = 200000;         // items, from which one pass takes a good part of a second
    if (items.items.size() < kHuge) try_crowded_first(items, best);
    try_blocks(items, best);
    if (best.done()) return;
    const int threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const std::optional<Sections> sections = make_sections(items);
    constexpr size_t kMany = 4000;  // items, from which one descent through the valleys takes long
    // Most problems are solved by the first few descents, before the slower orders have been through once.
    if (sections && sections->items() <= kMany) race_valleys(items, *sections, threads, best, 2);
    try_orders(items, best);
    if (best.done()) return;
    const double left = best.deadline().left(), now = best.deadline().seconds();
    if (!sections) {
      turn_wheel(items, best.deadline(), 1 << 30, best);
      return;
    }
    // Where one descent through the valleys takes long, the wheel has its share.
    if (sections->items() > kMany) turn_wheel(items, best.deadline().ending_at(now + 0.6 * left), 1 << 30, best);
    race_valleys(items, *sections, threads, best);
  }
};

}  // namespace

const Planner& search() {
  static const Search p;
  return p;
}

}  // namespace arenascope::planner
