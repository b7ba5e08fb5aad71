// SPDX-License-Identifier: MIT
#include "engine/schedule/arrangement.h"

#include <algorithm>
#include <array>
#include <utility>

#include <arenascope/graph/lifetime.h>
#include <arenascope/transform/rematerialisation.h>

namespace arenascope {
namespace {

// Bit mask of the methods used, in the order in which they are reported.
enum Use : unsigned { kFused = 1, kInPlace = 2, kReordered = 4, kAll = 7 };

Saving saving_of(unsigned use) {
  return use == kFused ? Saving::Fusion : use == kInPlace ? Saving::InPlace : Saving::Order;
}

struct LivePeak {
  Bytes bytes = 0;
  Step at;
};

// The given graph or the fused one, with its candidate orders.
struct Form {
  Graph graph;
  std::vector<Tensor> node_map;
  std::vector<NodeId> given_of;
  int64_t fused = 0;
  std::vector<NodeId> own;  // the order as given
  struct Order {
    std::string name;
    std::vector<NodeId> nodes;
  };
  std::vector<Order> others;
  bool has_others = false;  // other orders have been computed
};

class Arranger {
 public:
  Arranger(const Graph& graph, const MemoryPlan& given, const WhatIfOptions& options)
      : given_(given), options_(options) {
    Form& form = forms_[0].emplace();
    form.graph = graph;
    form.own = given.order;
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      form.node_map.emplace_back(graph.nodes()[i]);
      form.given_of.emplace_back(NodeId(i));
    }
  }

  Result<Arrangement> run() {
    const Bytes live = peak(0)->bytes;
    auto best = arrangement(0);
    Bytes least = live;
    for (const unsigned uses : ways()) {
      if (!best || best->plan.arena_bytes <= options_.capacity || stopped()) break;
      const auto at = peak(uses);
      if (!at) return at.error();
      // If only holes prevent a fit, an order with the same peak of live bytes may have fewer holes.
      const bool holes = live <= options_.capacity && at->bytes <= options_.capacity;
      if (at->bytes >= least && !holes) continue;
      auto next = arrangement(uses);
      if (!next) return next;
      if (holes && next->plan.arena_bytes >= best->plan.arena_bytes) continue;
      least = std::min(least, at->bytes);
      best = std::move(next);
    }
    return best;
  }

 private:
  struct Chosen {
    std::vector<NodeId> order;
    std::string name;
    LivePeak peak;
  };

  bool stopped() const { return options_.plan.planner.stop.stop_requested(); }
  bool in_place(unsigned uses) const { return options_.plan.in_place || (uses & kInPlace) != 0; }
  Form& form(unsigned uses) { return *forms_[(uses & kFused) != 0 ? 1 : 0]; }

  // All combinations of methods, smallest first; equal sizes in the order in-place, order, fusion.
  std::vector<unsigned> ways() const {
    unsigned allowed = 0;
    if (options_.in_place && !options_.plan.in_place) allowed |= kInPlace;
    if (options_.reorder) allowed |= kReordered;
    if (options_.fuse != nullptr) allowed |= kFused;
    std::vector<unsigned> out;
    for (const unsigned uses : {2u, 4u, 1u, 6u, 3u, 5u, 7u})
      if ((uses & ~allowed) == 0) out.push_back(uses);
    return out;
  }

  Status fuse() {
    auto fused = fuse_graph(forms_[0]->graph, *options_.fuse, options_.fusion);
    if (!fused) return fused.error();
    Form& out = forms_[1].emplace();
    out.graph = fused->graph;
    out.fused = static_cast<int64_t>(fused->fused.size());
    out.given_of.assign(out.graph.nodes().size(), NodeId::none());
    for (size_t i = 0; i < fused->node_map.size(); ++i)
      if (fused->node_map[i]) out.given_of[out.graph.find_node(*fused->node_map[i]).index()] = NodeId(i);
    for (const FusedGraph::Fused& f : fused->fused) out.given_of[out.graph.find_node(*f.node).index()] = f.held.back();
    out.node_map = std::move(fused->node_map);
    // The named order, if any, else the order of the fused chains.
    const OrderInfo* named = find_order(given_.order_name);
    auto order = (named != nullptr ? named : find_order("depth-first"))->make(out.graph, order_options());
    if (!order) return order.error();
    out.own = std::move(*order);
    return {};
  }

  OrderOptions order_options() const {
    OrderOptions out;
    out.budget_seconds = options_.plan.planner.budget_seconds;
    out.stop = options_.plan.planner.stop;
    out.keep_outputs = options_.plan.keep_outputs;
    return out;
  }

  void try_orders(Form& form) const {
    if (std::exchange(form.has_others, true)) return;
    for (const OrderInfo& order : all_orders()) {
      if (order.name == given_.order_name || stopped()) continue;
      if (auto made = order.make(form.graph, order_options())) form.others.push_back({order.name, std::move(*made)});
    }
  }

  LivePeak peak_of(const Form& form, std::span<const NodeId> order, unsigned uses) const {
    const auto profile = Rematerialisation(form.graph, order, options_.plan.keep_outputs, in_place(uses)).profile();
    return {profile.peak, Step(profile.peak_place)};
  }

  // The order for this combination: the given one, or the other one with the lowest peak.
  Chosen choose(unsigned uses) {
    Form& of = form(uses);
    Chosen out{of.own, given_.order_name, {}};
    out.peak = peak_of(of, out.order, uses);
    if ((uses & kReordered) == 0) return out;
    try_orders(of);
    for (const Form::Order& other : of.others)
      if (const LivePeak at = peak_of(of, other.nodes, uses); at.bytes < out.peak.bytes)
        out = {other.nodes, other.name, at};
    return out;
  }

  Result<LivePeak> peak(unsigned uses) {
    if ((uses & kFused) != 0 && !forms_[1])
      if (auto ok = fuse(); !ok) return ok.error();
    if (!peaks_[uses]) peaks_[uses] = choose(uses).peak;
    return *peaks_[uses];
  }

  Result<Arrangement> arrangement(unsigned uses) {
    const Chosen chosen = choose(uses);
    const Form& of = form(uses);
    Arrangement out{of.graph, of.node_map, of.given_of, chosen.order, chosen.name, in_place(uses), steps(uses), {}};
    std::vector<MemorySaving> planner_step;
    auto plan = plan_within(of.graph, chosen.order, chosen.name, out.in_place, options_, planner_step);
    if (!plan) return plan.error();
    if (!out.steps.empty() && out.steps.back().peak_after >= out.steps.back().peak_before) {
      MemorySaving& only = out.steps.back();  // the peak of live bytes is unchanged, but there are fewer holes
      only.of_arena = true;
      only.peak_before = given_.arena_bytes;
      only.peak_after = planner_step.empty() ? plan->arena_bytes : planner_step.back().peak_before;
      only.bytes = only.peak_before - only.peak_after;
    }
    out.steps.insert(out.steps.end(), planner_step.begin(), planner_step.end());
    out.plan = std::move(*plan);
    return out;
  }

  // One step per method that lowers the peak by itself; methods that do so only in combination form one step.
  std::vector<MemorySaving> steps(unsigned uses) {
    std::vector<MemorySaving> out;
    unsigned done = 0;
    while (done != uses) {
      const LivePeak now = *peak(done);
      unsigned next = uses;
      for (const unsigned use : {kFused, kInPlace, kReordered}) {
        if ((uses & use) == 0 || (done & use) != 0) continue;
        if (use == kReordered && (uses & ~done & kFused) != 0) continue;  // the order belongs to the fused graph
        if (peak(done | use)->bytes < now.bytes) {
          next = done | use;
          break;
        }
      }
      out.push_back(step(done, next, now));
      done = next;
    }
    return out;
  }

  MemorySaving step(unsigned before, unsigned after, const LivePeak& now) {
    MemorySaving out;
    const unsigned added = after & ~before;
    for (const unsigned use : {kFused, kInPlace, kReordered})
      if ((added & use) != 0) out.with.push_back(saving_of(use));
    out.method = out.with.back();
    out.with.pop_back();
    const Chosen chosen = choose(after);
    if ((added & kReordered) != 0) out.name = chosen.name;
    if ((added & kFused) != 0) out.count = form(after).fused;
    if (out.method == Saving::InPlace) {
      LifetimeOptions in_place;
      in_place.keep_outputs = options_.plan.keep_outputs;
      in_place.in_place = true;
      const auto lives = find_lifetimes(form(after).graph, chosen.order, in_place);
      for (size_t i = 0; i < lives.size(); ++i)
        out.count += lives[i].owner == NodeId(i) && lives[i].in_place_of.valid() ? 1 : 0;
    }
    out.at = now.at;
    out.peak_before = now.bytes;
    out.peak_after = chosen.peak.bytes;
    out.bytes = out.peak_before - out.peak_after;
    return out;
  }

  const MemoryPlan& given_;
  const WhatIfOptions& options_;
  std::optional<Form> forms_[2];
  std::array<std::optional<LivePeak>, kAll + 1> peaks_;
};

}  // namespace

Result<MemoryPlan> plan_within(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                               bool in_place, const WhatIfOptions& options, std::vector<MemorySaving>& steps) {
  MemoryPlanOptions plan_options = options.plan;
  plan_options.capacity = options.capacity;
  plan_options.in_place = in_place;
  const planner::Planner* search = planner::find_planner("search");
  const planner::Planner* asked = planner::find_planner(options.planner);
  auto plan = plan_memory(graph, order, order_name, *asked, plan_options);
  if (!plan || asked == search || plan->arena_bytes <= options.capacity || plan->lower_bound > options.capacity)
    return plan;
  auto searched = plan_memory(graph, std::move(order), order_name, *search, plan_options);
  if (!searched || searched->arena_bytes >= plan->arena_bytes) return plan;
  MemorySaving& step = steps.emplace_back();
  step.method = Saving::Planner;
  step.name = searched->planner;
  step.of_arena = true;
  step.peak_before = plan->arena_bytes;
  step.peak_after = searched->arena_bytes;
  step.bytes = step.peak_before - step.peak_after;
  return searched;
}

Result<Arrangement> arrange(const Graph& graph, const MemoryPlan& given, const WhatIfOptions& options) {
  return Arranger(graph, given, options).run();
}

}  // namespace arenascope
