// SPDX-License-Identifier: MIT
// Sums over nodes, steps, layers, and stretches of time; single spans.
#include <set>

#include "engine/audit/figure_query.h"

namespace arenascope::audit {

namespace {

double mean_of(const AuditContext& context, int32_t graph, int32_t node,
               double NodeFigures::*what = &NodeFigures::mean) {
  for (const NodeFigures& f : context.report.nodes)
    if (f.graph == graph && f.node == node) return f.*what;
  return 0;
}

Answered share(double part, double whole) {
  return whole > 0 ? Answered(Answer{part / whole, Unit::Share}) : std::nullopt;
}

// Weights that they read, each once.
Bytes weights_of(const trace::GraphInfo& graph, const std::vector<int32_t>& nodes) {
  std::set<uint32_t> given;
  Bytes sum = 0;
  for (const int32_t n : nodes)
    for (const trace::TensorRef source : graph.nodes[static_cast<size_t>(n)].sources) {
      if (!source.is_leaf() || source.index() >= graph.leafs.size()) continue;
      const trace::TensorInfo& leaf = graph.leafs[source.index()];
      const bool weight = (leaf.flags & (trace::kWeight | trace::kParameter)) != 0;
      if (weight && given.insert(source.value).second) sum += leaf.bytes;
    }
  return sum;
}

// "op.count.ADD", "layer.mean.NAME": of those among them.
Answered query_named(const AuditContext& context, int32_t graph, const std::vector<int32_t>& nodes, bool by_op,
                     FigureIdReader& reader) {
  const std::string_view what = reader.next();
  double part = 0, whole = 0;
  int64_t count = 0;
  for (const int32_t n : nodes) {
    const trace::TensorInfo& node = context.raw.graphs.at(graph).nodes[static_cast<size_t>(n)];
    const double mean = mean_of(context, graph, n);
    whole += mean;
    if ((by_op ? node.op : node.layer) == reader.rest()) ++count, part += mean;
  }
  if (what == "count") return in_count(count);
  if (what == "mean") return Answer{part, Unit::Nanoseconds};
  return what == "share" ? share(part, whole) : std::nullopt;
}

}  // namespace

Answered query_nodes(const AuditContext& context, int32_t graph, const std::vector<int32_t>& nodes,
                     FigureIdReader reader) {
  const trace::GraphInfo& info = context.raw.graphs.at(graph);
  const std::string_view what = reader.next();
  if (what == "op" || what == "layer") return query_named(context, graph, nodes, what == "op", reader);
  if (what == "nodes") return in_count(static_cast<int64_t>(nodes.size()));
  if (what == "weights") return in_bytes(weights_of(info, nodes));
  double mean = 0, wait = 0, all = 0;
  Bytes results = 0, bytes = 0, largest = 0;
  int64_t flops = 0;
  for (const NodeFigures& f : context.report.nodes)
    if (f.graph == graph) all += f.mean;
  for (const int32_t n : nodes) {
    const trace::TensorInfo& node = info.nodes[static_cast<size_t>(n)];
    mean += mean_of(context, graph, n);
    wait += mean_of(context, graph, n, &NodeFigures::wait);
    if ((node.flags & trace::kView) == 0) results += node.bytes;
    bytes += node.bytes;
    largest = std::max(largest, node.work_bytes);
    flops += node.flops;
  }
  if (what == "mean") return Answer{mean, Unit::Nanoseconds};
  if (what == "mean_share") return share(mean, all);
  if (what == "wait") return Answer{wait, Unit::Nanoseconds};
  if (what == "bytes") return in_bytes(bytes);
  if (what == "results") return in_bytes(results);
  if (what == "largest_work") return in_bytes(largest);
  if (what == "flops") return in_count(flops);
  return std::nullopt;
}

namespace {

// "layer.N", the layer of node N; "nodes.0-5+8". Empty: there are none.
std::vector<int32_t> read_nodes(const trace::GraphInfo& graph, std::string_view how, FigureIdReader& reader) {
  std::vector<int32_t> nodes;
  const auto count = static_cast<int64_t>(graph.nodes.size());
  if (how == "layer") {
    const auto of = reader.number();
    for (int64_t i = 0; of && *of >= 0 && *of < count && i < count; ++i)
      if (graph.nodes[static_cast<size_t>(i)].layer == graph.nodes[static_cast<size_t>(*of)].layer)
        nodes.push_back(static_cast<int32_t>(i));
  }
  if (how != "nodes") return nodes;
  std::string list(reader.next());
  for (size_t at = 0; at < list.size();) {
    const size_t plus = std::min(list.find('+', at), list.size());
    const std::string range = list.substr(at, plus - at);
    const size_t dash = range.find('-');
    std::string numbers = range.substr(0, dash) + "." + (dash == range.npos ? range : range.substr(dash + 1));
    FigureIdReader both(numbers);
    const auto first = both.number(), last = both.number();
    for (int64_t i = first.value_or(0); first && last && i >= 0 && i <= *last && i < count; ++i)
      nodes.push_back(static_cast<int32_t>(i));
    at = plus + 1;
  }
  return nodes;
}

Bytes live_in(const trace::PlanInfo& plan, int32_t step) {
  std::vector<ArenaRect> rects;
  for (const trace::SliceInfo& s : plan.slices)
    if (s.first.value <= step && step < s.last.value) rects.push_back({0, 1, s.offset, s.size});
  return union_of(rects);
}

// "plan.P.steps.A.B."
Answered query_plan_steps(const AuditContext& context, const trace::PlanInfo& plan, FigureIdReader reader) {
  const auto first = reader.number(), last = reader.number();
  if (!first || !last || *first < 0) return std::nullopt;
  const auto end = std::min<int64_t>(*last, static_cast<int64_t>(plan.order.size()));
  FigureIdReader copy = reader;
  const std::string_view what = copy.next();
  if (what == "max_live" || what == "max_live_step") {
    Bytes most = 0;
    int64_t at = -1;
    for (int64_t s = *first; s < end; ++s)
      if (const Bytes live = live_in(plan, static_cast<int32_t>(s)); live > most) most = live, at = s;
    return what == "max_live" ? in_bytes(most) : in_steps(at);
  }
  const auto graph = context.raw.graphs.find(plan.graph.value);
  if (graph == context.raw.graphs.end()) return std::nullopt;
  std::vector<int32_t> nodes;
  for (int64_t s = *first; s < end; ++s)
    if (const NodeId node = plan.order[static_cast<size_t>(s)]; node.index() < graph->second.nodes.size())
      nodes.push_back(node.value);
  return query_nodes(context, plan.graph.value, nodes, reader);
}

// "plan.P.layer.N.": when some nodes compute, and the bytes of their results that stay live afterwards.
Answered query_plan_layer(const AuditContext& context, const trace::PlanInfo& plan, std::string_view how,
                          FigureIdReader reader) {
  const auto graph = context.raw.graphs.find(plan.graph.value);
  if (graph == context.raw.graphs.end()) return std::nullopt;
  const auto list = read_nodes(graph->second, how, reader);
  const std::set<int32_t> nodes(list.begin(), list.end());
  int32_t first = -1, end = -1, used = -1;
  for (size_t s = 0; s < plan.order.size(); ++s) {
    if (!nodes.contains(plan.order[s].value)) continue;
    if (first < 0) first = static_cast<int32_t>(s);
    end = static_cast<int32_t>(s) + 1;
  }
  if (first < 0) return std::nullopt;
  used = end;
  Bytes kept = 0;
  int64_t tensors = 0;
  for (const trace::SliceInfo& s : plan.slices) {
    if (!s.tensor.is_node() || !nodes.contains(static_cast<int32_t>(s.tensor.index()))) continue;
    used = std::max(used, s.last.value);
    if (s.last.value > end) kept += s.size, ++tensors;
  }
  const std::string_view what = reader.next();
  if (what == "first") return in_steps(first);
  if (what == "end") return in_steps(end);
  if (what == "last_use") return in_steps(used - 1);
  if (what == "kept") return in_bytes(kept);
  return what == "kept_tensors" ? Answered(in_count(tensors)) : std::nullopt;
}

Answered query_slice(const trace::PlanInfo& plan, FigureIdReader reader) {
  const auto ref = read_tensor(reader);
  if (!ref) return std::nullopt;
  const std::string_view what = reader.next();
  for (const trace::SliceInfo& s : plan.slices) {
    if (s.tensor != *ref) continue;
    if (what == "bytes") return in_bytes(s.size);
    if (what == "offset") return in_bytes(s.offset);
    if (what == "end") return in_bytes(s.offset + s.size);
    if (what == "first") return in_steps(s.first.value);
    if (what == "last") return in_steps(s.last.value);
    if (what == "last_use") return in_steps(s.last.value - 1);
    if (what == "steps") return in_steps(s.last.value - s.first.value);
    if (what == "block") return in_count(s.block.value);
    return what == "level" ? Answered(in_count(s.level)) : std::nullopt;
  }
  return std::nullopt;
}

// "plan.P.block.B.used": the share of the steps in which a tensor is in it.
Answered query_block_of(const trace::PlanInfo& plan, FigureIdReader reader) {
  const auto block = reader.number();
  std::set<int32_t> steps;
  Bytes end = 0;
  for (const trace::SliceInfo& s : plan.slices) {
    if (!block || s.block.value != *block) continue;
    end = std::max(end, s.offset + s.size);
    for (int32_t step = s.first.value; step < s.last.value; ++step) steps.insert(step);
  }
  const std::string_view what = reader.next();
  if (what == "end") return in_bytes(end);
  if (what != "used" || plan.order.empty()) return std::nullopt;
  return Answer{std::min(1.0, static_cast<double>(steps.size()) / static_cast<double>(plan.order.size())), Unit::Share};
}

// "plan.P.placed", "plan.P.placed_blocks", "plan.P.level.2": of tensors with bytes.
Answered query_placed(const trace::PlanInfo& plan, std::string_view what, FigureIdReader reader) {
  const int64_t level = reader.number().value_or(-1);
  std::set<int32_t> blocks;
  int64_t tensors = 0;
  for (const trace::SliceInfo& s : plan.slices) {
    if (s.size <= 0 || (what == "level" && s.level != level)) continue;
    ++tensors;
    blocks.insert(s.block.value);
  }
  return in_count(what == "placed_blocks" ? static_cast<int64_t>(blocks.size()) : tensors);
}

}  // namespace

Answered query_plan(const AuditContext& context, FigureIdReader reader) {
  const auto id = reader.number();
  const auto plan = id ? context.raw.plans.find(static_cast<int32_t>(*id)) : context.raw.plans.end();
  if (plan == context.raw.plans.end()) return std::nullopt;
  const std::string_view what = reader.next();
  if (what == "slice") return query_slice(plan->second, reader);
  if (what == "steps") return query_plan_steps(context, plan->second, reader);
  if (what == "layer" || what == "nodes") return query_plan_layer(context, plan->second, what, reader);
  if (what == "block") return query_block_of(plan->second, reader);
  if (what == "alignment") return in_bytes(plan->second.alignment);
  if (what == "placed" || what == "placed_blocks" || what == "level") return query_placed(plan->second, what, reader);
  if (what == "step_of") {
    const auto node = reader.number();
    for (size_t s = 0; s < plan->second.order.size(); ++s)
      if (node && plan->second.order[s].value == *node) return in_steps(static_cast<int64_t>(s));
    return std::nullopt;
  }
  const auto a = reader.number();
  if (!a) return std::nullopt;
  if (what == "addresses") {
    const auto b = reader.number();
    int64_t count = 0;
    for (const trace::SliceInfo& s : plan->second.slices) count += b && s.offset < *b && s.offset + s.size > *a ? 1 : 0;
    return in_count(count);
  }
  if (what != "step" || reader.next() != "hole") return std::nullopt;
  const int64_t low = reader.number().value_or(-1);
  if (low < 0) return std::nullopt;
  Bytes next = INT64_MAX;
  for (const trace::SliceInfo& s : plan->second.slices) {
    if (s.size <= 0 || s.first.value > *a || *a >= s.last.value) continue;
    if (s.offset <= low && low < s.offset + s.size) return std::nullopt;
    if (s.offset > low) next = std::min(next, s.offset);
  }
  if (next == INT64_MAX) return std::nullopt;
  return in_bytes(reader.next() == "bytes" ? next - low : next);
}

// "graph.G.layer.N."
Answered query_graph(const AuditContext& context, FigureIdReader reader) {
  const auto graph = reader.number();
  const auto it = graph ? context.raw.graphs.find(static_cast<int32_t>(*graph)) : context.raw.graphs.end();
  if (it == context.raw.graphs.end()) return std::nullopt;
  const std::string_view how = reader.next();
  if (how == "node") return query_histogram(context, it->first, reader);
  const auto nodes = read_nodes(it->second, how, reader);
  return nodes.empty() ? std::nullopt : query_nodes(context, it->first, nodes, reader);
}

namespace {

// Name of a span of any kind.
std::string name_of(const Raw& raw, const RawSpan& s) {
  if (s.kind == SpanKind::Wait) return "barrier wait";
  if (s.kind == SpanKind::Copy) return "copy";
  if (s.kind == SpanKind::Named) return s.name;
  const std::string kernel = s.name.empty() ? "" : " · " + s.name;
  const auto run = raw.runs.find(s.run);
  const auto graph = run == raw.runs.end() ? raw.graphs.end() : raw.graphs.find(run->second.info.graph.value);
  if (graph == raw.graphs.end() || s.node < 0 || static_cast<size_t>(s.node) >= graph->second.nodes.size())
    return "node " + std::to_string(static_cast<uint32_t>(s.node)) + kernel;
  const trace::TensorInfo& node = graph->second.nodes[static_cast<size_t>(s.node)];
  return (node.name.empty() ? node.op : node.op + " " + node.name) + kernel;
}

struct Inside {
  int64_t count = 0;
  Nanoseconds time = 0;
  void add(Nanoseconds begin, Nanoseconds end, Interval range) {
    const bool there = begin < range.end && (end > range.begin || (begin == end && begin == range.begin));
    if (!there) return;
    ++count;
    time += std::min(end, range.end) - std::max(begin, range.begin);
  }
};

// "track.count.NAME", "name.share.NAME"
Answered query_between(const Raw& raw, Interval range, bool by_track, FigureIdReader reader) {
  const std::string_view what = reader.next();
  Inside sum;
  const auto track_is = [&](int32_t track) {
    const auto it = raw.tracks.find(track);
    return it != raw.tracks.end() && it->second.name == reader.rest();
  };
  for (const RawSpan& s : raw.spans) {
    const bool included =
        by_track ? s.depth == 0 && s.kind != SpanKind::Wait && track_is(s.track) : name_of(raw, s) == reader.rest();
    if (included) sum.add(s.begin, s.end, range);
  }
  for (const RawBetween& b : raw.betweens)
    if (!by_track && reader.rest() == (b.pause ? "paused" : "between two nodes")) sum.add(b.begin, b.end, range);
  if (what == "count") return in_count(sum.count);
  if (what == "time") return in_time(sum.time);
  return what == "share" ? share(static_cast<double>(sum.time), static_cast<double>(range.end - range.begin))
                         : std::nullopt;
}

}  // namespace

// "time.A.B."
Answered query_time(const AuditContext& context, FigureIdReader reader) {
  const Raw& raw = context.raw;
  const auto a = reader.number(), b = reader.number();
  if (!a || !b) return std::nullopt;
  const Interval range{raw.begin + *a, raw.begin + *b};
  const std::string_view what = reader.next();
  if (what == "track" || what == "name") return query_between(raw, range, what == "track", reader);
  if (what == "most_allocated") {
    Bytes now = 0, most = 0;
    for (const RawSpace& s : raw.spaces) now += s.active_before;
    std::vector<const RawMemory*> sorted;
    for (const RawMemory& m : raw.memory)
      if (m.time < range.end && (m.action == MemoryAction::Alloc || m.action == MemoryAction::Free))
        sorted.push_back(&m);
    std::stable_sort(sorted.begin(), sorted.end(), [](auto* x, auto* y) { return x->time < y->time; });
    for (const RawMemory* m : sorted) {
      if (m->time > range.begin) most = std::max(most, now);
      now += m->action == MemoryAction::Alloc ? m->bytes : -m->bytes;
    }
    return in_bytes(std::max(most, now));
  }
  int64_t count = 0;
  Bytes bytes = 0;
  const bool taken = what.starts_with("taken");
  for (const RawMemory& m : raw.memory)
    if (m.action == (taken ? MemoryAction::Alloc : MemoryAction::Free) && m.time >= range.begin && m.time < range.end)
      ++count, bytes += m.bytes;
  if (what == "taken" || what == "given") return in_count(count);
  return what == "taken_bytes" || what == "given_bytes" ? Answered(in_bytes(bytes)) : std::nullopt;
}

// "span.TRACK.BEGIN.END.NODE."
Answered query_span(const AuditContext& context, FigureIdReader reader) {
  const auto track = reader.number(), begin = reader.number(), end = reader.number(), node = reader.number();
  if (!track || !begin || !end || !node) return std::nullopt;
  const Raw& raw = context.raw;
  const std::string_view what = reader.next();
  const auto is = [&](const auto& s) {
    return s.track == *track && s.begin == raw.begin + *begin && s.end == raw.begin + *end && s.node == *node;
  };
  const RawSpan* span = nullptr;
  for (const RawSpan& s : raw.spans)
    if (is(s)) span = &s;
  if (span == nullptr && std::none_of(raw.betweens.begin(), raw.betweens.end(), is)) return std::nullopt;
  if (what == "lasts") return in_time(*end - *begin);
  if (what == "from") return in_time(*begin);
  if (span == nullptr) return std::nullopt;
  if (what == "part") return in_count(span->part);
  if (what == "bytes") return in_bytes(span->bytes);
  if (what == "speed" && *end > *begin)
    return Answer{static_cast<double>(span->bytes) * 1e9 / static_cast<double>(*end - *begin), Unit::Bytes};
  return std::nullopt;
}

// "spans.TRACK.LANE.BEGIN.END.": all spans in that range.
Answered query_spans(const AuditContext& context, FigureIdReader reader) {
  const auto track = reader.number(), lane = reader.number(), begin = reader.number(), end = reader.number();
  if (!track || !lane || !begin || !end) return std::nullopt;
  const Nanoseconds from = context.raw.begin + *begin, to = context.raw.begin + *end;
  int64_t count = 0;
  Nanoseconds work = 0, wait = 0, longest = 0, low = INT64_MAX, high = INT64_MIN;
  const auto add = [&](Nanoseconds b, Nanoseconds e, Nanoseconds* sum) {
    if (b < from || e > to) return;
    ++count;
    if (sum != nullptr) *sum += e - b;
    longest = std::max(longest, e - b);
    low = std::min(low, b), high = std::max(high, e);
  };
  for (const RawSpan& s : context.raw.spans)
    if (s.track == *track && s.depth == *lane)
      add(s.begin, s.end, s.kind == SpanKind::Work ? &work : s.kind == SpanKind::Wait ? &wait : nullptr);
  for (const RawBetween& b : context.raw.betweens)
    if (b.track == *track && *lane == 0) add(b.begin, b.end, nullptr);
  if (count == 0) return std::nullopt;
  const auto length = static_cast<double>(std::max<Nanoseconds>(high - low, 1));
  const std::string_view what = reader.next();
  if (what == "count") return in_count(count);
  if (what == "lasts") return in_time(high - low);
  if (what == "longest") return in_time(longest);
  if (what == "work") return Answer{std::min(1.0, static_cast<double>(work) / length), Unit::Share};
  return what == "wait" ? Answered(Answer{std::min(1.0, static_cast<double>(wait) / length), Unit::Share})
                        : std::nullopt;
}

}  // namespace arenascope::audit
