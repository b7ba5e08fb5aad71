// SPDX-License-Identifier: MIT
#include "engine/models/onnx/channel_block.h"

#include <string_view>
#include <unordered_map>

namespace arenascope::models::ir {
namespace {

// ONNX Runtime's blocks: 16 channels with AVX-512 and on ARM, else 8.
constexpr int64_t kSmall = 8, kLarge = 16;
constexpr int kMaxPools = 8;  // between a convolution and where its channels are counted

int64_t block_of_this_processor() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("avx512f") ? kLarge : kSmall;
#elif defined(__aarch64__)
  return kLarge;
#else
  return kSmall;
#endif
}

class Evidence {
 public:
  void read(const Graph& graph) {
    for (const TensorData& weight : graph.weights) weights_.emplace(weight.name, &weight.sizes);
    for (const Node& node : graph.nodes) {
      for (const std::string& result : node.outputs) makers_.emplace(result, &node);
      for (const auto& [name, attribute] : node.attributes)
        if (attribute.graph) read(*attribute.graph);
      if (node.domain != kBlockedDomain) continue;
      there_ = true;
      if (specified_ == 0)
        specified_ = node.op == "Conv" ? of_conv(node) : node.op == "ReorderOutput" ? of_output(node) : 0;
    }
  }
  ChannelBlock found() const {
    if (!there_) return {};
    return specified_ != 0 ? ChannelBlock{specified_, false} : ChannelBlock{block_of_this_processor(), true};
  }

 private:
  const Dims* weight_of(const Node& conv) const {
    const auto at = conv.inputs.size() > 1 ? weights_.find(conv.inputs[1]) : weights_.end();
    return at != weights_.end() && at->second->rank() == 4 ? at->second : nullptr;
  }
  const Node* maker_of(const Node& node) const {
    const auto at = node.inputs.empty() ? makers_.end() : makers_.find(node.inputs[0]);
    return at != makers_.end() ? at->second : nullptr;
  }
  static bool keeps_channels(const Node& node) {
    return node.domain == kBlockedDomain && (node.op == "Upsample" || node.op.ends_with("Pool"));
  }
  static int64_t whole(const Node& node, const char* name, int64_t fallback) {
    const auto at = node.attributes.find(name);
    return at != node.attributes.end() ? at->second.i : fallback;
  }

  // Channels per block that the weight's shape implies; 0: unknown.
  int64_t of_conv(const Node& node) const {
    const Dims* const weight = weight_of(node);
    if (!weight) return 0;
    const int64_t results = (*weight)[0], sources = (*weight)[1];
    if (results % kLarge != 0) return kSmall;
    if (whole(node, "group", 1) != 1 || sources < kSmall) return 0;
    if (sources % kLarge == 0) return 0;
    if (sources > kLarge) return kSmall;
    const Node* const maker = maker_of(node);
    if (!maker || (maker->domain == kBlockedDomain && maker->op == "ReorderOutput")) return kLarge;  // plain channels
    return maker->domain == kBlockedDomain ? kSmall : 0;
  }
  // Output channels that no consumer reads pad the last block.
  int64_t of_output(const Node& node) const {
    const Node* maker = maker_of(node);
    // Names of graphs inside nodes may be those of others: a few steps are enough.
    for (int steps = 0; maker && keeps_channels(*maker) && steps < kMaxPools; ++steps) maker = maker_of(*maker);
    if (!maker || maker->domain != kBlockedDomain || maker->op != "Conv") return 0;
    const Dims* const weight = weight_of(*maker);
    return weight && (*weight)[0] - whole(node, "channels", 0) >= kSmall ? kLarge : 0;
  }

  std::unordered_map<std::string_view, const Dims*> weights_;
  std::unordered_map<std::string_view, const Node*> makers_;
  bool there_ = false;
  int64_t specified_ = 0;
};

}  // namespace

ChannelBlock find_channel_block(const Graph& graph) {
  Evidence evidence;
  evidence.read(graph);
  return evidence.found();
}

}  // namespace arenascope::models::ir
