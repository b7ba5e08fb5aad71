// SPDX-License-Identifier: MIT
#include "engine/models/onnx/file_graph.h"

#include <arenascope/base/layer_name.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace arenascope::models::ir {
namespace {

using trace::TensorInfo;
using trace::TensorRef;

std::string within(const std::string& layer, std::string_view part) {
  return layer.empty() ? std::string(part) : fmt::format("{}{}{}", layer, kWithinLayer, part);
}

// "If outer_if", or with the first output if the node has no name.
std::string layer_of(const Node& node) {
  return fmt::format("{} {}", node.op, !node.name.empty() ? node.name : node.outputs.empty() ? "" : node.outputs[0]);
}

class FileGraph {
 public:
  explicit FileGraph(const File& file) {
    out_.of_file = true;
    const Names none;
    for (const auto& [key, function] : file.functions) {
      Names names(&none);
      const std::string layer = fmt::format("function {}", function->name);
      for (const std::string& input : function->inputs) add_leaf(input, layer, nullptr, trace::kInput, names);
      add_nodes(function->nodes, {}, layer, names);
    }
    Names names(&none);
    add_graph(file.graph, {}, names);
    for (const ValueType& output : file.graph.outputs)
      if (const TensorRef ref = names.find(output.name); ref.is_node()) out_.nodes[ref.index()].flags |= trace::kOutput;
    for (const TensorInfo& node : out_.nodes) out_.edges += static_cast<int64_t>(node.sources.size());
  }

  trace::GraphInfo take() { return std::move(out_); }

 private:
  // Values by name; a body also reads those of the graphs around it.
  struct Names {
    explicit Names(const Names* around = nullptr) : outer(around) {}
    TensorRef find(std::string_view name) const {
      for (const Names* scope = this; scope; scope = scope->outer)
        if (const auto found = scope->refs.find(name); found != scope->refs.end()) return found->second;
      return {};
    }
    const Names* outer;
    std::unordered_map<std::string_view, TensorRef> refs;
  };
  using Declared = std::unordered_map<std::string_view, const ValueType*>;

  static void declare(const ValueType* type, TensorInfo& info) {
    if (!type) return;
    if (type->dtype) info.dtype = name(*type->dtype);
    if (type->has_shape) info.shape = type->sizes;
  }

  void add_leaf(const std::string& name, const std::string& layer, const ValueType* type, uint32_t flags,
                Names& names) {
    TensorInfo info;
    info.name = name;
    info.layer = layer;
    info.flags = flags;
    info.placement = trace::Placement::Given;
    declare(type, info);
    names.refs[name] = TensorRef::leaf(LeafId(out_.leafs.size()));
    out_.leafs.push_back(std::move(info));
  }

  void add_weight(const TensorData& weight, const std::string& layer, Names& names) {
    add_leaf(weight.name, layer, nullptr, trace::kWeight, names);
    TensorInfo& info = out_.leafs.back();
    info.dtype = type_name(weight.type);
    info.shape.assign(weight.sizes.begin(), weight.sizes.end());
    if (!weight.full_shape.empty()) info.shape = weight.full_shape;
    info.bytes = weight.byte_count;
  }

  void add_graph(const Graph& graph, const std::string& layer, Names& names) {
    for (const ValueType& input : graph.inputs) add_leaf(input.name, layer, &input, trace::kInput, names);
    for (const TensorData& weight : graph.weights) add_weight(weight, layer, names);
    Declared declared;
    for (const auto* values : {&graph.values, &graph.outputs})
      for (const ValueType& value : *values) declared[value.name] = &value;
    add_nodes(graph.nodes, declared, layer, names);
  }

  void add_nodes(const std::vector<Node>& nodes, const Declared& declared, const std::string& layer, Names& names) {
    for (const Node& node : nodes) add_node(node, declared, layer, names);
  }

  void add_node(const Node& node, const Declared& declared, const std::string& layer, Names& names) {
    TensorInfo info;
    info.op = node.full_name();
    info.name = !node.name.empty() ? node.name : node.outputs.empty() ? "" : node.outputs[0];
    info.file_nodes.push_back({info.op, node.name});
    info.layer = layer;
    for (const std::string& input : node.inputs)
      if (const TensorRef ref = input.empty() ? TensorRef() : names.find(input); ref.valid()) use(ref, info);
    for (const auto& [attribute, value] : node.attributes) {
      if (!value.graph) continue;
      if (info.layer == layer) info.layer = within(layer, layer_of(node));
      add_body(*value.graph, within(info.layer, attribute), names, info);
    }
    if (!node.outputs.empty())
      if (const auto found = declared.find(node.outputs[0]); found != declared.end()) declare(found->second, info);
    const TensorRef own = TensorRef::node(NodeId(out_.nodes.size()));
    for (const std::string& output : node.outputs)
      if (!output.empty()) names.refs[output] = own;
    out_.nodes.push_back(std::move(info));
  }

  // The results of a body are inputs of its node.
  void add_body(const Graph& body, const std::string& layer, const Names& around, TensorInfo& node) {
    Names names(&around);
    add_graph(body, layer, names);
    for (const ValueType& output : body.outputs)
      if (const TensorRef ref = names.find(output.name); ref.valid()) use(ref, node);
  }

  void use(TensorRef ref, TensorInfo& info) {
    info.sources.push_back(ref);
    ++(ref.is_node() ? out_.nodes : out_.leafs)[ref.index()].uses;
  }

  trace::GraphInfo out_;
};

bool has_body(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const auto& attribute) { return attribute.second.graph != nullptr; });
}

int64_t count_in(const std::vector<Node>& nodes) {
  auto count = static_cast<int64_t>(nodes.size());
  for (const Node& node : nodes)
    for (const auto& [name, attribute] : node.attributes)
      if (attribute.graph) count += count_in(attribute.graph->nodes);
  return count;
}

int64_t bits_of(const TensorData& tensor) {
  const std::string type = type_name(tensor.type);
  if (type.ends_with("INT4") || type == "FLOAT4E2M1") return 4;
  if (type.ends_with("INT2")) return 2;
  if (type.starts_with("FLOAT8")) return 8;
  return tensor.dtype ? info(*tensor.dtype).block_bytes * 8 : 0;
}

// The characters of a tensor of strings, which is read as indices into its table; 0 if it cannot be read.
Bytes string_bytes(const TensorData& tensor) {
  std::vector<int64_t> indices(static_cast<size_t>(element_count(tensor.sizes)));
  if (tensor.byte_count != static_cast<int64_t>(indices.size() * sizeof(int64_t))) return 0;
  if (!tensor.source.write(reinterpret_cast<std::byte*>(indices.data())).ok()) return 0;
  Bytes sum = 0;
  for (const int64_t i : indices) sum += std::ssize(tensor.strings->at(static_cast<size_t>(i)));
  return sum;
}

// Some types are loaded as wider ones.
Bytes stored_bytes(const TensorData& tensor) {
  if (tensor.strings) return string_bytes(tensor);
  return (element_count(tensor.sizes) * bits_of(tensor) + 7) / 8;
}

// A Constant whose value is no tensor, but a number, a string, or a list of them.
Bytes constant_bytes(const Attribute& value) {
  switch (value.kind) {
    case Attribute::kFloat: return sizeof value.f;
    case Attribute::kInt: return sizeof value.i;
    case Attribute::kString: return std::ssize(value.s);
    case Attribute::kFloats: return static_cast<Bytes>(value.floats.size() * sizeof(float));
    case Attribute::kInts: return static_cast<Bytes>(value.ints.size() * sizeof(int64_t));
    case Attribute::kStrings: {
      Bytes sum = 0;
      for (const std::string& text : value.strings) sum += std::ssize(text);
      return sum;
    }
    default: return 0;
  }
}

Bytes stored_bytes(const Graph& graph);

Bytes stored_bytes(const std::vector<Node>& nodes) {
  Bytes sum = 0;
  for (const Node& node : nodes)
    for (const auto& [name, attribute] : node.attributes) {
      if (attribute.tensor) sum += stored_bytes(*attribute.tensor);
      if (node.full_name() == "Constant") sum += constant_bytes(attribute);
      if (attribute.graph) sum += stored_bytes(*attribute.graph);
    }
  return sum;
}

Bytes stored_bytes(const Graph& graph) {
  Bytes sum = stored_bytes(graph.nodes);
  for (const TensorData& weight : graph.weights) sum += stored_bytes(weight);
  return sum;
}

}  // namespace

int64_t count_nodes(const File& file) {
  int64_t count = count_in(file.graph.nodes);
  for (const auto& [key, function] : file.functions) count += count_in(function->nodes);
  return count;
}

Bytes parameter_bytes(const File& file) {
  Bytes sum = stored_bytes(file.graph);
  for (const auto& [key, function] : file.functions) sum += stored_bytes(function->nodes);
  return sum;
}

std::shared_ptr<const trace::GraphInfo> describe_file(const File& file) {
  if (file.functions.empty() && std::ranges::none_of(file.graph.nodes, has_body)) return nullptr;
  return std::make_shared<const trace::GraphInfo>(FileGraph(file).take());
}

}  // namespace arenascope::models::ir
