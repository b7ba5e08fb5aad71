// SPDX-License-Identifier: MIT
#include <arenascope/graph/graph_text.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include <arenascope/base/printable.h>
#include <arenascope/graph/fused.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/graph/op_param_text.h"

namespace arenascope {
namespace {

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == ':' || c == '-';
  });
}

class GraphPrinter {
 public:
  explicit GraphPrinter(const Graph& graph) : graph_(graph) {
    for (const TensorImpl* leaf : graph.leafs()) identify(*leaf);
    for (const TensorImpl* node : graph.nodes()) identify(*node);
    number("leaf", graph.leafs());
    number("node", graph.nodes());
  }

  std::string print() {
    for (const TensorImpl* leaf : graph_.leafs()) print_leaf(*leaf);
    for (const TensorImpl* node : graph_.nodes()) node->op == Op::None ? print_leaf(*node) : print_node(*node);
    std::string outputs;
    for (const auto tensors : {graph_.leafs(), graph_.nodes()})
      for (const TensorImpl* tensor : tensors)
        if (tensor->has(kFlagOutput)) outputs.append(" ").append(ids_[tensor]);
    if (!outputs.empty()) out_ += "output" + outputs + "\n";
    return std::move(out_);
  }

 private:
  void identify(const TensorImpl& tensor) {
    const std::string name(tensor.name);
    if (is_identifier(name) && used_.insert(name).second) ids_.emplace(&tensor, name);
  }
  // The tensors whose names are no identifiers of their own: node12, leaf3.
  void number(std::string_view kind, std::span<TensorImpl* const> tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (ids_.contains(tensors[i])) continue;
      std::string id = fmt::format("{}{}", kind, i);
      while (!used_.insert(id).second) id += '_';
      ids_.emplace(tensors[i], std::move(id));
    }
  }

  // Only nodes have one: leaf tensors may belong to another context.
  void print_layer(const TensorImpl& node) {
    const auto names = graph_.context().layer_names();
    const bool known = node.layer >= 0 && static_cast<size_t>(node.layer) < names.size();
    const std::string layer = known ? names[static_cast<size_t>(node.layer)] : std::string();
    if (layer != layer_) out_ += fmt::format("layer {}\n", json_string(layer));
    layer_ = layer;
  }

  void print_leaf(const TensorImpl& leaf) {
    std::string kind;
    for (const auto& [flag, name] :
         {std::pair{kFlagInput, "input"}, {kFlagWeight, "weight"}, {kFlagParameter, "parameter"}})
      if (leaf.has(flag)) kind.append(kind.empty() ? "" : "+").append(name);
    out_ += fmt::format("{} = {} {} {}", ids_[&leaf], kind.empty() ? "leaf" : kind, name(leaf.dtype),
                        dims_text(leaf.sizes.span()));
    finish(leaf, std::string(leaf.name));
  }

  void print_node(const TensorImpl& node) {
    print_layer(node);
    out_ += fmt::format("{} = {}", ids_[&node], name(node.op));
    for (const TensorImpl* source : node.sources) out_.append(" ").append(ids_[source]);
    const int rank = node.sources.empty() ? 0 : node.sources[0]->rank();
    if (node.op == Op::Fused)
      print_fused(node, rank);
    else
      out_ += op_params_text(node.op, node.params, rank, node.sources.size());
    out_ += fmt::format(" -> {} {}", name(node.dtype), dims_text(node.sizes.span()));
    finish(node, held_names(node).empty() || node.op != Op::Fused ? std::string(node.name) : std::string());
  }

  void print_fused(const TensorImpl& node, int rank) {
    const auto params = node.params.get<FusedParams>();
    const std::vector<std::string> names = held_names(node);
    size_t entry = 0;
    const auto end_entry = [&] {
      if (entry < names.size()) out_ += fmt::format(" name={}", json_string(names[entry]));
      ++entry;
    };
    out_ += " {";
    if (params.anchor_op() != Op::None) {
      const OpParams anchor(std::span<const std::byte>(params.anchor_params));
      out_ += fmt::format(" {} sources={}{}", name(params.anchor_op()), params.anchor_sources,
                          op_params_text(params.anchor_op(), anchor, rank, params.anchor_sources));
      end_entry();
    }
    for (int i = 0; i < params.steps; ++i) {
      const FusedStep& step = params.step[i];
      out_ += fmt::format("{} {}", entry > 0 ? " ;" : "", name(FusedParams::op(step)));
      print_operand(step.left);
      if (step_operands(FusedParams::op(step)) == 2) print_operand(step.right);
      if (FusedParams::op(step) == Op::Cast)
        out_ += fmt::format(" dtype={}", name(static_cast<DType>(static_cast<int>(step.p))));
      else if (step.p != 0 || step.q != 0)
        out_ += fmt::format(" p={} q={}", step.p, step.q);
      end_entry();
    }
    out_ += " }";
  }

  void print_operand(int operand) {
    out_ += operand >= 0 ? fmt::format(" s{}", operand) : fmt::format(" v{}", -1 - operand);
  }

  // `name`: empty if the line defines it otherwise.
  void finish(const TensorImpl& tensor, const std::string& name) {
    if (tensor.channels_last() && !tensor.is_view()) out_ += " channels_last";
    if (tensor.op != Op::None && tensor.placement != Placement::Arena)
      out_ += tensor.placement == Placement::Host     ? " host"
              : tensor.placement == Placement::Packed ? " packed"
                                                      : " given";
    if (!name.empty() && name != ids_[&tensor]) out_ += fmt::format(" name={}", json_string(name));
    out_ += '\n';
  }

  const Graph& graph_;
  std::unordered_map<const TensorImpl*, std::string> ids_;
  std::unordered_set<std::string> used_;
  std::string layer_;
  std::string out_;
};

}  // namespace

std::string to_text(const Graph& graph) { return GraphPrinter(graph).print(); }

}  // namespace arenascope
