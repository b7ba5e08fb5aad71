// SPDX-License-Identifier: MIT
// The line of `arenascope-cli audit` that each fact is compared with, or the reason why there is none.
#include <arenascope/base/step_number.h>
#include <arenascope/schedule/describe.h>
#include <fmt/format.h>

#include <algorithm>

#include "engine/lesson/fact_table.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

// An audit line's id with placeholders: {G}, {P}, {R} are the open graph, plan and run; {1}, {2} the arguments of the
// fact; {T} the tensor that it names, {N} its node's number, {S} the tensor whose memory it uses, {B} the barrier after
// it; {K} a memory kind or all; {C} a counter; {X} a pool and {O} an object in it.
struct Line {
  const char* fact;
  const char* figure;
  const char* exempt = "";
};

constexpr const char* kNotNumeric = "its value is not a number";
constexpr const char* kNumbers = "needs tensor values, which recordings do not contain";
constexpr const char* kFixed = "a constant of the engine, or computed from the arguments only";
constexpr const char* kMade = "about plans that are computed on demand and are in no recording";

constexpr Line kLines[] = {
    {"nodes", "graph.{G}.nodes"},
    {"leafs", "graph.{G}.leafs"},
    {"node_names", "", kNotNumeric},
    {"leaf_names", "", kNotNumeric},
    {"views", "", kNotNumeric},
    {"gradients", "graph.{G}.gradients"},
    {"accumulator", "", kNotNumeric},
    {"tensor", "", kNotNumeric},
    {"op", "", kNotNumeric},
    {"dtype", "", kNotNumeric},
    {"shape", "", kNotNumeric},
    {"size", "tensor.{G}.{T}.dim.{2}"},
    {"stride", "tensor.{G}.{T}.stride.{2}"},
    {"elements", "tensor.{G}.{T}.elements"},
    {"bytes", "tensor.{G}.{T}.bytes"},
    {"tasks", "tensor.{G}.{T}.tasks"},
    {"scratch", "tensor.{G}.{T}.work_bytes"},
    {"flops", "tensor.{G}.{T}.flops"},
    {"backend", "", kNotNumeric},
    {"nodes_on", "", kNotNumeric},
    {"parts", "tensor.{G}.{T}.parts"},
    {"sources", "", kNotNumeric},
    {"users", "", kNotNumeric},
    {"uses", "tensor.{G}.{T}.uses"},
    {"view_of", "", kNotNumeric},
    {"view_offset", "tensor.{G}.{T}.view_offset"},
    {"value", "", kNumbers},
    {"largest_error", "", kNumbers},
    {"block_elements", "", kFixed},
    {"block_bytes", "", kFixed},
    {"bits", "", kFixed},
    {"peak", "plan.{P}.peak"},
    {"peak_step", "plan.{P}.peak_step"},
    {"at_peak", "", kNotNumeric},
    {"bound", "plan.{P}.lower_bound"},
    {"waste", "plan.{P}.gap"},
    {"alignment", "plan.{P}.alignment"},
    {"without_reuse", "plan.{P}.slice_bytes"},
    {"planned_tensors", "plan.{P}.placed"},
    {"blocks", "plan.{P}.placed_blocks"},
    {"steps", "plan.{P}.steps"},
    {"run_order", "", kNotNumeric},
    {"live", "", kNotNumeric},
    {"live_bytes", "plan.{P}.step.{F}.live"},
    {"step_of", "plan.{P}.step_of.{N}"},
    {"first", "plan.{P}.slice.{S}.first"},
    {"last", "plan.{P}.slice.{S}.last_use"},
    {"offset", "plan.{P}.slice.{S}.offset"},
    {"end", "plan.{P}.slice.{S}.end"},
    {"level", "plan.{P}.slice.{S}.level"},
    {"reused_at", "", kNotNumeric},
    {"count_at", "plan.{P}.level.{1}"},
    {"block", "", kNotNumeric},
    {"in_place_of", "", kNotNumeric},
    {"runs", "recording.runs"},
    {"threads", "run.{R}.threads"},
    {"barriers", "run.{R}.barriers"},
    {"has_barrier", "", kNotNumeric},
    {"last_arriver", "", kNotNumeric},
    {"spread", "run.{R}.barrier.{B}.spread"},
    {"wait", "run.{R}.barrier.{B}.waited"},
    {"wall", "run.{R}.node.{N}.wall"},
    {"pieces", "run.{R}.node.{N}.parts"},
    {"taken_over", "run.{R}.node.{N}.taken_over"},
    {"longest_wait", "", kNotNumeric},
    {"latest_thread", "", kNotNumeric},
    {"copies", "run.{R}.copies"},
    {"copied_bytes", "run.{R}.copied"},
    {"active", "{K}.active.end"},
    {"most_active", "{K}.active.peak"},
    {"reserved", "{K}.reserved.end"},
    {"most_reserved", "{K}.reserved.peak"},
    {"allocations", "{K}.allocations"},
    {"frees", "{K}.frees"},
    {"reservations", "{K}.reservations"},
    {"never_freed", "{K}.never_freed"},
    {"largest_request", "{K}.largest_request"},
    {"counter", "counter.{C}.last"},
    {"highest", "counter.{C}.most"},
    {"pool", "context.{X}.bytes"},
    {"pool_used", "context.{X}.used"},
    {"no_alloc", "", kNotNumeric},
    {"objects", "context.{X}.objects"},
    {"last_object", "", kNotNumeric},
    {"object", "context.{O}.bytes"},
    {"object_offset", "context.{O}.offset"},
    {"header", "context.{O}.header"},
    {"header_offset", "context.{O}.header_offset"},
    {"tensor_overhead", "", kFixed},
    {"graph_overhead", "", kFixed},
    {"problems", "recording.problems"},
    {"arena", "plan.{P}.arena"},  // without a planner
    {"in_place_arena", "", kMade},
    {"offset_in", "", kMade},
    {"bound_of", "", kMade},
    {"order_of", "", kNotNumeric},
    {"moved", "", kNotNumeric},
    {"peak_after_moves", "", kMade},
    {"saving", "", kMade},
    {"frontier_points", "", kMade},
    {"frontier_arena", "", kMade},
    {"frontier_cost", "", kMade},
    {"frontier_end", "", kMade},
    {"tensor_bytes", "", kFixed},
    {"buffer_bytes", "", kFixed},
    {"image_width", "", kFixed},
    {"image_height", "", kFixed},
    {"tuned_kernels", "recording.tunings"},
    {"tried", "recording.max_tried"},
    {"tuned_by", "", kNotNumeric},
    {"frames", "", kFixed},
    {"lens", "", kFixed},
};

std::string word_of(trace::TensorRef ref) { return fmt::format("{}.{}", ref.is_leaf() ? "leaf" : "node", ref.index()); }

std::string kind_word(const Arguments& a) {
  if (a.empty()) return "memory";
  for (const MemoryKind kind : kMemoryKinds)
    if (name(kind) == a[0])
      return fmt::format("kind.{}", trace::kMemoryKindNames[static_cast<size_t>(trace_kind(kind))]);
  return "";
}

std::string counter_word(const Scene& s, std::string counter_name) {
  std::ranges::replace(counter_name, '_', ' ');
  for (const trace::CounterInfo& counter : s.snapshot->counters) {
    std::string known = counter.name;
    std::ranges::replace(known, '_', ' ');
    if (known == counter_name) return std::to_string(counter.id.value);
  }
  return {};
}

// A pool by name (default: the first one), or an object by the name of its tensor.
std::string pool_word(const Scene& s, const std::string& name, bool object) {
  for (const auto& context : s.snapshot->contexts) {
    if (!context) continue;
    if (!object && (name.empty() || context->name == name)) return std::to_string(context->id.value);
    for (size_t i = 0; object && i < context->objects.size(); ++i) {
      const trace::ObjectInfo& o = context->objects[i];
      if (o.name == name || (o.name.empty() && o.type == name))
        return fmt::format("{}.object.{}", context->id.value, i);
    }
  }
  return {};
}

std::string barrier_word(const Scene& s, const std::string& tensor) {
  auto found = tensor_of(s, tensor);
  if (!found || !found->ref.is_node()) return {};
  const auto barrier = s.snapshot->barrier_of(s.run, NodeId(found->ref.index()));
  return barrier ? std::to_string(barrier->generation) : std::string();
}

// The replacement of a placeholder; empty if there is none.
std::string word_for(char what, const Scene& s, const Arguments& a) {
  const std::string first = a.empty() ? "" : a[0];
  switch (what) {
    case 'G': return s.graph ? std::to_string(s.graph->id.value) : "";
    case 'P': return s.plan ? std::to_string(s.plan->id.value) : "";
    case 'R': return std::to_string(s.run.value);
    case '1': return first;
    case '2': return a.size() > 1 ? a[1] : "";
    case 'T':
      if (auto found = tensor_of(s, first)) return word_of(found->ref);
      return {};
    case 'N':
      if (auto found = tensor_of(s, first)) return std::to_string(found->ref.index());
      return {};
    case 'F': {  // a step, or the step of a node
      const auto number = parse_integer(first);
      if (number) return std::to_string(step_index(*number));
      auto found = tensor_of(s, first);
      for (size_t i = 0; found && s.plan && i < s.plan->order.size(); ++i)
        if (trace::TensorRef::node(s.plan->order[i]) == found->ref) return std::to_string(i);
      return {};
    }
    case 'S':
      if (auto slice = slice_of(s, first)) return word_of((*slice)->tensor);
      return {};
    case 'B': return barrier_word(s, first);
    case 'K': return kind_word(a);
    case 'C': return counter_word(s, first);
    case 'X': return pool_word(s, first, false);
    case 'O': return pool_word(s, first, true);
    default: return {};
  }
}

}  // namespace

Result<AuditMetric> audit_metric(const Scene& scene, const std::string& fact, const std::vector<std::string>& given) {
  const auto line = std::ranges::find_if(kLines, [&](const Line& l) { return fact == l.fact; });
  if (line == std::end(kLines)) return Error{fmt::format("no audit line is defined for the fact '{}'", fact)};
  if (*line->exempt != '\0') return AuditMetric{"", line->exempt};
  if (fact == "arena" && !given.empty()) return AuditMetric{"", kMade};
  AuditMetric out;
  for (const char* c = line->figure; *c != '\0'; ++c) {
    if (*c != '{') {
      out.figure += *c;
      continue;
    }
    const std::string token = word_for(c[1], scene, given);
    if (token.empty()) return Error{fmt::format("the fact '{}' has no audit line for these arguments", fact)};
    out.figure += token;
    c += 2;
  }
  return out;
}

}  // namespace arenascope::lesson
