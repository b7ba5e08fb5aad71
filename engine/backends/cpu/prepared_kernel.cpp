// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/prepared_kernel.h"

#include <algorithm>
#include <new>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/contiguous_fast_path.h"
#include "engine/backends/cpu/kernels/fused_epilogue.h"
#include "engine/backends/cpu/simd/simd.h"
#include "engine/backends/cpu/winograd_choice.h"

namespace arenascope::cpu {
namespace {

using SharedWeights = std::shared_ptr<const Packed>;

class NoWork final : public PreparedNode {
 public:
  Status compute(const ComputeParams&) override { return {}; }
};

class PreparedLoop final : public PreparedNode {
 public:
  PreparedLoop(const TensorImpl& node, ContiguousLoop loop) : node_(node), loop_(loop), simd_(simd()) {}
  Status compute(const ComputeParams& params) override {
    loop_(node_, simd_, params);
    return {};
  }

 private:
  const TensorImpl& node_;
  const ContiguousLoop loop_;
  const Simd& simd_;
};

class PreparedKernel final : public PreparedNode {
 public:
  PreparedKernel(const TensorImpl& node, const Kernel& kernel, const std::optional<ConvPlan>& conv,
                 SharedWeights packed, bool rounds)
      : node_(node), kernel_(kernel), conv_(conv), packed_(std::move(packed)), rounds_(rounds) {
    if (node.op == Op::Fused) epilogue_.emplace(node);
  }

  Status compute(const ComputeParams& params) override {
    const Bytes needed = conv_                ? conv_->work(node_, params.nth)
                         : kernel_.work_bytes ? kernel_.work_bytes(node_, params.nth)
                                              : 0;
    if (params.work_bytes < needed)
      return refuse(node_, fmt::format("the work buffer has {} bytes, but {} are needed", params.work_bytes, needed));
    try {
      if (packed_ && !packed_->serves(node_, params.nth)) packed_->pin_original();
      KernelArgs args{node_,
                      params.ith,
                      params.nth,
                      params.work,
                      params.work_bytes,
                      packed_.get(),
                      rounds_,
                      conv_ ? &*conv_ : nullptr};
      return epilogue_ ? compute_with_epilogue(args) : kernel_.compute(args);
    } catch (const std::bad_alloc&) {
      return refuse(node_, "out of memory");
    } catch (const OriginalUnavailable& weight) {
      return refuse(node_, weight.why.message);
    }
  }

  bool reads_weight(int source, int parts) const override {
    if (!packed_) return true;
    const bool held =
        source == packable_source(node_) || node_.sources[static_cast<size_t>(source)] == companion_weight(node_);
    return !held || !packed_->serves(node_, parts);
  }

 private:
  Status compute_with_epilogue(KernelArgs& args) const {
    FusedEpilogue epilogue(*epilogue_);
    args.epilogue = &epilogue;
    return kernel_.compute(args);
  }

  const TensorImpl& node_;
  const Kernel& kernel_;
  const std::optional<ConvPlan> conv_;    // of a convolution
  std::optional<EpiloguePlan> epilogue_;  // of a FUSED node
  const SharedWeights packed_;
  const bool rounds_;
};

// A run's nodes, with all weights that were packed for them.
class PreparedKernels final : public PreparedGraph {
 public:
  PreparedKernels(Nodes nodes, std::vector<SharedWeights> packed, const PackedWeights& summary)
      : PreparedGraph(std::move(nodes)), packed_(std::move(packed)), summary_(summary) {}
  PackedWeights packed_weights() const override { return summary_; }
  const std::vector<SharedWeights>& packed() const { return packed_; }
  void warm_up(int ith, int nth) override {
    for (const SharedWeights& packed : packed_) {
      const QuantPanels* panels = packed->quantised();
      if (!panels) continue;
      const int64_t count = panels->layout().panels();
      for (int64_t i = count * ith / nth; i < count * (ith + 1) / nth; ++i) panels->panel(i);
    }
  }

 private:
  const std::vector<SharedWeights> packed_;
  const PackedWeights summary_;
};

// Weights packed so far by one prepare(), by address of the weight.
class Packing {
 public:
  Packing(ExecutionContext& context, const PreparedKernels* previous, bool packs, WinogradChoice choice)
      : context_(context), packs_(packs), choice_(std::move(choice)) {
    if (previous && packs)
      for (const SharedWeights& packed : previous->packed()) known_.emplace(packed->weight_data(), packed);
  }

  // The way in which a convolution is computed; none for other ops.
  std::optional<ConvPlan> conv_of(const TensorImpl& node) const {
    if (anchor_of(node) != Op::Conv) return std::nullopt;
    return plan_conv(node, packs_ && choice_.takes(node));
  }
  // Null: the node reads its weights as they are, or has none.
  Result<SharedWeights> weights_of(const TensorImpl& node, const std::optional<ConvPlan>& conv) {
    const TensorImpl* weight = packs_ ? packable_weight(node) : nullptr;
    if (!weight) return SharedWeights();
    const ConvAlgorithm* const algorithm = conv ? conv->algorithm : nullptr;
    const auto [begin, end] = known_.equal_range(weight->data());
    for (auto known = begin; known != end; ++known)
      if (known->second->matches(node, *weight) && known->second->algorithm() == algorithm) return keep(known->second);
    auto packed = pack_weight(node, conv, context_);
    if (!packed || !*packed) return packed;
    known_.emplace(weight->data(), *packed);
    return keep(*packed);
  }
  // All used weights, each once per packed form.
  std::vector<SharedWeights> take() {
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
    return std::move(used_);
  }

 private:
  SharedWeights keep(SharedWeights packed) { return used_.emplace_back(std::move(packed)); }

  ExecutionContext& context_;
  const bool packs_;
  const WinogradChoice choice_;
  std::unordered_multimap<const std::byte*, SharedWeights> known_;
  std::vector<SharedWeights> used_;
};

Result<std::unique_ptr<PreparedNode>> prepare_node(const TensorImpl& node, Packing& packing, bool rounds) {
  using Made = std::unique_ptr<PreparedNode>;
  if (!has_work(node)) return Made(std::make_unique<NoWork>());
  if (const ContiguousLoop loop = contiguous_loop(node)) return Made(std::make_unique<PreparedLoop>(node, loop));
  const Kernel& known = kernel(anchor_of(node));
  if (!known.compute) return refuse(node, "no kernel supports this node");
  const std::optional<ConvPlan> conv = packing.conv_of(node);
  auto packed = packing.weights_of(node, conv);
  if (!packed) return packed.error();
  return Made(std::make_unique<PreparedKernel>(node, known, conv, std::move(*packed), rounds));
}

}  // namespace

Result<std::unique_ptr<PreparedGraph>> prepare_kernels(std::span<const TensorImpl* const> nodes,
                                                       ExecutionContext& context, const PreparedGraph* previous,
                                                       const CpuOptions& options) {
  WinogradChoice choice = options.packs ? WinogradChoice(nodes, options.max_weights) : WinogradChoice();
  PackedWeights summary = choice.summary();
  Packing packing(context, dynamic_cast<const PreparedKernels*>(previous), options.packs, std::move(choice));
  PreparedGraph::Nodes prepared;
  prepared.reserve(nodes.size());
  for (const TensorImpl* node : nodes) {
    auto made = prepare_node(*node, packing, options.rounds);
    if (!made) return made.error();
    prepared.push_back(std::move(*made));
  }
  std::vector<SharedWeights> packed = packing.take();
  for (const SharedWeights& one : packed) summary.bytes += one->byte_count();
  return std::unique_ptr<PreparedGraph>(
      std::make_unique<PreparedKernels>(std::move(prepared), std::move(packed), summary));
}

}  // namespace arenascope::cpu
