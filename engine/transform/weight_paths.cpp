// SPDX-License-Identifier: MIT
#include <arenascope/transform/weight_paths.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include "engine/transform/graph_copier.h"

namespace arenascope {
namespace {

bool multiplies(const TensorImpl& node) { return info(node.op).family == OpFamily::Contraction; }

bool is_weight(const TensorImpl& source) {
  const TensorImpl& base = base_of(source);
  return base.op == Op::None && base.dtype == DType::F32 && base.rank() >= 2 &&
         (base.has(kFlagWeight) || base.has(kFlagParameter));
}

OpParams one_number() {
  OpParams params;
  params.set(FillParams{{1}, DType::F32, 0, 0});
  return params;
}

class Paths {
 public:
  Paths(GraphCopier& copier, const WeightPathOptions& options, WeightPaths& out)
      : copier_(copier), options_(options), out_(out) {
    if (!options.optimizer) return;
    const Graph& graph = copier.given();
    const auto note = [&](const TensorImpl* parameter) {
      const TensorImpl* gradient = graph.grad(*parameter);
      if (gradient != nullptr && parameter->op == Op::None && gradients_.insert(gradient).second)
        updates_.push_back({parameter, gradient});
    };
    for (const TensorImpl* node : graph.nodes()) note(node);
    for (const TensorImpl* leaf : graph.leafs()) note(leaf);
    std::erase_if(updates_, [&](const Update& u) { return !graph.find_node(*u.gradient).valid(); });
  }

  Status run() {
    if (auto ok = copier_.for_each_node([this](NodeId id, const TensorImpl& node) { return copy(id, node); }); !ok)
      return ok;
    return updates_.empty() ? Status() : add_updates();
  }

 private:
  struct Update {
    const TensorImpl* parameter;
    const TensorImpl* gradient;
  };

  Status copy(NodeId id, const TensorImpl& node) {
    std::vector<Tensor> sources = copier_.mapped_sources(node);
    // A shared copy is viewed like the weight was; otherwise each matmul that reads a view gets its own copy.
    const bool views_copy = options_.shared && node.is_view() && is_weight(node);
    if (multiplies(node) || views_copy)
      for (size_t i = 0; i < sources.size(); ++i) {
        if (!is_weight(*node.sources[i]) || (options_.shared && node.sources[i]->is_view())) continue;
        auto path = path_to(*node.sources[i], sources[i], node);
        if (!path) return path.error();
        sources[i] = *path;
      }
    auto made = copier_.copy(node, sources);
    if (!made) return made.error();
    if (gradients_.count(&node) != 0) (*made)->flags &= ~uint32_t{kFlagOutput};
    copier_.place_mapped(id, *made);
    return {};
  }

  Result<Tensor> path_to(const TensorImpl& weight, const Tensor& from, const TensorImpl& reader) {
    if (const auto known = shared_.find(&weight); options_.shared && known != shared_.end()) return known->second;
    OpParams half;
    half.set(CastParams{DType::F16});
    const std::string name = base_of(weight).name.str();
    auto made = copier_.make(reader, Op::Cast, std::span(&from, 1), half, name + " (float16)");
    if (!made) return made;
    copier_.place(*made);
    if (options_.trans_data) {
      const Tensor cast = *made;
      made = copier_.make(reader, Op::Copy, std::span(&cast, 1), {}, name + " (TransData)");
      if (!made) return made;
      copier_.place(*made);
    }
    ++out_.paths;
    out_.path_bytes += (*made)->byte_count();
    if (options_.shared) shared_.emplace(&weight, *made);
    return made;
  }

  Status add_updates() {
    std::vector<Tensor> gradients, steps;
    for (const Update& u : updates_) gradients.push_back(copier_.mapped(*u.gradient));
    const TensorImpl& last = *copier_.given().nodes().back();
    auto reduced = copier_.make(last, Op::Opaque, gradients, one_number(), "all_reduce");
    if (!reduced) return reduced.error();
    copier_.place(*reduced);
    for (const Update& u : updates_) {
      const Tensor sources[] = {copier_.mapped(*u.gradient), copier_.mapped(*u.parameter), *reduced};
      auto step = copier_.make(last, Op::Opaque, sources, one_number(), u.parameter->name.str() + " (apply)");
      if (!step) return step.error();
      copier_.place(*step);
      steps.push_back(*step);
    }
    auto done = copier_.make(last, Op::Opaque, steps, one_number(), "step");
    if (!done) return done.error();
    (*done)->flags |= kFlagOutput;
    copier_.place(*done);
    return {};
  }

  GraphCopier& copier_;
  const WeightPathOptions& options_;
  WeightPaths& out_;
  std::unordered_map<const TensorImpl*, Tensor> shared_;
  std::unordered_set<const TensorImpl*> gradients_;
  std::vector<Update> updates_;
};

}  // namespace

Result<WeightPaths> add_weight_paths(const Graph& graph, const WeightPathOptions& options) {
  auto copier = GraphCopier::start(graph);
  if (!copier) return copier.error();
  WeightPaths out;
  if (auto ok = Paths(*copier, options, out).run(); !ok) return ok.error();
  if (auto ok = copier->finish(out); !ok) return ok.error();
  return out;
}

const char* name(LiveClass c) {
  switch (c) {
    case LiveClass::WeightCopy: return "copies of weights";
    case LiveClass::Gradient: return "gradients";
    case LiveClass::Output: return "outputs";
    case LiveClass::Activation: return "activations";
  }
  return "?";
}

std::vector<LiveClass> live_classes(const Graph& graph) {
  std::unordered_set<const TensorImpl*> gradients;
  const auto note = [&](const TensorImpl* given) {
    if (given->op != Op::None) return;
    if (const TensorImpl* gradient = graph.grad(*given)) gradients.insert(gradient);
  };
  for (const TensorImpl* node : graph.nodes()) note(node);
  for (const TensorImpl* leaf : graph.leafs()) note(leaf);
  std::vector<LiveClass> out;
  std::vector<uint8_t> of_weights;  // computed from weights alone
  for (const TensorImpl* node : graph.nodes()) {
    bool weights = !node->sources.empty();
    for (const TensorImpl* source : node->sources) {
      const NodeId at = graph.find_node(*source);
      const bool weight = source->op == Op::None && (source->has(kFlagWeight) || source->has(kFlagParameter));
      weights = weights && (weight || (at.valid() && source->op != Op::None && of_weights[at.index()] != 0));
    }
    of_weights.push_back(weights ? 1 : 0);
    out.push_back(gradients.count(node) != 0 ? LiveClass::Gradient
                  : weights                  ? LiveClass::WeightCopy
                  : node->has(kFlagOutput)   ? LiveClass::Output
                                             : LiveClass::Activation);
  }
  return out;
}

PeakByClass peak_by_class(const Graph& graph, std::span<const NodeId> order, bool keep_outputs) {
  LifetimeOptions options;
  options.keep_outputs = keep_outputs;
  const auto lives = find_lifetimes(graph, order, options);
  const auto classes = live_classes(graph);
  std::vector<PeakByClass> change(order.size() + 1);
  for (size_t i = 0; i < lives.size(); ++i) {
    if (lives[i].owner != NodeId(i) || !lives[i].in_arena()) continue;
    change[lives[i].first.index()][static_cast<size_t>(classes[i])] += lives[i].bytes;
    change[lives[i].last.index()][static_cast<size_t>(classes[i])] -= lives[i].bytes;
  }
  PeakByClass live{}, most{};
  Bytes peak = 0;
  for (const PeakByClass& at : change) {
    Bytes sum = 0;
    for (size_t c = 0; c < kLiveClasses; ++c) sum += live[c] += at[c];
    if (sum > peak) peak = sum, most = live;
  }
  return most;
}

}  // namespace arenascope
