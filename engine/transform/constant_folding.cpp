// SPDX-License-Identifier: MIT
#include "engine/transform/constant_folding.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

class ConstantFolding {
 public:
  ConstantFolding(GraphCopier& copier, const PatternMatcher& matcher, const RewriteOptions& options)
      : copier_(copier), matcher_(matcher), options_(options), nodes_(matcher.graph().nodes()), role_(nodes_.size()) {}

  Result<FoldedConstants> run() {
    choose();
    const Status done = copier_.for_each_node([&](NodeId id, const TensorImpl& node) -> Status {
      if (role_[id.index()] == Role::Gone) return {};
      auto made = role_[id.index()] == Role::Leaf ? leaf_for(node) : copy(node);
      if (!made) return made.error();
      if ((*made)->op == Op::None)
        copier_.set_mapped(id, *made);
      else
        copier_.place_mapped(id, *made);
      return {};
    });
    if (!done.ok()) return done.error();
    return std::move(out_);
  }

 private:
  enum class Role : uint8_t { Stays, Leaf, Gone };

  // A constant node with work that the rest of the graph reads, directly or through a view, becomes a leaf.
  void choose() {
    for (size_t i = nodes_.size(); i-- > 0;) {
      const TensorImpl& node = *nodes_[i];
      const bool constant = node.op != Op::None && matcher_.constant(node) && !matcher_.kept(node);
      if (!constant) {
        for (const TensorImpl* source : node.sources) ask(*source);
        continue;
      }
      const bool asked = asked_.count(&node) != 0;
      if (asked && worth(node))
        role_[i] = Role::Leaf;
      else if (asked) {  // not folded, so its inputs are needed too
        for (const TensorImpl* source : node.sources) ask(*source);
      } else {
        role_[i] = Role::Gone;
      }
    }
  }

  void ask(const TensorImpl& tensor) { asked_.insert(&tensor); }

  bool worth(const TensorImpl& node) const {
    if (!has_work(node)) return false;  // e.g. a view
    if (!node.contiguous() || info(node.dtype).quantised) return false;
    Bytes weights = 0;
    std::vector<const TensorImpl*> open{&node}, seen;
    while (!open.empty()) {
      const TensorImpl* t = open.back();
      open.pop_back();
      if (std::find(seen.begin(), seen.end(), t) != seen.end()) continue;
      seen.push_back(t);
      if (t->op == Op::None) weights += t->byte_count();
      constexpr size_t kMany = 256;
      if (seen.size() > kMany) return false;
      open.insert(open.end(), t->sources.begin(), t->sources.end());
    }
    return node.byte_count() <= weights + options_.max_constant_bytes;
  }

  Result<Tensor> copy(const TensorImpl& node) { return copier_.copy(node, copier_.mapped_sources(node)); }

  Result<Tensor> leaf_for(const TensorImpl& node) {
    auto leaf = copier_.new_leaf(node);
    if (!leaf) return leaf;
    auto context = Context::create({.no_alloc = true, .grow = true});
    if (!context) return context.error();
    std::vector<const TensorImpl*> branch;
    collect(node, branch);
    std::unordered_map<const TensorImpl*, Tensor> node_map;
    std::vector<ConstantBranch::Given> given;
    std::vector<OriginPart> parts;
    Tensor last;
    for (const TensorImpl* t : branch) {
      std::vector<Tensor> sources;
      for (TensorImpl* source : t->sources) {
        if (!node_map.contains(source)) {
          auto own = own_leaf(*context, *source);
          if (!own) return own;
          given.push_back({*own, source});
          node_map.emplace(source, std::move(*own));
        }
        sources.push_back(node_map.at(source));
      }
      auto made = context->apply(t->op, sources, t->params, t->name);
      if (!made) return made;
      node_map.emplace(t, *made);
      last = *made;
      for (OriginPart& part : origin_parts(*t)) parts.push_back(std::move(part));
    }
    last.set_flag(kFlagOutput);
    auto graph = context->new_graph(branch.size());
    if (!graph) return graph.error();
    if (auto ok = graph->expand(last); !ok) return ok.error();
    out_.nodes += static_cast<int64_t>(parts.size());
    set_origins(*leaf, {{constant_rule().name, std::move(parts)}});
    out_.branches.push_back({*leaf, std::move(*graph), last, std::move(given)});
    return leaf;
  }

  // The branch needs leaf tensors of its own: it is computed while the given graph may run.
  static Result<Tensor> own_leaf(Context& context, const TensorImpl& given) {
    auto own = context.new_tensor(given.dtype, Dims(given.sizes), given.name);
    if (!own) return own;
    (*own)->strides.set(given.strides.span());
    (*own)->flags = given.flags;
    (*own)->storage = given.storage;
    return own;
  }

  // Inputs before users.
  void collect(const TensorImpl& node, std::vector<const TensorImpl*>& out) const {
    if (node.op == Op::None || std::find(out.begin(), out.end(), &node) != out.end()) return;
    for (const TensorImpl* source : node.sources) collect(*source, out);
    out.push_back(&node);
  }

  GraphCopier& copier_;
  const PatternMatcher& matcher_;
  const RewriteOptions& options_;
  std::span<TensorImpl* const> nodes_;
  std::vector<Role> role_;
  std::unordered_set<const TensorImpl*> asked_;
  FoldedConstants out_;
};

}  // namespace

Result<FoldedConstants> fold_constants(GraphCopier& copier, const PatternMatcher& matcher,
                                       const RewriteOptions& options) {
  return ConstantFolding(copier, matcher, options).run();
}

}  // namespace arenascope::rewriting
