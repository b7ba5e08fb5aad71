// SPDX-License-Identifier: MIT
#include <arenascope/transform/fusion.h>

#include <algorithm>

namespace arenascope {
namespace {

// Nodes by their places in the graph.
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
  }

  // Chains of two nodes and more, each node in one at most.
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
    return tensor.has(kFlagOutput) || (options_.keep && options_.keep(tensor));
  }

  Chain grow(int32_t first) const {
    Chain chain{first};
    size_t closed = 1;  // so many of them can be one node
    const size_t most = FusedParams::kMostSteps + (is_fused_step(node(static_cast<size_t>(first)).op) ? 0 : 1);
    while (chain.size() < most) {
      const auto last = static_cast<size_t>(chain.back());
      if (kept(node(last))) break;
      const auto& users = users_[last];
      const auto next = std::find_if(users.begin(), users.end(), [&](int32_t user) { return continues(chain, user); });
      if (next == users.end()) break;
      chain.push_back(*next);
      if (operands(chain) > FusedParams::kMostOperands) break;
      if (is_closed(chain)) closed = chain.size();
    }
    chain.resize(closed);
    return chain;
  }

  bool continues(const Chain& chain, int32_t user) const {
    const TensorImpl &first = node(static_cast<size_t>(chain.front())), &step = node(static_cast<size_t>(user));
    if (chain_of_[static_cast<size_t>(user)] >= 0 || user < chain.back() || !(step.sizes == first.sizes)) return false;
    if (!is_fused_step(step.op) || !backend_.fuses(first, &step)) return false;
    // Statistics and the like are read as the sources that they are.
    if (step.op == Op::BatchNorm)
      for (size_t i = 1; i < step.sources.size(); ++i)
        if (graph_.find_node(*step.sources[i]).valid()) return false;
    return true;
  }

  // Different tensors from outside of the chain that its steps read along their elements.
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

  // Whether nobody outside of the chain reads what is not its end.
  bool is_closed(const Chain& chain) const {
    for (size_t i = 0; i + 1 < chain.size(); ++i)
      for (int32_t user : users_[static_cast<size_t>(chain[i])])
        if (std::find(chain.begin(), chain.end(), user) == chain.end()) return false;
    return true;
  }

  const Graph& graph_;
  const Capabilities& backend_;
  const FusionOptions& options_;
  std::vector<std::vector<int32_t>> users_;  // rising
  std::vector<int32_t> chain_of_;
};

class Fusing {
 public:
  Fusing(const Graph& graph, Context context, FusedGraph& out)
      : given_(graph), context_(std::move(context)), out_(out) {}

  Status run(const std::vector<Chain>& chains) {
    const auto nodes = given_.nodes();
    std::vector<int32_t> ends(nodes.size(), -1);  // the chain that ends with a node
    std::vector<uint8_t> inside(nodes.size(), 0);
    for (size_t c = 0; c < chains.size(); ++c) {
      for (int32_t at : chains[c]) inside[static_cast<size_t>(at)] = 1;
      ends[static_cast<size_t>(chains[c].back())] = static_cast<int32_t>(c);
    }
    const auto layers = given_.context().layer_names();
    out_.twins.resize(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (inside[i] && ends[i] < 0) continue;
      const TensorImpl& node = *nodes[i];
      const bool layered = node.layer >= 0 && node.layer < static_cast<int32_t>(layers.size());
      context_.set_layer(layered ? layers[static_cast<size_t>(node.layer)] : std::string_view());
      auto made = node.op == Op::None ? Result<Tensor>(Tensor(nodes[i]))
                  : ends[i] >= 0      ? fused(chains[static_cast<size_t>(ends[i])])
                                      : again(node);
      if (!made) return made.error();
      if (node.op != Op::None) (*made)->flags = node.flags;
      if (auto ok = out_.graph.expand(*made); !ok) return ok;
      out_.twins[i] = std::move(*made);
    }
    return {};
  }

 private:
  Tensor twin(TensorImpl* tensor) const {
    const NodeId id = given_.find_node(*tensor);
    return id.valid() ? out_.twins[id.index()] : Tensor(tensor);
  }

  Result<Tensor> again(const TensorImpl& node) {
    std::vector<Tensor> sources;
    for (TensorImpl* source : node.sources) sources.push_back(twin(source));
    return context_.apply(node.op, sources, node.params, node.name);
  }

  Result<Tensor> fused(const Chain& chain) {
    FusedParams p;
    std::vector<Tensor> sources;
    std::vector<std::string> names;
    FusedGraph::Fused record;
    std::vector<const TensorImpl*> values{nullptr};  // v0, v1, …
    std::vector<bool> apart;                         // by source: read by channels, and so listed again for others
    for (size_t i = 0; i < chain.size(); ++i) {
      const TensorImpl& node = *given_.nodes()[static_cast<size_t>(chain[i])];
      names.emplace_back(node.name);
      record.held.push_back(NodeId(chain[i]));
      if (i == 0 && !is_fused_step(node.op)) {
        p.anchor = static_cast<uint16_t>(node.op);
        p.anchor_sources = static_cast<uint8_t>(node.sources.size());
        const auto bytes = node.params.bytes();
        std::copy(bytes.begin(), bytes.end(), p.anchor_params);
        for (TensorImpl* source : node.sources) sources.push_back(twin(source)), apart.push_back(false);
        values[0] = &node;
        continue;
      }
      FusedStep step = make_fused_step(node);
      step.left = operand(node.sources[0], values, sources, apart);
      if (node.op == Op::BatchNorm) {
        step.right = static_cast<int8_t>(sources.size());
        for (size_t k = 1; k < node.sources.size(); ++k)
          sources.push_back(twin(node.sources[k])), apart.push_back(true);
      } else if (step_operands(node.op) == 2) {
        step.right = operand(node.sources[1], values, sources, apart);
      }
      p.step[p.steps++] = step;
      values.push_back(&node);
    }
    OpParams params;
    params.set(p);
    auto made = context_.apply(Op::Fused, sources, params, join_names(names));
    if (!made) return made;
    record.node = *made;
    out_.fused.push_back(std::move(record));
    return made;
  }

  // A value of the chain, or a source, which is added where it is a new one.
  int8_t operand(TensorImpl* source, const std::vector<const TensorImpl*>& values, std::vector<Tensor>& sources,
                 std::vector<bool>& apart) const {
    if (const auto value = std::find(values.begin(), values.end(), source); value != values.end())
      return static_cast<int8_t>(-1 - (value - values.begin()));
    const Tensor own = twin(source);
    for (size_t i = 0; i < sources.size(); ++i)
      if (sources[i].impl() == own.impl() && !apart[i]) return static_cast<int8_t>(i);
    sources.push_back(own);
    apart.push_back(false);
    return static_cast<int8_t>(sources.size() - 1);
  }

  const Graph& given_;
  Context context_;
  FusedGraph& out_;
};

}  // namespace

Result<FusedGraph> fuse_graph(const Graph& graph, const Capabilities& backend, const FusionOptions& options) {
  const auto chains = Chains(graph, backend, options).find();
  const size_t capacity = std::max(graph.nodes().size(), graph.leafs().size()) + 1;
  size_t pool = Context::graph_overhead(capacity) + (size_t{1} << 12);
  // A fused node takes no more than those that it holds.
  for (const TensorImpl* node : graph.nodes())
    pool += Context::tensor_overhead(std::max<size_t>(node->sources.size(), 1));
  auto context = Context::create({.mem_size = pool, .no_alloc = true});
  if (!context) return context.error();
  auto made = context->new_graph(capacity);
  if (!made) return made.error();
  FusedGraph out;
  out.graph = *made;
  if (auto ok = Fusing(graph, *context, out).run(chains); !ok) return ok.error();
  return out;
}

}  // namespace arenascope
