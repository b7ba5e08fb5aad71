// SPDX-License-Identifier: MIT
#include <arenascope/transform/fusion.h>

#include <algorithm>
#include <unordered_set>

#include <arenascope/graph/provenance.h>

#include "engine/transform/graph_copier.h"

namespace arenascope {
namespace {

// Node indices.
using Chain = std::vector<int32_t>;

class Chains {
 public:
  Chains(const Graph& graph, const Capabilities& backend, const FusionOptions& options)
      : graph_(graph),
        backend_(backend),
        options_(options),
        users_(graph.nodes().size()),
        chain_of_(graph.nodes().size(), -1) {
    const auto nodes = graph.nodes();
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const TensorImpl* source : nodes[i]->sources)
        if (const NodeId from = graph.find_node(*source); from.valid()) {
          std::vector<int32_t>& users = users_[from.index()];
          if (users.empty() || users.back() != static_cast<int32_t>(i)) users.push_back(static_cast<int32_t>(i));
        }
    // Training reads the gradients of leaf tensors after the run.
    for (const auto& given : {graph.leafs(), graph.nodes()})
      for (const TensorImpl* tensor : given)
        if (const TensorImpl* gradient = tensor->op == Op::None ? graph.grad(*tensor) : nullptr)
          gradients_.insert(gradient);
  }

  // Disjoint chains of at least two nodes.
  std::vector<Chain> find() {
    std::vector<Chain> out;
    for (size_t i = 0; i < users_.size(); ++i) {
      if (chain_of_[i] >= 0 || !has_work(node(i)) || !backend_.fuses(node(i), nullptr)) continue;
      Chain chain = grow(static_cast<int32_t>(i));
      if (chain.size() < 2) continue;
      for (int32_t at : chain) chain_of_[static_cast<size_t>(at)] = static_cast<int32_t>(out.size());
      out.push_back(std::move(chain));
    }
    return out;
  }

 private:
  const TensorImpl& node(size_t i) const { return *graph_.nodes()[i]; }
  bool kept(const TensorImpl& tensor) const {
    return tensor.has(kFlagOutput) || gradients_.contains(&tensor) || (options_.keep && options_.keep(tensor));
  }

  Chain grow(int32_t first) const {
    Chain chain{first};
    size_t closed = 1;  // length of the longest prefix that can be one node
    const size_t most = FusedParams::kMaxSteps + (is_fused_step(node(static_cast<size_t>(first)).op) ? 0 : 1);
    while (chain.size() < most) {
      const auto last = static_cast<size_t>(chain.back());
      if (kept(node(last))) break;
      const auto& users = users_[last];
      const auto next = std::find_if(users.begin(), users.end(), [&](int32_t user) { return continues(chain, user); });
      if (next == users.end()) break;
      chain.push_back(*next);
      if (operands(chain) > FusedParams::kMaxOperands) break;
      if (is_closed(chain)) closed = chain.size();
    }
    chain.resize(closed);
    return chain;
  }

  bool continues(const Chain& chain, int32_t user) const {
    const TensorImpl &first = node(static_cast<size_t>(chain.front())), &step = node(static_cast<size_t>(user));
    if (chain_of_[static_cast<size_t>(user)] >= 0 || user < chain.back() || !(step.sizes == first.sizes)) return false;
    if (!is_fused_step(step.op) || !backend_.fuses(first, &step)) return false;
    // Statistics and parameters are extra inputs.
    if (step.op == Op::BatchNorm)
      for (size_t i = 1; i < step.sources.size(); ++i)
        if (step.sources[i]->op != Op::None) return false;
    return true;
  }

  // Number of different outside tensors that its steps read elementwise.
  int operands(const Chain& chain) const {
    std::vector<const TensorImpl*> inside, read;
    int statistics = 0;
    for (int32_t at : chain) {
      const TensorImpl& step = node(static_cast<size_t>(at));
      const size_t count = !is_fused_step(step.op) ? 0 : step.op == Op::BatchNorm ? 1 : step.sources.size();
      if (step.op == Op::BatchNorm) ++statistics;
      for (size_t i = 0; i < count; ++i) {
        const TensorImpl* source = step.sources[i];
        if (std::find(inside.begin(), inside.end(), source) == inside.end() &&
            std::find(read.begin(), read.end(), source) == read.end())
          read.push_back(source);
      }
      inside.push_back(&step);
    }
    return static_cast<int>(read.size()) + statistics;
  }

  // True if outside nodes read only its last node.
  bool is_closed(const Chain& chain) const {
    for (size_t i = 0; i + 1 < chain.size(); ++i)
      for (int32_t user : users_[static_cast<size_t>(chain[i])])
        if (std::find(chain.begin(), chain.end(), user) == chain.end()) return false;
    return true;
  }

  const Graph& graph_;
  const Capabilities& backend_;
  const FusionOptions& options_;
  std::vector<std::vector<int32_t>> users_;  // ascending
  std::vector<int32_t> chain_of_;
  std::unordered_set<const TensorImpl*> gradients_;
};

class Fusing {
 public:
  Fusing(GraphCopier& copier, FusedGraph& out) : copier_(copier), out_(out) {}

  Status run(const std::vector<Chain>& chains) {
    const size_t count = copier_.given().nodes().size();
    std::vector<int32_t> ends(count, -1);  // the chain that ends at a node
    std::vector<uint8_t> inside(count, 0);
    for (size_t c = 0; c < chains.size(); ++c) {
      for (int32_t i : chains[c]) inside[static_cast<size_t>(i)] = 1;
      ends[static_cast<size_t>(chains[c].back())] = static_cast<int32_t>(c);
    }
    return copier_.for_each_node([&](NodeId id, const TensorImpl& node) -> Status {
      const int32_t chain = ends[id.index()];
      if (inside[id.index()] && chain < 0) return {};
      auto made =
          chain >= 0 ? fused(chains[static_cast<size_t>(chain)]) : copier_.copy(node, copier_.mapped_sources(node));
      if (!made) return made.error();
      copier_.place_mapped(id, *made);
      return {};
    });
  }

 private:
  // State while one chain becomes a fused node.
  struct Parts {
    FusedParams params;
    std::vector<Tensor> sources;
    std::vector<bool> apart;  // by input: read per channel, so listed again for elementwise reads
    std::vector<const TensorImpl*> values{nullptr};  // v0, v1, …
    std::vector<std::string> names;

    void add_source(const Tensor& source, bool is_apart) {
      sources.push_back(source);
      apart.push_back(is_apart);
    }
  };

  Result<Tensor> fused(const Chain& chain) {
    Parts parts;
    FusedGraph::Fused record;
    for (size_t i = 0; i < chain.size(); ++i) {
      record.held.push_back(NodeId(chain[i]));
      const TensorImpl& node = copier_.given().node(record.held.back());
      parts.names.emplace_back(node.name);
      if (i == 0 && !is_fused_step(node.op))
        add_anchor(node, parts);
      else
        add_step(node, parts);
    }
    const std::string name = join_names(parts.names, parts.params);
    OpParams params;
    params.set(parts.params);
    const TensorImpl& last = copier_.given().node(record.held.back());
    auto made = copier_.make(last, Op::Fused, parts.sources, params, name);
    if (!made) return made;
    (*made)->flags = last.flags;
    (*made)->placement = last.placement;
    Origins origins;
    FileNodes file_nodes;
    for (const NodeId part : record.held) {
      const Origins& own = origins_of(copier_.given().node(part));
      origins.insert(origins.end(), own.begin(), own.end());
      append_file_nodes(file_nodes_of(copier_.given().node(part)), file_nodes);
    }
    set_origins(*made, std::move(origins));
    set_file_nodes(*made, std::move(file_nodes));
    record.node = *made;
    out_.fused.push_back(std::move(record));
    return made;
  }

  void add_anchor(const TensorImpl& node, Parts& parts) const {
    parts.params.anchor = static_cast<uint16_t>(node.op);
    parts.params.anchor_sources = static_cast<uint8_t>(node.sources.size());
    const auto bytes = node.params.bytes();
    std::copy(bytes.begin(), bytes.end(), parts.params.anchor_params);
    for (const Tensor& source : copier_.mapped_sources(node)) parts.add_source(source, false);
    parts.values[0] = &node;
  }

  void add_step(const TensorImpl& node, Parts& parts) const {
    FusedStep step = make_fused_step(node);
    step.left = operand(*node.sources[0], parts);
    if (node.op == Op::BatchNorm) {
      step.right = static_cast<int8_t>(parts.sources.size());
      for (size_t k = 1; k < node.sources.size(); ++k) parts.add_source(copier_.mapped(*node.sources[k]), true);
    } else if (step_operands(node.op) == 2) {
      step.right = operand(*node.sources[1], parts);
    }
    parts.params.step[parts.params.steps++] = step;
    parts.values.push_back(&node);
  }

  // Operand index of a value of the chain or of an input; a new input is appended.
  int8_t operand(const TensorImpl& source, Parts& parts) const {
    const auto& values = parts.values;
    if (const auto value = std::find(values.begin(), values.end(), &source); value != values.end())
      return static_cast<int8_t>(-1 - (value - values.begin()));
    const Tensor own = copier_.mapped(source);
    for (size_t i = 0; i < parts.sources.size(); ++i)
      if (parts.sources[i] == own && !parts.apart[i]) return static_cast<int8_t>(i);
    parts.add_source(own, false);
    return static_cast<int8_t>(parts.sources.size() - 1);
  }

  GraphCopier& copier_;
  FusedGraph& out_;
};

}  // namespace

Result<FusedGraph> fuse_graph(const Graph& graph, const Capabilities& backend, const FusionOptions& options) {
  const auto chains = Chains(graph, backend, options).find();
  auto copier = GraphCopier::start(graph);
  if (!copier) return copier.error();
  FusedGraph out;
  if (auto ok = Fusing(*copier, out).run(chains); !ok) return ok.error();
  if (auto ok = copier->finish(out); !ok) return ok.error();
  return out;
}

}  // namespace arenascope
