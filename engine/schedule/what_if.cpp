// SPDX-License-Identifier: MIT
#include <arenascope/schedule/what_if.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include <arenascope/base/format_bytes.h>
#include <arenascope/base/step_number.h>
#include <arenascope/transform/rematerialisation.h>
#include "engine/schedule/arrangement.h"

namespace arenascope {
namespace {

std::string flops_text(int64_t flops) {
  const auto f = static_cast<double>(flops);
  if (f >= 1e9) return fmt::format("{:.3g} GFLOP", f / 1e9);
  if (f >= 1e6) return fmt::format("{:.3g} MFLOP", f / 1e6);
  return fmt::format("{:.3g} kFLOP", f / 1e3);
}

struct Candidate {
  Saving method;
  int32_t id;
  int32_t from, to;  // positions of the uses around the peak
  double seconds;    // an estimate until it is evaluated
};

// Sum over all positions of the bytes above the target: the objective that each step must lower.
double excess(const Rematerialisation::Profile& p, Bytes target) {
  double sum = 0;
  for (const Bytes live : p.live) sum += static_cast<double>(std::max<Bytes>(live - target, 0));
  return sum;
}

class SavingFinder {
 public:
  SavingFinder(const Arrangement& arranged, const WhatIfOptions& options, WhatIf& out)
      : arranged_(arranged),
        options_(options),
        out_(out),
        list_(arranged.graph, arranged.order, options.plan.keep_outputs, arranged.in_place) {
    step_of_.assign(arranged.order.size(), 0);
    std::iota(step_of_.begin(), step_of_.end(), 0);
  }

  const Rematerialisation& list() const { return list_; }

  // Adds steps until the peak is at most `target`. Returns false if no further step helps.
  bool reach(Bytes target) {
    while (steps_ < options_.max_steps && !options_.plan.planner.stop.stop_requested()) {
      const Rematerialisation::Profile now = list_.profile();
      if (now.peak <= target) return true;
      // Small tensors are considered only if there are no others.
      if (!improve(now, target, (now.peak - target) / 256) && !improve(now, target, 0)) return false;
    }
    return list_.profile().peak <= target;
  }

 private:
  double seconds(const Rematerialisation::Change& change, Saving method) const {
    const double moved = static_cast<double>(change.moved);
    return method == Saving::Offload
               ? moved / options_.host_bytes_per_second
               : static_cast<double>(change.flops) / options_.flops_per_second + moved / options_.bytes_per_second;
  }

  // The tensors that are unused across the peak, lowest cost per byte first.
  std::vector<Candidate> candidates(const Rematerialisation::Profile& p) const {
    std::vector<Candidate> out;
    for (size_t k = 0; k < p.life.size(); ++k) {
      const auto id = static_cast<int32_t>(k);
      const Rematerialisation::Life& life = p.life[k];
      if (life.first < 0 || life.first >= p.peak_place || life.last <= p.peak_place + 1 || life.kept) continue;
      const Rematerialisation::Value& v = list_.value(id);
      if (list_.bytes(id) == 0) continue;  // uses no bytes of the arena
      int32_t from = life.first, to = -1;
      bool busy = false;
      for (const int32_t use : list_.uses(id, p)) {
        busy = busy || use == p.peak_place;
        if (use < p.peak_place) from = use;
        if (use > p.peak_place && to < 0) to = use;
      }
      if (busy || to < 0) continue;
      Rematerialisation::Change guess;
      guess.flops = flops(*v.origin);
      guess.moved = bytes_moved(*v.origin);
      const bool fetched = v.action == Rematerialisation::Action::Reload;
      if (fetched) guess.flops = 0, guess.moved = v.origin->byte_count();
      if (fetched ? options_.offload : options_.rematerialise)
        out.push_back(
            {Saving::Rematerialise, id, from, to, seconds(guess, fetched ? Saving::Offload : Saving::Rematerialise)});
      guess.moved = 2 * v.origin->byte_count();
      if (options_.offload && v.action == Rematerialisation::Action::Compute)
        out.push_back({Saving::Offload, id, from, to, seconds(guess, Saving::Offload)});
    }
    const auto worth = [&](const Candidate& c) { return c.seconds / static_cast<double>(list_.bytes(c.id)); };
    std::sort(out.begin(), out.end(), [&](const Candidate& a, const Candidate& b) {
      return std::make_tuple(worth(a), -list_.bytes(a.id), a.id, a.method) <
             std::make_tuple(worth(b), -list_.bytes(b.id), b.id, b.method);
    });
    return out;
  }

  bool apply(const Candidate& c, const Rematerialisation::Profile& p, Rematerialisation::Change& change) {
    return c.method == Saving::Rematerialise ? list_.rematerialise(c.id, c.to, p, change)
                                             : list_.offload(c.id, c.from, c.to, p, change);
  }

  // Evaluates the most promising candidates in full and applies the one with the best gain per time.
  bool improve(const Rematerialisation::Profile& now, Bytes target, Bytes least) {
    constexpr int kTried = 12;
    const double before = excess(now, target);
    std::optional<Candidate> best;
    double best_worth = 0;
    int helped = 0;
    const int32_t at_peak = list_.order()[static_cast<size_t>(now.peak_place)];
    Rematerialisation::Change change;
    for (const Candidate& c : candidates(now)) {
      if (list_.bytes(c.id) < least || !apply(c, now, change)) continue;
      const Rematerialisation::Profile next = list_.profile();
      const double saved = before - excess(next, target);
      const bool fetch = list_.value(c.id).action == Rematerialisation::Action::Reload;
      const double worth = saved / std::max(seconds(change, fetch ? Saving::Offload : c.method), 1e-12);
      const bool lower = next.live[static_cast<size_t>(next.place[static_cast<size_t>(at_peak)])] < now.peak;
      list_.undo();
      if (saved <= 0 || !lower || next.peak > now.peak) continue;
      if (!best || worth > best_worth) best = c, best_worth = worth;
      if (++helped == kTried) break;
    }
    if (!best) return false;
    MemorySaving step;
    const Rematerialisation::Value& v = list_.value(best->id);
    const bool fetch = v.action == Rematerialisation::Action::Reload;
    step.method = fetch ? Saving::Offload : best->method;
    step.node = given(*v.origin);
    step.name = v.origin->name;
    step.bytes = list_.bytes(best->id);
    step.from = given_step(best->from);
    step.to = given_step(best->to);
    step.peak_before = now.peak;
    step.at = given_step(now.peak_place);
    const std::vector<int32_t> old_order = list_.order();
    apply(*best, now, change);
    renumber(old_order);
    step.extra_flops = change.flops;
    step.extra_bytes = change.moved;
    for (const NodeId node : change.computed) step.recomputed.push_back(arranged_.given_of[node.index()]);
    const Rematerialisation::Profile next = list_.profile();
    step.peak_after = next.live[static_cast<size_t>(next.place[static_cast<size_t>(at_peak)])];
    out_.extra_flops += step.extra_flops;
    out_.extra_bytes += step.extra_bytes;
    out_.steps.push_back(std::move(step));
    ++steps_;
    return true;
  }

  NodeId given(const TensorImpl& node) const { return arranged_.given_of[arranged_.graph.find_node(node).index()]; }
  Step given_step(int32_t place) const { return Step(step_of_[static_cast<size_t>(place)]); }
  // An inserted node has the step number of the original node that follows it; original nodes keep theirs.
  void renumber(const std::vector<int32_t>& old_order) {
    std::unordered_map<int32_t, int32_t> known;
    for (size_t at = 0; at < old_order.size(); ++at) known[old_order[at]] = step_of_[at];
    std::vector<int32_t> next(list_.order().size());
    int32_t next_use = step_of_.back();
    for (size_t at = next.size(); at-- > 0;) {
      if (const auto step = known.find(list_.order()[at]); step != known.end()) next_use = step->second;
      next[at] = next_use;
    }
    step_of_ = std::move(next);
  }

  const Arrangement& arranged_;
  const WhatIfOptions& options_;
  WhatIf& out_;
  Rematerialisation list_;
  size_t steps_ = 0;
  std::vector<int32_t> step_of_;  // by position: the step of the arranged order
};

// Text for the methods permitted besides rematerialising and offloading.
std::string free_ways(const WhatIfOptions& options) {
  std::string out;
  const auto add = [&](bool used, const char* way) {
    if (used) out += (out.empty() ? "" : ", ") + std::string(way);
  };
  add(options.in_place || options.plan.in_place, "in place");
  add(options.reorder, "in another order");
  add(options.fuse != nullptr, "with fused chains");
  return out;
}

std::string obstacle(const Rematerialisation& list, const MemoryPlan& plan, const WhatIfOptions& options) {
  const Rematerialisation::Profile p = list.profile();
  const TensorImpl& node = *list.value(list.order()[static_cast<size_t>(p.peak_place)]).origin;
  const Bytes live = plan.joined.empty() ? p.peak : std::min(p.peak, plan.lower_bound);
  if (live <= options.capacity)
    return fmt::format(
        "{} are live while {} '{}' runs, which is within {}, but every plan that was found of it has holes: the "
        "smallest "
        "needs {}",
        format_bytes(live), name(node.op), node.name, format_bytes(options.capacity), format_bytes(plan.arena_bytes));
  const std::string ways = free_ways(options);
  return fmt::format("{} are live while {} '{}' runs, and no more of it can be released to fit {}{}",
                     format_bytes(live), name(node.op), node.name, format_bytes(options.capacity),
                     ways.empty() ? "" : fmt::format(", not even {}", ways));
}

// Text for a change of the peak; in bytes if both would be rounded to the same text.
std::string fall_in_words(Bytes before, Bytes after) {
  if (format_bytes(before) == format_bytes(after)) return fmt::format("from {} to {} bytes", before, after);
  return fmt::format("from {} to {}", format_bytes(before), format_bytes(after));
}

std::string free_in_words(Saving method, const MemorySaving& s) {
  switch (method) {
    case Saving::InPlace:
      return s.count > 0 ? fmt::format("compute {} op{} in place", s.count, s.count == 1 ? "" : "s")
                         : "compute ops in place";
    case Saving::Order: return fmt::format("run the nodes in the order '{}'", s.name);
    case Saving::Fusion: return fmt::format("fuse {} chain{} of ops", s.count, s.count == 1 ? "" : "s");
    case Saving::Planner: return fmt::format("use the planner '{}'", s.name);
    case Saving::Rematerialise:
    case Saving::Offload: break;
  }
  return "";
}

std::string free_sentence(const MemorySaving& s) {
  std::string text;
  for (const Saving other : s.with) text += free_in_words(other, s) + " and ";
  text += free_in_words(s.method, s);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return fmt::format("{}: the {} drops {}.", text, s.of_arena ? "arena" : "peak",
                     fall_in_words(s.peak_before, s.peak_after));
}

// Maps the given graph's nodes to the new nodes through the arranged graph.
std::vector<Tensor> through(const Arrangement& arranged, const std::vector<Tensor>& made) {
  std::vector<Tensor> out;
  for (const Tensor& mapped : arranged.node_map)
    out.push_back(mapped ? made[arranged.graph.find_node(*mapped).index()] : Tensor());
  return out;
}

}  // namespace

const char* name(Saving method) {
  switch (method) {
    case Saving::Rematerialise: return "rematerialise";
    case Saving::Offload: return "offload";
    case Saving::InPlace: return "in-place";
    case Saving::Order: return "order";
    case Saving::Fusion: return "fusion";
    case Saving::Planner: return "planner";
  }
  return "?";
}

std::string sentence(const MemorySaving& s) {
  if (is_free(s.method)) return free_sentence(s);
  const std::string peak =
      fmt::format("at step {} the peak drops {}.", step_number(s.at), fall_in_words(s.peak_before, s.peak_after));
  if (s.method == Saving::Offload)
    return fmt::format("Offload '{}' ({}) to the host after step {} and reload it before step {}: {} to copy; {}",
                       s.name, format_bytes(s.bytes), step_number(s.from), step_number(s.to),
                       format_bytes(s.extra_bytes), peak);
  const std::string others =
      s.recomputed.size() > 1 ? fmt::format(", and {} others for it", s.recomputed.size() - 1) : "";
  return fmt::format("Rematerialise '{}' ({}) before step {}{}: {} and {} more; {}", s.name, format_bytes(s.bytes),
                     step_number(s.to), others, flops_text(s.extra_flops), format_bytes(s.extra_bytes), peak);
}

Result<WhatIf> what_if(const Graph& graph, std::span<const NodeId> order, std::string_view order_name,
                       const WhatIfOptions& options) {
  if (options.capacity < 1)
    return Error{fmt::format("invalid capacity of {} bytes: it must be at least 1", options.capacity)};
  const planner::Planner* planner = planner::find_planner(options.planner);
  if (!planner) return Error{fmt::format("there is no planner '{}'", options.planner)};
  MemoryPlanOptions plan_options = options.plan;
  plan_options.capacity = options.capacity;
  WhatIf out;
  auto before = plan_memory(graph, {order.begin(), order.end()}, order_name, *planner, plan_options);
  if (!before) return before.error();
  out.before = out.plan = std::move(*before);
  out.graph = graph;
  out.in_place = options.plan.in_place;
  for (TensorImpl* node : graph.nodes()) out.node_map.emplace_back(node);
  out.fits = out.plan.arena_bytes <= options.capacity;
  if (out.fits) return out;

  auto arranged = arrange(graph, out.before, options);
  if (!arranged) return arranged.error();
  out.graph = arranged->graph;
  out.node_map = arranged->node_map;
  out.plan = arranged->plan;
  out.in_place = arranged->in_place;
  out.steps = arranged->steps;
  out.fits = out.plan.arena_bytes <= options.capacity;

  SavingFinder finder(*arranged, options, out);
  // The live bytes may fit while the arena does not, because of alignment and holes; the target is lowered then.
  constexpr int kRounds = 8;
  Bytes target = options.capacity;
  const bool may_compute = options.rematerialise || options.offload;
  for (int round = 0; round < kRounds && !out.fits && may_compute; ++round) {
    const size_t steps_before = out.steps.size();
    const bool reached = finder.reach(target);
    if (round > 0 && out.steps.size() == steps_before) break;
    std::vector<Tensor> node_map;
    auto rewritten = finder.list().make_graph(node_map);
    if (!rewritten) return rewritten.error();
    std::vector<NodeId> as_built(rewritten->nodes().size());
    for (size_t k = 0; k < as_built.size(); ++k) as_built[k] = NodeId(k);
    std::erase_if(out.steps, [](const MemorySaving& step) { return step.method == Saving::Planner; });
    auto plan =
        plan_within(*rewritten, std::move(as_built), arranged->order_name, arranged->in_place, options, out.steps);
    if (!plan) return plan.error();
    out.graph = std::move(*rewritten);
    out.node_map = through(*arranged, node_map);
    out.plan = std::move(*plan);
    out.fits = out.plan.arena_bytes <= options.capacity;
    if (!reached) break;
    target -= std::max<Bytes>(out.plan.arena_bytes - options.capacity, options.capacity / 512);
    if (target < 1) break;
  }
  if (!out.fits) out.why = obstacle(finder.list(), out.plan, options);
  return out;
}

}  // namespace arenascope
