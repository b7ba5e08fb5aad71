// SPDX-License-Identifier: MIT
#include "engine/audit/figure_query.h"

#include <algorithm>
#include <charconv>

namespace arenascope::audit {

std::optional<int64_t> FigureIdReader::number() {
  const std::string_view word = next();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<trace::TensorRef> read_tensor(FigureIdReader& reader) {
  const std::string_view what = reader.next();
  const auto index = reader.number();
  if (!index || *index < 0 || *index >= INT32_MAX) return std::nullopt;
  const auto i = static_cast<int32_t>(*index);
  if (what == "node") return trace::TensorRef::node(NodeId(i));
  if (what == "leaf") return trace::TensorRef::leaf(LeafId(i));
  return std::nullopt;
}

const trace::TensorInfo* tensor_of(const Raw& raw, int32_t graph, trace::TensorRef ref) {
  const auto it = raw.graphs.find(graph);
  if (it == raw.graphs.end() || !ref.valid()) return nullptr;
  const auto& list = ref.is_leaf() ? it->second.leafs : it->second.nodes;
  return ref.index() < list.size() ? &list[ref.index()] : nullptr;
}

namespace {

// "tensor.G.node.N."
Answered query_tensor(const AuditContext& context, FigureIdReader reader) {
  const auto graph = reader.number();
  const auto ref = read_tensor(reader);
  if (!graph || !ref) return std::nullopt;
  const trace::TensorInfo* tensor = tensor_of(context.raw, static_cast<int32_t>(*graph), *ref);
  if (tensor == nullptr) return std::nullopt;
  const std::string_view what = reader.next();
  if (what == "bytes") return in_bytes(tensor->bytes);
  if (what == "flops") return in_count(tensor->flops);
  if (what == "tasks") return in_count(tensor->tasks);
  if (what == "work_bytes") return in_bytes(tensor->work_bytes);
  if (what == "view_offset") return in_bytes(tensor->view_offset);
  if (what == "parts") return in_count(static_cast<int64_t>(tensor->parts.size()));
  if (what == "elements") {
    int64_t elements = 1;
    for (const int64_t size : tensor->shape) elements *= size;
    return in_count(elements);
  }
  if (what == "uses") {
    int64_t uses = 0;
    for (const trace::TensorInfo& node : context.raw.graphs.at(static_cast<int32_t>(*graph)).nodes)
      uses += std::count(node.sources.begin(), node.sources.end(), *ref);
    return in_count(uses);
  }
  if (what == "stride") {
    const auto at = reader.number();
    if (at && *at >= 0 && static_cast<size_t>(*at) < tensor->strides.size())
      return in_bytes(tensor->strides[static_cast<size_t>(*at)]);
  }
  if (what == "dim") {
    const auto at = reader.number();
    if (at && *at >= 0 && static_cast<size_t>(*at) < tensor->shape.size())
      return in_count(tensor->shape[static_cast<size_t>(*at)]);
  }
  return std::nullopt;
}

// "run.R.residency.node.N.T.": in an arena, since T.
Answered query_residency(const AuditContext& context, int32_t run, FigureIdReader reader) {
  const auto ref = read_tensor(reader);
  const auto begin = reader.number();
  if (!ref || !begin) return std::nullopt;
  const std::string_view what = reader.next();
  for (const Residency& s : context.residencies) {
    if (s.run != run || s.tensor != *ref || s.begin != context.raw.begin + *begin) continue;
    if (what == "bytes") return in_bytes(s.bytes);
    if (what == "offset") return in_bytes(s.offset);
    if (what == "end") return in_bytes(s.offset + s.bytes);
    if (what == "lived") return in_time(s.end - s.begin);
  }
  return std::nullopt;
}

// "run.R.steps.A.B.lasts", without pauses.
Answered query_steps(const AuditContext& context, int32_t run, FigureIdReader reader) {
  const auto first = reader.number(), last = reader.number();
  if (!first || !last || reader.next() != "lasts") return std::nullopt;
  const auto steps = steps_of(context.raw, run);
  const auto a = steps.find(static_cast<int32_t>(*first)), b = steps.find(static_cast<int32_t>(*last));
  if (a == steps.end() || b == steps.end()) return std::nullopt;
  Nanoseconds time = b->second - a->second;
  for (const Interval& pause : context.raw.runs.at(run).pauses)
    time -= std::max<Nanoseconds>(0, std::min(pause.end, b->second) - std::max(pause.begin, a->second));
  return in_time(time);
}

Answered query_run(const AuditContext& context, FigureIdReader reader) {
  const auto run = reader.number();
  if (!run || !context.raw.runs.contains(static_cast<int32_t>(*run))) return std::nullopt;
  const auto id = static_cast<int32_t>(*run);
  const std::string_view what = reader.next();
  if (what == "residency") return query_residency(context, id, reader);
  if (what == "steps") return query_steps(context, id, reader);
  if (what == "node") return query_node(context, id, reader);
  const auto at = reader.number();
  if (!at) return std::nullopt;
  if (what == "at") return query_instant(context, id, context.raw.begin + *at, reader);
  if (what == "step") return query_step(context, id, static_cast<int32_t>(*at), reader);
  return std::nullopt;
}

Answered ask(const AuditContext& context, std::string_view id) {
  FigureIdReader reader(id);
  const std::string_view what = reader.next();
  if (what == "tensor") return query_tensor(context, reader);
  if (what == "run") return query_run(context, reader);
  if (what == "plan") return query_plan(context, reader);
  if (what == "graph") return query_graph(context, reader);
  if (what == "counter") return query_counter(context, reader);
  if (what == "block") return query_block(context, reader);
  if (what == "space") return query_space(context, reader);
  if (what == "span") return query_span(context, reader);
  if (what == "spans") return query_spans(context, reader);
  if (what == "time") return query_time(context, reader);
  if (what != "recording" || reader.next() != "at") return std::nullopt;
  const auto at = reader.number();
  return at ? query_instant(context, -1, context.raw.begin + *at, reader) : std::nullopt;
}

}  // namespace

std::optional<Figure> Auditor::ask(std::string_view id) const {
  if (const auto known = context_->listed.find(std::string(id)); known != context_->listed.end())
    return context_->report.figures[known->second];
  const Answered answer = audit::ask(*context_, id);
  if (!answer) return std::nullopt;
  return Figure{std::string(id), answer->value, answer->unit};
}

const Report& Auditor::report() const { return context_->report; }

}  // namespace arenascope::audit
