// SPDX-License-Identifier: MIT
#include <arenascope/schedule/findings.h>

#include <algorithm>
#include <chrono>
#include <map>

#include <arenascope/planner/check.h>
#include <arenascope/planner/explain.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/trace/space_use.h>
#include <arenascope/transform/mutation_analysis.h>
#include "engine/schedule/findings_run.h"
#include "engine/schedule/findings_spaces.h"

namespace arenascope {
namespace {

using trace::TensorRef;
using Kind = Finding::Kind;
using Clock = std::chrono::steady_clock;

constexpr size_t kShown = 8;       // tensors reported at the peak and above holes
constexpr size_t kTries = 6;       // re-planned changes of each kind
constexpr double kOnePlan = 0.25;  // budget in seconds for one plan of a searching planner

// A change to the intervals: splits, aliasing and removals.
struct Variant {
  planner::Problem problem;
  std::vector<TensorRef> owners;  // of its intervals
};

// Traces of other tools do not record the axis of a concatenation. Inputs can be contiguous in the result only along
// the first dimension that is not 1, so that axis is tried; if the sizes contradict it, the concatenation is not
// aliased.
trace::GraphInfo with_axes(trace::GraphInfo graph) {
  for (trace::TensorInfo& node : graph.nodes) {
    if (node.axis || op_of(node) != Op::Concat) continue;
    const auto first = std::find_if(node.shape.begin(), node.shape.end(), [](int64_t size) { return size != 1; });
    if (first != node.shape.end()) node.axis = static_cast<int32_t>(first - node.shape.begin());
  }
  return graph;
}

class Finder {
 public:
  Finder(const FindingsInput& in, const FindingsOptions& options)
      : in_(in),
        options_(options),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.budget_seconds))) {}

  std::vector<Finding> run() {
    add_run_findings(in_, found_);
    add_space_findings(in_, options_, found_);
    // A run that did not use its plan cannot be improved by another plan.
    const bool unused = in_.snapshot && trace::is_in_spaces(*in_.snapshot, in_.run, in_.plan.get());
    if (unused || !set_up()) return ranked();
    add_peak();
    add_holes();
    tell(0.05);
    add_alignment();
    add_in_place();
    tell(0.2);
    add_joins();
    tell(0.3);
    add_long_lives();
    tell(0.55);
    add_planners();
    tell(0.75);
    add_orders();
    tell(1.0);
    return ranked();
  }

 private:
  bool stopped() const { return options_.stop.stop_requested() || Clock::now() > end_; }

  bool set_up() {
    if (!in_.plan || !in_.graph || in_.plan->order.size() != in_.graph->nodes.size()) return false;
    auto graph = restore_graph(with_axes(*in_.graph));
    if (!graph) return false;
    graph_ = *graph;
    if (!check_order(graph_, in_.plan->order)) return false;
    plan_options_.alignment = std::max<Bytes>(in_.plan->alignment, 1);
    for (const trace::SliceInfo& s : in_.plan->slices) plan_options_.in_place |= s.in_place_of.valid();
    plan_options_.join = false;  // add_joins() handles further concatenations
    plan_options_.planner.stop = options_.stop;
    plan_options_.planner.budget_seconds = std::min(kOnePlan, options_.budget_seconds / 16);
    planner_ = planner::find_planner(in_.plan->planner);
    if (!planner_) planner_ = planner::find_planner("search");
    base_ = with_leafs(graph_intervals(graph_, in_.plan->order, plan_options_));
    lives_ = find_owners(graph_);
    arena_ = in_.plan->arena_bytes;
    peak_ = planner::find_peak(base_.problem);
    return !base_.problem.intervals.empty();
  }

  void tell(double done) {
    if (options_.progress && !options_.stop.stop_requested()) options_.progress(ranked(), done);
  }

  std::vector<Finding> ranked() const {
    std::vector<Finding> list = found_;
    std::stable_sort(list.begin(), list.end(), [](const Finding& a, const Finding& b) {
      return a.saved != b.saved ? a.saved > b.saved : a.time > b.time;
    });
    return list;
  }

  TensorRef tensor(size_t interval) const { return base_.owners[interval]; }

  // The intervals of a graph's results, and of the leaf tensors that the plan places in the same arena.
  Variant with_leafs(GraphIntervals intervals) const {
    Variant v{std::move(intervals.problem), {}};
    for (const NodeId id : intervals.owners) v.owners.push_back(TensorRef::node(id));
    for (const trace::SliceInfo& s : in_.plan->slices) {
      if (!is_placed_leaf(s)) continue;
      planner::Interval interval;
      interval.lower = s.first.value;
      interval.upper = s.last.value;
      interval.size = s.size;
      v.problem.intervals.push_back(interval);
      v.owners.push_back(s.tensor);
    }
    return v;
  }
  static bool is_placed_leaf(const trace::SliceInfo& s) {
    return s.tensor.is_leaf() && s.placement == trace::Placement::Arena;
  }
  bool places_leafs() const { return std::ranges::any_of(in_.plan->slices, is_placed_leaf); }

  // --- reports

  void add_peak() {
    Finding f;
    f.kind = Kind::AtPeak;
    f.step = Step(static_cast<int32_t>(peak_.step));
    f.bytes = peak_.live_bytes;
    for (int32_t b : peak_.buffers) {
      if (f.tensors.size() == kShown) break;
      f.tensors.push_back(tensor(static_cast<size_t>(b)));
    }
    f.count = static_cast<int64_t>(peak_.buffers.size());
    if (!peak_.buffers.empty() && peak_.live_bytes > 0)
      f.share = static_cast<double>(base_.problem.intervals[static_cast<size_t>(peak_.buffers[0])].size) /
                static_cast<double>(peak_.live_bytes);
    found_.push_back(std::move(f));
  }

  // The current plan in the planner's format; empty if it does not match the graph.
  planner::Plan given_plan() const {
    std::map<TensorRef, Bytes> offsets;
    for (const trace::SliceInfo& s : in_.plan->slices) offsets[s.tensor] = s.offset;
    planner::Plan plan;
    for (const TensorRef owner : base_.owners) {
      const auto offset = offsets.find(owner);
      if (offset == offsets.end()) return {};
      plan.offsets.push_back(offset->second);
    }
    plan.arena_bytes = in_.plan->arena_bytes;
    return plan;
  }

  void add_holes() {
    const planner::Plan plan = given_plan();
    if (plan.offsets.empty()) return;
    const auto holes = planner::holes_at(base_.problem, plan, peak_.step);
    Finding f;
    f.kind = Kind::Holes;
    f.step = Step(static_cast<int32_t>(peak_.step));
    std::vector<planner::Hole> by_size = holes;
    std::sort(by_size.begin(), by_size.end(), [](const auto& a, const auto& b) { return a.size > b.size; });
    for (const planner::Hole& h : by_size) {
      f.bytes += h.size;
      if (h.above >= 0 && f.tensors.size() < kShown) f.tensors.push_back(tensor(static_cast<size_t>(h.above)));
    }
    f.count = static_cast<int64_t>(holes.size());
    f.share = arena_ > 0 ? static_cast<double>(f.bytes) / static_cast<double>(arena_) : 0;
    if (f.bytes > 0) found_.push_back(std::move(f));
  }

  // --- re-planning

  std::shared_ptr<trace::PlanInfo> describe(const Variant& v, const planner::Plan& answer,
                                            const std::string& how) const {
    auto info = std::make_shared<trace::PlanInfo>();
    info->graph = in_.graph->id;
    info->planner = how.empty() ? answer.planner : answer.planner + ", " + how;
    info->order_name = in_.plan->order_name;
    info->order = in_.plan->order;
    info->arena_bytes = answer.arena_bytes;
    info->lower_bound_bytes = answer.lower_bound;
    info->alignment = v.problem.alignment;
    info->seconds = answer.seconds;
    for (size_t i = 0; i < v.owners.size(); ++i) {
      const planner::Interval& interval = v.problem.intervals[i];
      trace::SliceInfo s;
      s.tensor = v.owners[i];
      s.offset = answer.offsets[i];
      s.size = interval.size;
      s.first = Step(static_cast<int32_t>(interval.lower));
      s.last = Step(static_cast<int32_t>(interval.upper));
      if (!answer.blocks.empty()) s.block = answer.blocks[i];
      if (!answer.reuse_level.empty()) s.level = answer.reuse_level[i];
      info->slices.push_back(s);
    }
    for (const planner::InPlace& pair : v.problem.in_place) {
      const auto source = static_cast<size_t>(pair.source), target = static_cast<size_t>(pair.target);
      if (answer.offsets[source] + pair.shift == answer.offsets[target])
        info->slices[target].in_place_of = info->slices[source].tensor;
    }
    for (const planner::Attachment& join : v.problem.attachments)
      info->slices[static_cast<size_t>(join.part)].part_of = info->slices[static_cast<size_t>(join.whole)].tensor;
    return info;
  }

  // Re-plans; null if the result is not smaller than the current plan.
  std::shared_ptr<trace::PlanInfo> try_out(const Variant& v, const std::string& how) {
    auto answer = planner_->plan(v.problem, plan_options_.planner);
    if (!answer || !planner::check(v.problem, *answer) || answer->arena_bytes >= arena_) return nullptr;
    return describe(v, *answer, how);
  }

  void keep(Finding f, std::shared_ptr<trace::PlanInfo> plan) {
    if (!plan) return;
    f.saved = arena_ - plan->arena_bytes;
    f.planner = plan->planner;
    f.order = plan->order_name;
    f.plan = std::move(plan);
    found_.push_back(std::move(f));
  }

  void add_alignment() {
    for (const Bytes alignment : {Bytes{16}, Bytes{1}}) {
      if (alignment >= plan_options_.alignment || stopped()) continue;
      Variant v = base_;
      v.problem.alignment = alignment;
      auto plan = try_out(v, "aligned " + std::to_string(alignment));
      if (!plan || (!found_.empty() && found_.back().kind == Kind::Alignment &&
                    arena_ - plan->arena_bytes <= found_.back().saved))
        continue;
      Finding f;
      f.kind = Kind::Alignment;
      f.alignment = alignment;
      keep(std::move(f), std::move(plan));
    }
  }

  void add_in_place() {
    if (plan_options_.in_place || stopped()) return;
    MemoryPlanOptions options = plan_options_;
    options.in_place = true;
    const Variant all = with_leafs(graph_intervals(graph_, in_.plan->order, options));
    if (all.problem.in_place.empty()) return;
    Finding f;
    f.kind = Kind::InPlaceAll;
    f.count = static_cast<int64_t>(all.problem.in_place.size());
    keep(std::move(f), try_out(all, "in place"));
    // Single ops that can lower the peak: both tensors of the pair are live at the peak.
    std::vector<planner::InPlace> pairs;
    const auto at_peak = [&](int32_t b) {
      const planner::Interval& i = base_.problem.intervals[static_cast<size_t>(b)];
      return i.lower <= peak_.step && peak_.step < i.upper;
    };
    for (const planner::InPlace& pair : all.problem.in_place)
      if (at_peak(pair.source) && at_peak(pair.target)) pairs.push_back(pair);
    for (size_t i = 0; i < pairs.size() && i < kTries && !stopped(); ++i) {
      Variant v = base_;
      v.problem.in_place = {pairs[i]};
      Finding one;
      one.kind = Kind::InPlace;
      one.step = Step(static_cast<int32_t>(peak_.step));
      one.tensors = {tensor(static_cast<size_t>(pairs[i].target)), tensor(static_cast<size_t>(pairs[i].source))};
      keep(std::move(one), try_out(v, "one op in place"));
    }
  }

  // By node: the interval of its owner's bytes; -1: none.
  std::vector<int32_t> intervals_by_node() const {
    std::vector<int32_t> of(lives_.size(), -1);
    for (size_t i = 0; i < base_.owners.size(); ++i)
      if (base_.owners[i].is_node()) of[base_.owners[i].index()] = static_cast<int32_t>(i);
    for (size_t n = 0; n < of.size(); ++n)
      if (lives_[n].owner.valid()) of[n] = of[lives_[n].owner.index()];
    return of;
  }

  // Concatenations whose inputs could be aliased, and copies of tensors that are already contiguous.
  void add_joins() {
    MemoryPlanOptions options = plan_options_;
    options.join = true;
    GraphIntervals all = graph_intervals(graph_, in_.plan->order, options);
    std::erase_if(all.joined, [&](NodeId id) { return joined_already(id); });
    std::erase_if(all.problem.attachments, [&](const planner::Attachment& a) {
      const NodeId whole = all.owners[static_cast<size_t>(a.whole)];
      return std::find(all.joined.begin(), all.joined.end(), whole) == all.joined.end();
    });
    Finding joined;
    joined.kind = Kind::Concat;
    for (NodeId id : all.joined) {
      joined.tensors.push_back(TensorRef::node(id));
      joined.bytes += in_.graph->nodes[id.index()].bytes;
    }
    if (!joined.tensors.empty() && !stopped()) {
      joined.count = static_cast<int64_t>(joined.tensors.size());
      keep(std::move(joined), try_out(with_leafs(std::move(all)), "joined in place"));
    }
    const std::vector<int32_t> of = intervals_by_node();
    size_t tried = 0;
    for (size_t n = 0; n < in_.graph->nodes.size() && tried < kTries && !stopped(); ++n) {
      const trace::TensorInfo& node = in_.graph->nodes[n];
      if (op_of(node) != Op::Cont || of[n] < 0 || node.sources.size() != 1 || !in_order(node.sources[0])) continue;
      ++tried;
      Finding f;
      f.kind = Kind::Contiguous;
      f.tensors = {TensorRef::node(NodeId(n))};
      f.bytes = node.bytes;
      Variant v = without(static_cast<size_t>(of[n]), node.sources[0], of);
      f.plan = nullptr;
      if (auto plan = try_out(v, "without a copy"))
        keep(std::move(f), std::move(plan));
      else
        found_.push_back(std::move(f));  // the copy is saved in any case
    }
  }

  // True if the current plan aliases an input of the concatenation into the result.
  bool joined_already(NodeId id) const {
    const trace::SliceInfo* whole = nullptr;
    for (const trace::SliceInfo& s : in_.plan->slices)
      if (s.tensor == TensorRef::node(id)) whole = &s;
    if (!whole) return false;
    const auto& sources = in_.graph->nodes[id.index()].sources;
    return std::any_of(in_.plan->slices.begin(), in_.plan->slices.end(), [&](const trace::SliceInfo& s) {
      return std::find(sources.begin(), sources.end(), s.tensor) != sources.end() &&
             s.offset < whole->offset + whole->size && whole->offset < s.offset + s.size && s.first < whole->last &&
             whole->first < s.last;
    });
  }

  bool in_order(TensorRef ref) const {
    const auto& list = ref.is_leaf() ? in_.graph->leafs : in_.graph->nodes;
    if (!ref.is_node() || ref.index() >= list.size()) return false;
    const trace::TensorInfo& t = list[ref.index()];
    if (t.strides.size() != t.shape.size() || t.bytes <= 0) return false;
    int64_t elements = 1;
    for (int64_t d : t.shape) elements *= std::max<int64_t>(d, 1);
    Bytes stride = t.bytes / elements;
    for (size_t d = t.shape.size(); d-- > 0;) {
      if (t.shape[d] != 1 && t.strides[d] != stride) return false;
      stride *= t.shape[d];
    }
    return true;
  }

  // The problem in which a copy is a view of its source, whose lifetime is extended by that of the copy.
  Variant without(size_t copy, TensorRef source, const std::vector<int32_t>& of) const {
    Variant v;
    v.problem.alignment = base_.problem.alignment;
    const int32_t from = of[source.index()];
    for (size_t i = 0; i < base_.owners.size(); ++i) {
      if (i == copy && from >= 0) continue;
      v.problem.intervals.push_back(base_.problem.intervals[i]);
      if (static_cast<int32_t>(i) == from)
        v.problem.intervals.back().upper =
            std::max(v.problem.intervals.back().upper, base_.problem.intervals[copy].upper);
      v.owners.push_back(base_.owners[i]);
    }
    return v;
  }

  // --- tensors with long lifetimes that are unused in between

  struct Rest {  // a range of steps across the peak in which an interval is unused
    size_t interval = 0;
    int64_t from = 0, to = 0;  // half-open
  };

  // For each interval at the peak: the last use before the peak and the next use after it.
  std::vector<Rest> rests() const {
    std::vector<Rest> list;
    std::vector<int64_t> before(base_.owners.size(), -1), next_use(base_.owners.size(), INT64_MAX);
    const std::vector<int32_t> of = intervals_by_node();
    for_each_use(graph_, in_.plan->order, lives_, [&](NodeId owner, Step step) {
      const int32_t interval = of[owner.index()];
      if (interval < 0) return;
      const auto i = static_cast<size_t>(interval);
      if (step.value <= peak_.step)
        before[i] = std::max<int64_t>(before[i], step.value);
      else
        next_use[i] = std::min<int64_t>(next_use[i], step.value);
    });
    for (int32_t b : peak_.buffers) {
      const auto i = static_cast<size_t>(b);
      if (before[i] < 0 || before[i] >= peak_.step || next_use[i] == INT64_MAX) continue;
      list.push_back({i, before[i] + 1, next_use[i]});
    }
    std::stable_sort(list.begin(), list.end(), [&](const Rest& a, const Rest& b) {
      return base_.problem.intervals[a.interval].size > base_.problem.intervals[b.interval].size;
    });
    return list;
  }

  // Splits the interval: the first part ends at `rest.from`, a second one starts at `rest.to`. Recomputation extends
  // the lifetimes of the inputs to `rest.to`. If an input is a leaf tensor that a node overwrites, the inputs of that
  // writer are extended too, as it runs afterwards. Returns false if an input has been overwritten.
  bool cut(Variant& v, const Rest& rest, bool again) const {
    const TensorImpl& origin = graph_.node(NodeId(base_.owners[rest.interval].index()));
    const MutationAnalysis versions(graph_);
    if (versions.written(origin)) return false;
    planner::Interval tail = base_.problem.intervals[rest.interval];
    v.problem.intervals[rest.interval].upper = rest.from;
    tail.lower = rest.to;
    v.problem.intervals.push_back(tail);
    v.owners.push_back(base_.owners[rest.interval]);
    if (!again) return true;
    const std::vector<int32_t> of = intervals_by_node();
    const auto hold_sources = [&](const TensorImpl& reader) {
      for (const TensorImpl* source : sources_read(reader)) {
        const NodeId id = graph_.find_node(*source);
        const int32_t from = id.valid() ? of[id.index()] : -1;
        if (from < 0) continue;
        auto& upper = v.problem.intervals[static_cast<size_t>(from)].upper;
        upper = std::max(upper, rest.to + 1);
      }
    };
    hold_sources(origin);
    for (const TensorImpl* source : sources_read(origin)) {
      if (!versions.passing(*source)) continue;
      if (placement_of(*source) != Placement::Given) return false;
      for (int64_t step = 0; step < rest.to; ++step) {
        const TensorImpl& writer = graph_.node(in_.plan->order[static_cast<size_t>(step)]);
        const auto written = MutationAnalysis::written_by(writer);
        if (std::find(written.begin(), written.end(), &base_of(*source)) != written.end()) hold_sources(writer);
      }
    }
    return true;
  }

  void add_long_lives() {
    const std::vector<Rest> list = rests();
    for (const bool again : {true, false}) {
      if (again && places_leafs()) continue;  // an input may have been overwritten
      bool helped = false;
      const auto attempt = [&](size_t first, size_t last) {
        Variant v = base_;
        v.problem.in_place.clear();
        Finding f;
        f.kind = again ? Kind::Rematerialise : Kind::Offload;
        f.step = Step(static_cast<int32_t>(peak_.step));
        for (size_t i = first; i < last; ++i) {
          if (!cut(v, list[i], again)) continue;
          f.tensors.push_back(tensor(list[i].interval));
          f.count = std::max(f.count, list[i].to - list[i].from);
          f.bytes += 2 * base_.problem.intervals[list[i].interval].size;
        }
        if (f.tensors.empty()) return;
        auto plan = try_out(v, again ? "rematerialised" : "offloaded");
        helped |= plan != nullptr;
        keep(std::move(f), std::move(plan));
      };
      for (size_t i = 0; i < list.size() && i < kTries && !stopped(); ++i) attempt(i, i + 1);
      // If several steps have the same peak, only several tensors in combination help.
      for (size_t n = 2; !helped && n <= list.size() && n <= 64 && !stopped(); n *= 2) attempt(0, n);
    }
  }

  // --- other planners and orders

  void add_planners() {
    Finding best;
    best.kind = Kind::Planner;
    std::shared_ptr<trace::PlanInfo> plan;
    for (const planner::Planner* p : planner::all_planners()) {
      if (p == planner_ || stopped()) continue;
      auto answer = p->plan(base_.problem, plan_options_.planner);
      if (!answer || !planner::check(base_.problem, *answer) || answer->arena_bytes >= arena_) continue;
      if (!plan || answer->arena_bytes < plan->arena_bytes) plan = describe(base_, *answer, {});
    }
    keep(std::move(best), std::move(plan));
  }

  void add_orders() {
    if (places_leafs()) return;  // their lifetimes in another order are not recorded
    MemoryPlanOptions plan_options = plan_options_;
    for (size_t n = 0; n < in_.graph->nodes.size() && !plan_options.join; ++n)
      plan_options.join = op_of(in_.graph->nodes[n]) == Op::Concat && joined_already(NodeId(n));
    for (const OrderInfo& order : all_orders()) {
      if (order.name == in_.plan->order_name || stopped()) continue;
      OrderOptions order_options;
      order_options.stop = options_.stop;
      order_options.budget_seconds = std::max(
          0.1, std::min(options_.budget_seconds / 8, std::chrono::duration<double>(end_ - Clock::now()).count() / 2));
      auto sequence = order.make(graph_, order_options);
      if (!sequence || options_.stop.stop_requested()) continue;
      auto plan = plan_memory(graph_, std::move(*sequence), order.name, *planner_, plan_options);
      if (!plan || plan->arena_bytes >= arena_) continue;
      auto info = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
      info->graph = in_.graph->id;
      Finding f;
      f.kind = Kind::Order;
      keep(std::move(f), std::move(info));
    }
  }

  const FindingsInput& in_;
  const FindingsOptions& options_;
  const Clock::time_point end_;
  Graph graph_;
  MemoryPlanOptions plan_options_;
  const planner::Planner* planner_ = nullptr;
  std::vector<Lifetime> lives_;  // owners only
  Variant base_;
  Bytes arena_ = 0;
  planner::Peak peak_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> find_savings(const FindingsInput& input, const FindingsOptions& options) {
  return Finder(input, options).run();
}

}  // namespace arenascope
