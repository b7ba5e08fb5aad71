// SPDX-License-Identifier: MIT
#include <arenascope/transform/kept_precision.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/op_params.h>
#include "engine/transform/graph_copier.h"

namespace arenascope {
namespace {

using Nodes = std::unordered_set<const TensorImpl*>;

constexpr Bytes kMinBytes = 1024;

// The tensor and everything that it is computed from.
Nodes sources_of(const TensorImpl& end) {
  Nodes out{&end};
  std::vector<const TensorImpl*> open{&end};
  while (!open.empty()) {
    const TensorImpl* node = open.back();
    open.pop_back();
    for (const TensorImpl* source : node->sources)
      if (out.insert(source).second) open.push_back(source);
  }
  return out;
}

class Keeping {
 public:
  Keeping(GraphCopier& copier, const TensorImpl& logits, size_t forward)
      : copier_(copier), kept_by_(sources_of(logits)), forward_(forward) {}

  Status run() {
    for (const TensorImpl* node : copier_.given().nodes())
      if (!is_forward(*node))
        for (const TensorImpl* source : node->sources)
          if (may_be_kept(base_of(*source))) read_later_.insert(&base_of(*source));
    for (const TensorImpl* node : as_they_were_made())
      if (auto ok = copy(copier_.given().find_node(*node), *node); !ok) return ok;
    return {};
  }
  int64_t kept() const { return static_cast<int64_t>(kept_.size()); }

 private:
  bool is_forward(const TensorImpl& node) const {
    const NodeId id = copier_.given().find_node(node);
    return id.valid() && id.index() < forward_;
  }
  bool may_be_kept(const TensorImpl& node) const {
    return node.op != Op::None && !node.is_view() && node.dtype == DType::F32 && node.placement == Placement::Arena &&
           !node.has(kFlagOutput) && node.byte_count() >= kMinBytes && kept_by_.count(&node) != 0;
  }

  // Computed nodes: the forward pass first, then all others in the order of their creation, where each gradient follows
  // the gradients that it depends on. A tensor is thus restored when its readers are due.
  std::vector<const TensorImpl*> as_they_were_made() const {
    const Graph& given = copier_.given();
    std::unordered_map<const TensorImpl*, size_t> made;
    const Context context = given.context();
    for (const ObjectHeader* object = context.first_object(); object; object = object->next)
      if (const TensorImpl* tensor = context.tensor_of(*object)) made.emplace(tensor, made.size());
    std::vector<const TensorImpl*> out;
    for (const TensorImpl* node : given.nodes())
      if (node->op != Op::None) out.push_back(node);
    const auto backward =
        std::find_if(out.begin(), out.end(), [&](const TensorImpl* node) { return !is_forward(*node); });
    std::stable_sort(backward, out.end(), [&](const TensorImpl* a, const TensorImpl* b) { return made[a] < made[b]; });
    return out;
  }

  Status copy(NodeId id, const TensorImpl& node) {
    std::vector<Tensor> sources;
    std::unordered_map<const TensorImpl*, Tensor> restored;  // for this reader
    for (const TensorImpl* source : node.sources) {
      auto tensor = is_forward(node) ? Result<Tensor>(copier_.mapped(*source)) : restore(*source, node, restored);
      if (!tensor) return tensor.error();
      sources.push_back(*tensor);
    }
    auto made = copier_.copy(node, sources);
    if (!made) return made.error();
    copier_.place_mapped(id, *made);
    if (!read_later_.count(&node)) return {};
    auto small = cast(*made, DType::BF16, node, " (bf16)");
    if (!small) return small.error();
    kept_[&node] = *small;
    return {};
  }

  // A source as float32 for a reader of the backward pass; views of it are created again.
  Result<Tensor> restore(const TensorImpl& source, const TensorImpl& reader,
                         std::unordered_map<const TensorImpl*, Tensor>& restored) {
    if (const auto done = restored.find(&source); done != restored.end()) return done->second;
    const auto kept = kept_.find(&base_of(source));
    if (kept == kept_.end()) return copier_.mapped(source);
    const std::string name = std::string(source.name) + " (restored)";
    Result<Tensor> made = Tensor();
    if (!source.is_view()) {
      made = cast(kept->second, DType::F32, reader, name);
    } else if (is_forward(source)) {
      auto under = restore(*source.sources[0], reader, restored);
      if (!under) return under;
      const Tensor sources[] = {*under};
      made = copier_.make(reader, source.op, sources, source.params, name);
      if (made) copier_.place(*made);
    } else {
      return copier_.mapped(source);  // a view created by the backward pass: its source was restored
    }
    if (made) restored[&source] = *made;
    return made;
  }

  Result<Tensor> cast(const Tensor& from, DType type, const TensorImpl& beside, const std::string& name) {
    OpParams params;
    params.set(CastParams{type});
    const Tensor sources[] = {from};
    auto made =
        copier_.make(beside, Op::Cast, sources, params, type == DType::BF16 ? std::string(beside.name) + name : name);
    if (made) copier_.place(*made);
    return made;
  }

  GraphCopier& copier_;
  const Nodes kept_by_;
  const size_t forward_;
  Nodes read_later_;
  std::unordered_map<const TensorImpl*, Tensor> kept_;
};

}  // namespace

Result<KeptPrecisionGraph> keep_in_bf16(const Graph& graph, const TensorImpl& logits, size_t forward) {
  auto copier = GraphCopier::start(graph);
  if (!copier) return copier.error();
  Keeping keeping(*copier, logits, forward);
  if (auto ok = keeping.run(); !ok) return ok.error();
  KeptPrecisionGraph out;
  out.kept = keeping.kept();
  if (auto ok = copier->finish(out); !ok) return ok.error();
  return out;
}

}  // namespace arenascope
