// SPDX-License-Identifier: MIT
#include <arenascope/schedule/what_if.h>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <arenascope/transform/rematerialisation.h>

namespace arenascope {
namespace {

std::string in_words(Bytes bytes) {
  auto b = static_cast<double>(bytes);
  const char* unit = nullptr;
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (b < 1024) break;
    b /= 1024;
    unit = next;
  }
  return unit ? fmt::format("{:.{}f} {}", b, b < 10 ? 2 : 1, unit) : fmt::format("{} bytes", bytes);
}

std::string flops_in_words(int64_t flops) {
  const auto f = static_cast<double>(flops);
  if (f >= 1e9) return fmt::format("{:.3g} GFLOP", f / 1e9);
  if (f >= 1e6) return fmt::format("{:.3g} MFLOP", f / 1e6);
  return fmt::format("{:.3g} kFLOP", f / 1e3);
}

struct Candidate {
  Saving method;
  int32_t id;
  int32_t from, to;  // places of the uses around the peak
  double seconds;    // a guess, until it is tried
};

// How far the profile exceeds the target, summed over the places: what each step has to lower.
double excess(const Rematerialisation::Profile& p, Bytes target) {
  double sum = 0;
  for (const Bytes live : p.live) sum += static_cast<double>(std::max<Bytes>(live - target, 0));
  return sum;
}

class Finder {
 public:
  Finder(const Graph& graph, std::span<const NodeId> order, const WhatIfOptions& options, WhatIf& out)
      : graph_(graph),
        options_(options),
        out_(out),
        list_(graph, order, options.plan.keep_outputs, options.plan.in_place) {
    step_of_.assign(order.size(), 0);
    std::iota(step_of_.begin(), step_of_.end(), 0);
  }

  const Rematerialisation& list() const { return list_; }

  // Steps until no more than `target` is live at once. False: nothing helps any more.
  bool reach(Bytes target) {
    while (out_.steps.size() < options_.most_steps && !options_.plan.planner.stop.stop_requested()) {
      const Rematerialisation::Profile now = list_.profile();
      if (now.peak <= target) return true;
      // Crumbs only where there is nothing else.
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

  // What lies idle over the peak, the cheapest for its bytes first.
  std::vector<Candidate> candidates(const Rematerialisation::Profile& p) const {
    std::vector<Candidate> out;
    for (size_t k = 0; k < p.life.size(); ++k) {
      const auto id = static_cast<int32_t>(k);
      const Rematerialisation::Life& life = p.life[k];
      if (life.first < 0 || life.first >= p.peak_place || life.last <= p.peak_place + 1 || life.kept) continue;
      const Rematerialisation::Value& v = list_.value(id);
      if (list_.bytes(id) == 0) continue;  // no bytes of the arena to gain
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

  // Evaluates the most promising ones in full, and keeps the one that gains most for its time.
  bool improve(const Rematerialisation::Profile& now, Bytes target, Bytes least) {
    constexpr int kTried = 12;
    const double before = excess(now, target);
    std::optional<Candidate> best;
    double best_worth = 0;
    int helped = 0;
    Rematerialisation::Change change;
    for (const Candidate& c : candidates(now)) {
      if (list_.bytes(c.id) < least || !apply(c, now, change)) continue;
      const Rematerialisation::Profile next = list_.profile();
      const double saved = before - excess(next, target);
      const bool fetch = list_.value(c.id).action == Rematerialisation::Action::Reload;
      const double worth = saved / std::max(seconds(change, fetch ? Saving::Offload : c.method), 1e-12);
      list_.undo();
      if (saved <= 0 || next.peak > now.peak) continue;
      if (!best || worth > best_worth) best = c, best_worth = worth;
      if (++helped == kTried) break;
    }
    if (!best) return false;
    MemorySaving step;
    const Rematerialisation::Value& v = list_.value(best->id);
    const bool fetch = v.action == Rematerialisation::Action::Reload;
    step.method = fetch ? Saving::Offload : best->method;
    step.node = graph_.find_node(*v.origin);
    step.name = v.origin->name;
    step.bytes = list_.bytes(best->id);
    step.from = given_step(best->from);
    step.to = given_step(best->to);
    step.peak_before = now.peak;
    const std::vector<int32_t> old_order = list_.order();
    apply(*best, now, change);
    renumber(old_order);
    step.extra_flops = change.flops;
    step.extra_bytes = change.moved;
    step.recomputed = std::move(change.computed);
    step.peak_after = list_.profile().peak;
    out_.extra_flops += step.extra_flops;
    out_.extra_bytes += step.extra_bytes;
    out_.steps.push_back(std::move(step));
    return true;
  }

  Step given_step(int32_t place) const { return Step(step_of_[static_cast<size_t>(place)]); }
  // What was put in counts as the given step before which it stands.
  void renumber(const std::vector<int32_t>& old_order) {
    std::vector<int32_t> next(list_.order().size());
    size_t old = 0;
    for (size_t at = 0; at < next.size(); ++at) {
      next[at] = old < step_of_.size() ? step_of_[old] : step_of_.back();
      if (old < old_order.size() && list_.order()[at] == old_order[old]) ++old;
    }
    step_of_ = std::move(next);
  }

  const Graph& graph_;
  const WhatIfOptions& options_;
  WhatIf& out_;
  Rematerialisation list_;
  std::vector<int32_t> step_of_;  // of each place: the step of the given order
};

std::string obstacle(const Rematerialisation& list, const WhatIfOptions& options) {
  const Rematerialisation::Profile p = list.profile();
  const TensorImpl& node = *list.value(list.order()[static_cast<size_t>(p.peak_place)]).origin;
  return fmt::format("{} are live while {} '{}' runs, and nothing more of that can be let go within {}",
                     in_words(p.peak), name(node.op), node.name, in_words(options.capacity));
}

}  // namespace

const char* name(Saving method) { return method == Saving::Rematerialise ? "rematerialise" : "offload"; }

std::string sentence(const MemorySaving& s) {
  const std::string peak = fmt::format("the peak goes from {} to {}.", in_words(s.peak_before), in_words(s.peak_after));
  if (s.method == Saving::Offload)
    return fmt::format("Move '{}' ({}) to the host after step {} and back before step {}: {} to copy; {}", s.name,
                       in_words(s.bytes), s.from.value, s.to.value, in_words(s.extra_bytes), peak);
  const std::string others =
      s.recomputed.size() > 1 ? fmt::format(", and {} others for it", s.recomputed.size() - 1) : "";
  return fmt::format("Compute '{}' ({}) again before step {}{}: {} and {} more; {}", s.name, in_words(s.bytes),
                     s.to.value, others, flops_in_words(s.extra_flops), in_words(s.extra_bytes), peak);
}

Result<WhatIf> what_if(const Graph& graph, std::span<const NodeId> order, std::string_view order_name,
                       const WhatIfOptions& options) {
  if (options.capacity < 1) return Error{fmt::format("a capacity of {} bytes", options.capacity)};
  const planner::Planner* planner = planner::find_planner(options.planner);
  if (!planner) return Error{fmt::format("there is no planner '{}'", options.planner)};
  MemoryPlanOptions plan_options = options.plan;
  plan_options.capacity = options.capacity;
  WhatIf out;
  auto before = plan_memory(graph, {order.begin(), order.end()}, order_name, *planner, plan_options);
  if (!before) return before.error();
  out.before = out.plan = std::move(*before);
  out.graph = graph;
  for (TensorImpl* node : graph.nodes()) out.twins.emplace_back(node);
  out.fits = out.plan.arena_bytes <= options.capacity;
  if (out.fits) return out;

  Finder finder(graph, order, options, out);
  // What is live may fit and its arena not, for alignment and holes: then a little less must be live.
  constexpr int kRounds = 8;
  Bytes target = options.capacity;
  for (int round = 0; round < kRounds && !out.fits; ++round) {
    const size_t steps_before = out.steps.size();
    const bool reached = finder.reach(target);
    if (round > 0 && out.steps.size() == steps_before) break;
    std::vector<Tensor> twins;
    auto rewritten = finder.list().make_graph(twins);
    if (!rewritten) return rewritten.error();
    std::vector<NodeId> as_built(rewritten->nodes().size());
    for (size_t k = 0; k < as_built.size(); ++k) as_built[k] = NodeId(k);
    auto plan = plan_memory(*rewritten, std::move(as_built), order_name, *planner, plan_options);
    if (!plan) return plan.error();
    out.graph = std::move(*rewritten);
    out.twins = std::move(twins);
    out.plan = std::move(*plan);
    out.fits = out.plan.arena_bytes <= options.capacity;
    if (!reached) break;
    target -= std::max<Bytes>(out.plan.arena_bytes - options.capacity, options.capacity / 512);
    if (target < 1) break;
  }
  if (!out.fits) out.why = obstacle(finder.list(), options);
  return out;
}

}  // namespace arenascope
