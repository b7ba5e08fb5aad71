// SPDX-License-Identifier: MIT
// Facts about a graph and its tensors.
#include "engine/lesson/fact_table.h"

#include <algorithm>
#include <cmath>

#include <arenascope/tensor/dtype.h>
#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {

std::vector<std::span<const Fact>> fact_tables() {
  return {graph_facts(), plan_facts(), what_if_facts(), run_facts(), memory_facts(), pool_facts(), lens_facts()};
}

Result<const trace::GraphInfo*> graph_of(const Scene& scene) {
  if (!scene.graph) return Error{"no graph is open"};
  return scene.graph.get();
}

Result<Found> tensor_of(const Scene& scene, const std::string& name) {
  auto graph = graph_of(scene);
  if (!graph) return graph.error();
  for (size_t i = 0; i < (*graph)->nodes.size(); ++i)
    if (const auto ref = trace::TensorRef::node(NodeId(i)); name_of(**graph, ref) == name)
      return Found{ref, &(*graph)->nodes[i]};
  for (size_t i = 0; i < (*graph)->leafs.size(); ++i)
    if (const auto ref = trace::TensorRef::leaf(LeafId(i)); name_of(**graph, ref) == name)
      return Found{ref, &(*graph)->leafs[i]};
  return Error{fmt::format("no tensor is named '{}' in the open graph", name)};
}

std::string name_of(const trace::GraphInfo& graph, trace::TensorRef ref) {
  const auto& list = ref.is_leaf() ? graph.leafs : graph.nodes;
  if (!ref.valid() || ref.index() >= list.size()) return {};
  const std::string& name = list[ref.index()].name;
  return name.empty() ? fmt::format("{} {}", ref.is_leaf() ? "leaf" : "node", ref.index()) : name;
}

namespace {

Result<Value> nodes(const Scene& s, const Arguments&) {
  auto graph = graph_of(s);
  if (!graph) return graph.error();
  return number_value(static_cast<double>((*graph)->nodes.size()));
}

Result<Value> leafs(const Scene& s, const Arguments&) {
  auto graph = graph_of(s);
  if (!graph) return graph.error();
  return number_value(static_cast<double>((*graph)->leafs.size()));
}

Result<Value> named(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  return text_value(a[0]);
}

Result<Value> names(const Scene& s, bool of_nodes) {
  auto graph = graph_of(s);
  if (!graph) return graph.error();
  std::vector<std::string> list;
  const size_t count = of_nodes ? (*graph)->nodes.size() : (*graph)->leafs.size();
  for (size_t i = 0; i < count; ++i)
    list.push_back(name_of(**graph, of_nodes ? trace::TensorRef::node(NodeId(i)) : trace::TensorRef::leaf(LeafId(i))));
  return list_value(std::move(list));
}
Result<Value> node_names(const Scene& s, const Arguments&) { return names(s, true); }
Result<Value> leaf_names(const Scene& s, const Arguments&) { return names(s, false); }

// The nodes that meet a condition.
template <class Condition>
Result<Value> nodes_where(const Scene& s, const Condition& condition) {
  auto graph = graph_of(s);
  if (!graph) return graph.error();
  std::vector<std::string> list;
  for (size_t i = 0; i < (*graph)->nodes.size(); ++i)
    if (condition((*graph)->nodes[i])) list.push_back(name_of(**graph, trace::TensorRef::node(NodeId(i))));
  return list_value(std::move(list));
}
Result<Value> views(const Scene& s, const Arguments&) {
  return nodes_where(s, [](const trace::TensorInfo& t) { return t.view_source.valid(); });
}
// Nodes that do work; views are not computed.
Result<Value> nodes_on(const Scene& s, const Arguments& a) {
  return nodes_where(s, [&](const trace::TensorInfo& t) { return t.backend == a[0] && t.tasks > 0; });
}

template <Value (*answer)(const trace::TensorInfo&)>
Result<Value> of_tensor(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  return answer(*found->info);
}

std::string times(const std::vector<int64_t>& numbers) {
  std::string out;
  for (int64_t n : numbers) out += fmt::format("{}{}", out.empty() ? "" : " × ", n);
  return out;
}

Value op(const trace::TensorInfo& t) { return text_value(t.op.empty() ? "NONE" : t.op); }
Value dtype(const trace::TensorInfo& t) { return text_value(t.dtype); }
Value bytes(const trace::TensorInfo& t) { return bytes_value(t.bytes); }
Value tasks(const trace::TensorInfo& t) { return number_value(t.tasks); }
Value scratch(const trace::TensorInfo& t) { return bytes_value(t.work_bytes); }
Value flops(const trace::TensorInfo& t) { return number_value(static_cast<double>(t.flops)); }
Value backend(const trace::TensorInfo& t) { return text_value(t.backend); }
Value elements(const trace::TensorInfo& t) {
  double n = 1;
  for (int64_t size : t.shape) n *= static_cast<double>(size);
  return number_value(n);
}
Value shape(const trace::TensorInfo& t) { return text_value(times(t.shape)); }
Value parts(const trace::TensorInfo& t) { return number_value(static_cast<double>(t.parts.size())); }

Result<Value> sized(const Scene& s, const Arguments& a, const std::vector<int64_t> trace::TensorInfo::*list,
                    Unit unit) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  const auto& numbers = found->info->*list;
  const auto axis = parse_integer(a[1]);
  if (!axis || *axis < 0 || *axis >= static_cast<int64_t>(numbers.size()))
    return Error{fmt::format("'{}' has no dimension {}", a[0], a[1])};
  return number_value(static_cast<double>(numbers[static_cast<size_t>(*axis)]), unit);
}
Result<Value> size(const Scene& s, const Arguments& a) { return sized(s, a, &trace::TensorInfo::shape, Unit::None); }
Result<Value> stride(const Scene& s, const Arguments& a) {
  return sized(s, a, &trace::TensorInfo::strides, Unit::Bytes);
}

Result<Value> sources(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  std::vector<std::string> list;
  for (trace::TensorRef ref : found->info->sources) list.push_back(name_of(*s.graph, ref));
  return list_value(std::move(list));
}

Result<Value> users(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  return nodes_where(s, [&](const trace::TensorInfo& t) {
    return std::find(t.sources.begin(), t.sources.end(), found->ref) != t.sources.end();
  });
}

Result<Value> uses(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  int64_t n = 0;
  for (const trace::TensorInfo& t : s.graph->nodes) n += std::count(t.sources.begin(), t.sources.end(), found->ref);
  return number_value(static_cast<double>(n));
}

Result<Value> viewed(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  return text_value(name_of(*s.graph, found->info->view_source));
}

Result<Value> view_offset(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  return bytes_value(found->info->view_offset);
}

Result<Value> gradients(const Scene& s, const Arguments&) {
  auto graph = graph_of(s);
  if (!graph) return graph.error();
  int n = 0;
  for (const auto* list : {&(*graph)->nodes, &(*graph)->leafs})
    for (const trace::TensorInfo& t : *list) n += t.gradient.valid() ? 1 : 0;
  return number_value(n);
}

Result<Value> accumulator(const Scene& s, const Arguments& a) {
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  return text_value(found->info->accumulator.valid() ? name_of(*s.graph, found->info->accumulator) : "none");
}

Result<const std::vector<float>*> numbers_of(const Scene& s, const std::string& name) {
  const auto found = s.values.find(name);
  if (found == s.values.end()) return Error{fmt::format("the values of '{}' are not available", name)};
  return &found->second;
}

Result<Value> value(const Scene& s, const Arguments& a) {
  auto numbers = numbers_of(s, a[0]);
  if (!numbers) return numbers.error();
  const auto i = parse_integer(a[1]);
  if (!i || *i < 0 || *i >= static_cast<int64_t>((*numbers)->size()))
    return Error{fmt::format("'{}' has no element {}", a[0], a[1])};
  return number_value((**numbers)[static_cast<size_t>(*i)]);
}

Result<Value> largest_error(const Scene& s, const Arguments& a) {
  auto x = numbers_of(s, a[0]), y = numbers_of(s, a[1]);
  if (!x) return x.error();
  if (!y) return y.error();
  if ((*x)->size() != (*y)->size()) return Error{fmt::format("'{}' and '{}' differ in size", a[0], a[1])};
  double most = 0;
  for (size_t i = 0; i < (*x)->size(); ++i) most = std::max(most, std::abs(double((**x)[i]) - double((**y)[i])));
  return number_value(most);
}

template <int32_t DTypeInfo::*what>
Result<Value> of_type(const Scene&, const Arguments& a) {
  const auto type = parse_dtype(a[0]);
  if (!type) return Error{fmt::format("unknown data type '{}'", a[0])};
  return number_value(info(*type).*what);
}

Result<Value> bits(const Scene&, const Arguments& a) {
  const auto type = parse_dtype(a[0]);
  if (!type) return Error{fmt::format("unknown data type '{}'", a[0])};
  return number_value(8.0 * info(*type).block_bytes / info(*type).block_elements);
}

constexpr Fact kGraphFacts[] = {
    {{"nodes", 0, 0, "number of nodes"}, nodes},
    {{"leafs", 0, 0, "number of leaf tensors"}, leafs},
    {{"node_names", 0, 0, "nodes in graph order", "nodes"}, node_names},
    {{"leaf_names", 0, 0, "leaf tensors in graph order"}, leaf_names},
    {{"views", 0, 0, "nodes that are views", "graph nodes"}, views},
    {{"gradients", 0, 0, "number of tensors with a gradient", "graph nodes"}, gradients},
    {{"accumulator", 1, 1, "tensor that accumulates its gradient, or none", "graph inspector nodes"}, accumulator},
    {{"tensor", 1, 1, "the tensor itself, for questions whose answer is a tensor"}, named},
    {{"op", 1, 1, "op of a tensor; NONE for a leaf tensor", "graph inspector nodes"}, of_tensor<op>},
    {{"dtype", 1, 1, "data type", "graph inspector nodes"}, of_tensor<dtype>},
    {{"shape", 1, 1, "shape, outermost dimension first: 3 × 4", "graph inspector nodes"}, of_tensor<shape>},
    {{"size", 2, 2, "size of one dimension, counted from the outermost", "inspector nodes"}, size},
    {{"stride", 2, 2, "bytes between consecutive elements along a dimension", "inspector nodes"}, stride},
    {{"elements", 1, 1, "number of elements", "inspector nodes"}, of_tensor<elements>},
    {{"bytes", 1, 1, "size in bytes", "inspector nodes"}, of_tensor<bytes>},
    {{"tasks", 1, 1, "number of threads that compute it", "inspector nodes"}, of_tensor<tasks>},
    {{"scratch", 1, 1, "bytes of scratch memory that it needs", "inspector nodes"}, of_tensor<scratch>},
    {{"flops", 1, 1, "floating-point operations to compute it", "inspector nodes"}, of_tensor<flops>},
    {{"backend", 1, 1, "backend that computes it", "graph inspector nodes"}, of_tensor<backend>},
    {{"nodes_on", 1, 1, "nodes that a backend computes", "graph nodes"}, nodes_on},
    {{"parts", 1, 1, "number of nodes fused into it; zero: not fused", "graph inspector nodes"}, of_tensor<parts>},
    {{"sources", 1, 1, "input tensors", "graph inspector nodes"}, sources},
    {{"users", 1, 1, "nodes that read it", "graph inspector nodes"}, users},
    {{"uses", 1, 1, "number of times it is read", "inspector nodes"}, uses},
    {{"view_of", 1, 1, "tensor whose memory it shares", "inspector nodes"}, viewed},
    {{"view_offset", 1, 1, "byte offset in the viewed tensor", "inspector nodes"}, view_offset},
    {{"value", 2, 2, "an element, by its zero-based index in memory order", "inspector"}, value},
    {{"largest_error", 2, 2, "largest absolute difference between the elements of two tensors", "inspector"},
     largest_error},
    {{"block_elements", 1, 1, "elements per block of a data type", "inspector"}, of_type<&DTypeInfo::block_elements>},
    {{"block_bytes", 1, 1, "bytes per block of a data type", "inspector"}, of_type<&DTypeInfo::block_bytes>},
    {{"bits", 1, 1, "bits per element of a data type", "inspector"}, bits},
};

}  // namespace

std::span<const Fact> graph_facts() { return kGraphFacts; }

}  // namespace arenascope::lesson
