// SPDX-License-Identifier: MIT
// The default planner: always holds a valid plan, improves it until its budget or a proof, and can be stopped.
#include <arenascope/planner/lower_bound.h>
#include "engine/planner/blocks.h"
#include "engine/planner/chunks.h"
#include "engine/planner/coalesce.h"
#include "engine/planner/fit_allocator.h"
#include "engine/planner/incumbent.h"
#include "engine/planner/local_search.h"
#include "engine/planner/peak_first.h"
#include "engine/planner/restart_portfolio.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <thread>

namespace arenascope::planner {
namespace {

// The problem with its intervals in an order that does not depend on the order of the input. order[k] is the k-th.
Problem in_order(const Problem& p, std::vector<int32_t>& order, const StopCheck& stop_check) {
  std::vector<std::pair<int64_t, int32_t>> rows(p.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = {p.intervals[i].lower, static_cast<int32_t>(i)};
  const auto key = [&](int32_t i) {
    const Interval& v = p.intervals[i];
    return std::make_tuple(-v.upper, -v.size, p.alignment_of(i), v.fixed_offset.value_or(-1), v.gaps.size());
  };
  const auto earlier = [&](const auto& a, const auto& b) {
    stop_check();
    if (a.first != b.first) return a.first < b.first;
    const auto x = key(a.second), y = key(b.second);
    if (x != y) return x < y;
    return p.ids.empty() ? a.second < b.second : p.ids[a.second] < p.ids[b.second];
  };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) std::sort(rows.begin(), rows.end(), earlier);
  order.resize(p.size());
  std::vector<int32_t> rank(p.in_place.empty() && p.attachments.empty() ? 0 : p.size());
  Problem out;
  out.alignment = p.alignment;
  out.capacity = p.capacity;
  out.intervals.reserve(p.size());
  for (size_t k = 0; k < order.size(); ++k) {
    stop_check();
    order[k] = rows[k].second;
    if (!rank.empty()) rank[order[k]] = static_cast<int32_t>(k);
    out.intervals.push_back(p.intervals[order[k]]);
  }
  for (const InPlace& s : p.in_place) out.in_place.push_back({rank[s.source], rank[s.target], s.shift});
  for (const Attachment& a : p.attachments) out.attachments.push_back({rank[a.part], rank[a.whole], a.shift});
  std::sort(out.in_place.begin(), out.in_place.end(), [](const InPlace& a, const InPlace& b) {
    return std::tie(a.source, a.target, a.shift) < std::tie(b.source, b.target, b.shift);
  });
  return out;
}

// A plan without any reuse, for when time is up at once: one walk over the intervals. Not for attachments.
Plan without_reuse(const Problem& p) {
  Plan plan;
  plan.offsets.resize(p.size());
  Bytes at = 0, largest = 0;
  const auto lay = [&](bool fixed) {
    bool others = false;
    for (size_t i = 0; i < p.size(); ++i) {
      const Interval& v = p.intervals[i];
      largest = std::max(largest, v.fixed_offset.value_or(0) + v.size);
      others |= v.fixed_offset.has_value() != fixed;
      if (v.fixed_offset.has_value() != fixed) continue;
      plan.offsets[i] = fixed ? *v.fixed_offset : round_up(at, p.alignment_of(i));
      at = std::max(at, plan.offsets[i] + v.size);
    }
    return others;
  };
  if (lay(false)) {  // fixed items are below the others
    at = 0;
    lay(true);
    lay(false);
  }
  plan.arena_bytes = at;
  plan.lower_bound = largest;
  return plan;
}

// The block planners, which are fast.
void try_blocks(const Items& items, Incumbent& best) {
  const auto stop = [&] { return best.done(); };
  const StopCheck stop_check = best.deadline().stop_check();
  if (!stop()) best.offer(place_online_best_fit(items, stop_check).offsets);
  if (!stop()) best.offer(place_in_ranges(items, binary_ranges(items, stop_check), stop_check).offsets);
  if (stop()) return;
  const Deadline share = best.deadline().ending_at(best.deadline().seconds() + 0.25 * best.deadline().left());
  Placement two = place_two_level(
      items, [&] { return stop() || (items.items.size() > 5000 && share.over()); }, stop_check);
  if (!two.offsets.empty()) best.offer(std::move(two.offsets));
}

// The fit planners, as far as time allows.
void try_orders(const Items& items, Incumbent& best) {
  const auto stop = [&] { return best.done(); };
  if (stop()) return;
  const StopCheck stop_check = best.deadline().stop_check();
  FitAllocator placer(items, stop_check);
  for (const Fit fit : {Fit::first, Fit::best}) {
    for (const Key key : {Key::size, Key::area, Key::length, Key::begin}) {
      if (stop()) return;
      placer.clear();
      std::optional<std::vector<Bytes>> offsets = placer.place_all(order_by(items, key, stop_check), fit, stop);
      if (offsets) best.offer(std::move(*offsets));
    }
  }
}

class Search final : public Planner {
 public:
  std::string_view name() const override { return "search"; }
  std::string_view description() const override {
    return "The default: races searches of several strategies, until its budget or a proof that no plan is smaller.";
  }
  bool searches() const override { return true; }

  Result<Plan> plan(const Problem& given, const Options& options) const override {
    const Deadline deadline(options);
    if (Status s = validate(given); !s) return s.error();
    try {
      // Attachments alone make a plan without reuse more than one walk.
      const StopCheck stop_check = given.attachments.empty() ? deadline.stop_check() : StopCheck();
      std::vector<int32_t> order;
      Problem p;
      std::optional<Items> items;
      std::optional<Incumbent> best;
      try {
        if (!given.attachments.empty()) {  // so that an error names the buffers by their names
          if (Result<Items> named = make_items(given, false); !named) return named.error();
        }
        p = in_order(given, order, stop_check);
        Result<Items> made = make_items(p, true, stop_check);
        if (!made) return made.error();
        items = std::move(*made);
        best.emplace(*items, lower_bound(p, stop_check), p.capacity, deadline, options.on_progress);
        p = Problem();                                         // freed now rather than after the budget
        best->offer(place_apart(*items, stop_check).offsets);  // a plan exists even without a budget
        if (!items->items.empty()) improve(*items, options, *best);
      } catch (const Interrupted&) {
      }
      Plan plan = best && !best->offsets().empty() ? finish(*items, *best, order) : without_reuse(given);
      plan.planner = name();
      plan.lower_bound = std::min(plan.lower_bound, plan.arena_bytes);
      plan.optimal = plan.arena_bytes == plan.lower_bound;
      plan.seconds = deadline.measured_seconds();
      return plan;
    } catch (const std::bad_alloc&) {
      return Error{"There is not enough memory to plan this many buffers."};
    }
  }

 private:
  // The offsets of the given intervals; order[k] is the k-th of those that were planned.
  static Plan finish(const Items& items, const Incumbent& best, const std::vector<int32_t>& order) {
    Plan plan;
    plan.lower_bound = best.bound();
    plan.arena_bytes = best.arena();
    plan.offsets.resize(order.size());
    const bool shifted = !items.shift_of.empty();
    for (size_t k = 0; k < order.size(); ++k)
      plan.offsets[order[k]] = best.offsets()[items.item_of[k]] + (shifted ? items.shift_of[k] : 0);
    return plan;
  }

  static void improve(const Items& items, const Options& options, Incumbent& best) {
    int threads = options.threads;
    if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (options.budget_steps > 0) threads = 1;  // several threads would use up the steps in a different order each time
    constexpr size_t kHuge = 100000;            // items, from which one pass takes a good part of a second
    if (items.items.size() >= kHuge) try_chunks(items, threads, best);
    try_all(items, threads, best);
  }

  static void try_all(const Items& items, int threads, Incumbent& best) {
    try_peak_first(items, best);
    try_blocks(items, best);
    if (best.done()) return;
    const std::optional<Sections> sections = make_sections(items, best.deadline().stop_check());
    constexpr size_t kMany = 4000;  // items, from which one descent through the valleys takes long
    // Most problems are solved by the first few descents, before the slower orders have been through once.
    if (sections && sections->items() <= kMany) run_restart_portfolio(items, *sections, threads, best, 2);
    if (sections) try_coalesced(items, *sections, threads, best);
    try_orders(items, best);
    if (best.done()) return;
    const double left = best.deadline().left(), now = best.deadline().seconds();
    if (!sections) {
      search_locally(items, best.deadline(), 1 << 30, best);
      return;
    }
    // If one descent through the valleys takes long, local search gets a share of the time; otherwise a short time.
    const double share = sections->items() > kMany ? 0.6 * left : std::min(0.1 * left, 0.1);
    search_locally(items, best.deadline().ending_at(now + share), 1 << 30, best);
    run_restart_portfolio(items, *sections, threads, best);
  }
};

}  // namespace

const Planner& search() {
  static const Search p;
  return p;
}

}  // namespace arenascope::planner
