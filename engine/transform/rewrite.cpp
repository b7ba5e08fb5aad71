// SPDX-License-Identifier: MIT
// Applies the rules stage by stage. All matches of one pass are applied together into a new graph, until a pass finds
// nothing. Nodes without readers are not copied.
#include <arenascope/transform/rewrite.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include <fmt/format.h>

#include "engine/transform/constant_folding.h"
#include "engine/transform/rules/rule.h"

namespace arenascope {

namespace rewriting {

Tensor ReplacementBuilder::op(Op o, std::span<const Tensor> sources, const OpParams& params, const char* suffix) {
  if (!status_.ok()) return {};
  for (const Tensor& source : sources)
    if (!source) return {};
  auto made = copier_.make(root_, o, sources, params, std::string(root_.name) + suffix);
  if (!made) {
    status_ = made.error();
    return {};
  }
  made_.push_back(*made);
  return *made;
}

Tensor ReplacementBuilder::reshape(const Tensor& x, const Dims& sizes, const char* suffix) {
  if (!x || x->sizes == sizes) return x;
  return op_with(Op::Reshape, {contiguous(x, suffix)}, ReshapeParams{sizes}, suffix);
}

Tensor ReplacementBuilder::permute(const Tensor& x, std::span<const int> axes, const char* suffix) {
  PermuteParams params{};
  for (int i = 0; i < kMaxDims; ++i)
    params.axes[i] = static_cast<int8_t>(static_cast<size_t>(i) < axes.size() ? axes[static_cast<size_t>(i)] : -1);
  return op_with(Op::Permute, {x}, params, suffix);
}

Tensor ReplacementBuilder::contiguous(const Tensor& x, const char* suffix) {
  return !x || x->contiguous() ? x : op(Op::Cont, {x}, suffix);
}

}  // namespace rewriting

namespace {

using rewriting::PatternMatcher;
using rewriting::Replacement;
using rewriting::ReplacementBuilder;
using rewriting::Rule;

struct Match {
  const Rule* rule;
  Replacement found;
};

// The nodes that the match replaces, in graph order: those between the root and its reads.
std::vector<const TensorImpl*> replaced_by(const Graph& graph, const TensorImpl& root, const Replacement& found) {
  std::map<size_t, bool, std::greater<>> open;  // by NodeId: true if it is a read or an input of one
  int left = 0;                                 // entries that are false
  const auto reach = [&](const TensorImpl& tensor, bool stays) {
    const NodeId id = graph.find_node(tensor);
    if (!id.valid() || tensor.op == Op::None) return;
    const auto [at, fresh] = open.try_emplace(id.index(), stays);
    if (fresh && !stays) ++left;
    if (!fresh && stays && !at->second) at->second = true, --left;
  };
  for (const TensorImpl* read : found.reads) reach(*read, true);
  reach(root, false);
  std::vector<const TensorImpl*> out;
  while (left > 0) {  // users before inputs
    const auto [id, stays] = *open.begin();
    open.erase(open.begin());
    const TensorImpl& node = *graph.nodes()[id];
    if (!stays) out.push_back(&node), --left;
    for (const TensorImpl* source : node.sources) reach(*source, stays);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// The provenance of the nodes of a replacement: that of all nodes that they replace.
struct Provenance {
  std::vector<OriginPart> parts;
  FileNodes file_nodes;

  explicit Provenance(std::span<const TensorImpl* const> replaced) {
    for (const TensorImpl* node : replaced) {
      for (OriginPart& part : origin_parts(*node)) parts.push_back(std::move(part));
      append_file_nodes(file_nodes_of(*node), file_nodes);
    }
  }
};

// True if the match changes no node that writes into a tensor and no reader of an older version.
bool preserves_mutation_order(const PatternMatcher& matcher, const TensorImpl& root, const Replacement& found) {
  const MutationAnalysis& mutations = matcher.mutations();
  if (!mutations.any()) return true;
  if (std::any_of(found.reads.begin(), found.reads.end(), [&](const TensorImpl* t) { return mutations.passing(*t); }))
    return false;
  const auto replaced = replaced_by(matcher.graph(), root, found);
  return std::none_of(replaced.begin(), replaced.end(), [&](const TensorImpl* n) { return mutations.pinned(*n); });
}

// One pass of a stage over a graph.
class Pass {
 public:
  Pass(const Graph& graph, const RewriteOptions& options) : matcher_(graph, options), matches_(graph.nodes().size()) {}

  bool find(rewriting::Stage stage) {
    bool any = false;
    const auto nodes = matcher_.graph().nodes();
    for (size_t i = nodes.size(); i-- > 0;) {
      if (nodes[i]->op == Op::None || matcher_.constant(*nodes[i])) continue;
      for (const Rule& rule : rewriting::rules()) {
        if (rule.stage != stage) continue;
        auto found = rule.find(matcher_, *nodes[i]);
        if (!found || !preserves_mutation_order(matcher_, *nodes[i], *found)) continue;
        matches_[i] = Match{&rule, std::move(*found)};
        any = true;
        break;
      }
    }
    return any;
  }

  // Nodes that outputs and writes depend on, given the matches.
  std::vector<uint8_t> needed() const {
    const Graph& graph = matcher_.graph();
    const auto nodes = graph.nodes();
    std::vector<uint8_t> out(nodes.size(), 0);
    for (size_t i = nodes.size(); i-- > 0;) {
      const TensorImpl& node = *nodes[i];
      if (graph.use_count(node) == 0 || matcher_.kept(node) || info(node.op).writes_source()) out[i] = 1;
      if (!out[i] || node.op == Op::None) continue;
      const auto need = [&](const TensorImpl* t) {
        if (const NodeId id = graph.find_node(*t); id.valid()) out[id.index()] = 1;
      };
      if (matches_[i])
        std::for_each(matches_[i]->found.reads.begin(), matches_[i]->found.reads.end(), need);
      else
        std::for_each(node.sources.begin(), node.sources.end(), need);
    }
    return out;
  }

  Status apply(GraphCopier& copier, std::map<std::string, RuleUse>& uses) const {
    const std::vector<uint8_t> is_needed = needed();
    return copier.for_each_node([&](NodeId id, const TensorImpl& node) -> Status {
      if (!is_needed[id.index()]) return {};
      auto made = matches_[id.index()] ? replace(copier, node, *matches_[id.index()], uses)
                                       : copier.copy(node, copier.mapped_sources(node));
      if (!made) return made.error();
      copier.place_mapped(id, *made);
      return {};
    });
  }

 private:
  Result<Tensor> replace(GraphCopier& copier, const TensorImpl& root, const Match& match,
                         std::map<std::string, RuleUse>& uses) const {
    ReplacementBuilder maker(copier, root);
    Tensor made = match.found.make(maker);
    if (made && root.contiguous()) made = maker.contiguous(made);
    if (!maker.status().ok())
      return Error{fmt::format("rewrite rule '{}' failed: {}", match.rule->info.name, maker.status().error().message)};
    if (!made || made.dtype() != root.dtype || !(made->sizes == root.sizes))
      return Error{
          fmt::format("rewrite rule '{}' changed the type or shape of '{}'", match.rule->info.name, root.name)};
    for (const Tensor& node : maker.made()) copier.place(node);
    Provenance provenance(replaced_by(matcher_.graph(), root, match.found));
    for (const Tensor& node : maker.made()) set_file_nodes(node, provenance.file_nodes);
    RuleUse& use = uses[match.rule->info.name];
    use.rule = &match.rule->info;
    ++use.times;
    use.nodes += static_cast<int64_t>(provenance.parts.size());
    if (maker.made().empty() || maker.made().back() != made) return made;  // an existing node
    made->flags = root.flags;
    made->placement = root.placement;
    set_origins(made, {{match.rule->info.name, std::move(provenance.parts)}});
    return made;
  }

  PatternMatcher matcher_;
  std::vector<std::optional<Match>> matches_;  // by node
};

class Rewriting {
 public:
  Rewriting(const Graph& graph, const RewriteOptions& options) : options_(options) {
    out_.graph = graph;
    out_.node_map.resize(graph.nodes().size());
    for (size_t i = 0; i < out_.node_map.size(); ++i) out_.node_map[i] = Tensor(graph.nodes()[i]);
  }

  Result<RewrittenGraph> run() {
    constexpr int kMaxRounds = 4, kMaxPasses = 24;
    bool changed = true;
    for (int round = 0; round < kMaxRounds && changed; ++round) {
      changed = false;
      for (const rewriting::Stage stage : rewriting::kStages)
        for (int pass = 0; pass < kMaxPasses; ++pass) {
          auto more = one_pass(stage);
          if (!more) return more.error();
          if (!*more) break;
          changed = true;
        }
    }
    if (auto ok = fold_constants(); !ok) return ok.error();
    for (const rewriting::Rule& rule : rewriting::rules()) add_use(rule.info.name);
    add_use(rewriting::constant_rule().name);
    return std::move(out_);
  }

 private:
  Result<bool> one_pass(rewriting::Stage stage) {
    Pass pass(out_.graph, options_);
    if (!pass.find(stage)) return false;
    auto copier = GraphCopier::start(out_.graph);
    if (!copier) return copier.error();
    if (auto ok = pass.apply(*copier, uses_); !ok) return ok.error();
    if (auto ok = replace_graph(*copier); !ok) return ok.error();
    return true;
  }

  Status replace_graph(GraphCopier& copier) {
    const Graph before = out_.graph;
    auto graph = copier.finish();
    if (!graph) return graph.error();
    for (Tensor& mapped : out_.node_map)
      if (mapped)
        if (const NodeId id = before.find_node(*mapped); id.valid()) mapped = copier.node_map()[id.index()];
    out_.graph = std::move(*graph);
    return {};
  }

  Status fold_constants() {
    auto copier = GraphCopier::start(out_.graph);
    if (!copier) return copier.error();
    auto taken = rewriting::fold_constants(*copier, PatternMatcher(out_.graph, options_), options_);
    if (!taken) return taken.error();
    if (taken->branches.empty()) return {};
    RuleUse& use = uses_[rewriting::constant_rule().name];
    use = {&rewriting::constant_rule(), static_cast<int64_t>(taken->branches.size()), taken->nodes};
    out_.constants = std::move(taken->branches);
    return replace_graph(*copier);
  }

  // Several rules may share a name.
  void add_use(const char* name) {
    const auto use = uses_.find(name);
    if (use == uses_.end()) return;
    out_.uses.push_back(use->second);
    uses_.erase(use);
  }

  const RewriteOptions& options_;
  RewrittenGraph out_;
  std::map<std::string, RuleUse> uses_;
};

}  // namespace

Result<RewrittenGraph> rewrite_graph(const Graph& graph, const RewriteOptions& options) {
  if (graph.has_grads()) {
    RewrittenGraph out;
    out.graph = graph;
    for (TensorImpl* node : graph.nodes()) out.node_map.emplace_back(node);
    return out;
  }
  return Rewriting(graph, options).run();
}

}  // namespace arenascope
