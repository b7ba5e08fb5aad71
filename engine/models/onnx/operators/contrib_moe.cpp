// SPDX-License-Identifier: MIT
// ONNX Runtime's mixtures of experts: each row goes through the feed-forward networks that a router chooses for it.
#include <fmt/format.h>
#include "engine/models/onnx/operators/blockwise_weights.h"
#include "engine/models/onnx/operators/decompose.h"

#include <algorithm>

namespace arenascope::models {
namespace {

// A layer of all experts: weights [E, N, K] and biases [E, N], which may lack.
struct Layer {
  Tensor weight, bias;
};

Layer plain_layer(OpCall& c, size_t i) {
  if (!c.has(i)) return {};
  return {c.in_f32(i), c.has(i + 1) ? c.in_f32(i + 1) : Tensor()};
}

// Codes [E, N, K · bits / 8] with scales [E, N] or [E, N, K / block].
Layer coded_layer(OpCall& c, size_t codes, size_t zeros, const char* own_bits, const char* suffix) {
  if (!c.has(codes)) return {};
  BlockwiseWeights w;
  const int64_t bits = c.attr_int(own_bits, c.attr_int("expert_weight_bits", 4));
  if (bits != 2 && bits != 4 && bits != 8)
    c.fail(fmt::format("weights of {} bits are not supported: expected 2, 4 or 8", bits));
  const Dims s = c.sizes(codes);
  if (c.ok() && s.rank() != 3)
    c.fail(fmt::format("its packed weights have the shape {}: expected 3 dimensions", to_string(s)));
  if (!c.ok()) return {};
  w.bits = static_cast<int>(bits);
  w.depth = s[2] * 8 / bits, w.rows = s[0] * s[1];
  w.block = c.attr_int("block_size", 0) > 0 ? c.attr_int("block_size", 0) : w.depth;
  if (!check_blocks(c, w)) return {};
  if (w.depth % w.block != 0)
    c.fail(fmt::format("the block size {} does not divide rows of {} weights", w.block, w.depth));
  if (!c.ok()) return {};
  if (!read_codes(c, codes, w)) {
    c.wait_for(codes, "its weights must be known at compile time");
    return {};
  }
  w.scales = std::make_shared<std::vector<float>>(known_floats(c, codes + 1, w.rows * w.blocks()));
  if (c.ok() && c.has(zeros)) w.zeros = std::make_shared<std::vector<float>>(known_zeros(c, zeros, w));
  if (!c.ok()) return {};
  const auto type = w.zeros ? std::nullopt : block_type(w);
  return {blocks_tensor(c, w, type.value_or(DType::F32), {s[0], s[1], w.depth}, suffix),
          c.has(codes + 2) ? c.in_f32(codes + 2) : Tensor()};
}

// The selection of a router with logits [T, E]: experts and their weights, [T, k].
struct Choice {
  Tensor experts, shares;
};

Choice chosen(OpCall& c, const Tensor& logits, const ValuePtr& weights) {
  const int64_t k = c.attr_int("k", 1), experts = logits.sizes()[1];
  if (k < 1 || k > experts) c.fail(fmt::format("k is {}: expected 1 to {}, the number of experts", k, experts));
  if (c.attr_int("use_sparse_mixer", 0) != 0) c.fail("use_sparse_mixer is not supported");
  if (!c.ok()) return {};
  const TopKParams best{1, k, true, true};
  Choice out;
  out.experts = c.op_with(Op::TopKIndices, {logits}, best, ":experts");
  if (weights) {
    out.shares = lower_part(
        c, {"GatherElements", {weights, as_source(c, out.experts)}, {{"axis", int_attribute(1)}}, ":weights"});
    out.shares = c.cast(out.shares, DType::F32, ":weights_f32");
  } else {
    const Tensor all = c.op_with(Op::SoftMax, {logits}, SoftMaxParams{1, 1}, ":probabilities");
    out.shares = c.op_with(Op::TopKValues, {all}, best, ":shares");
  }
  if (c.attr_int("normalize_routing_weights", 0) != 0) {
    const Tensor sum = c.op_with(Op::ReduceSum, {out.shares}, ReduceParams{2, true}, ":share_sum");
    out.shares = c.op(Op::Div, {out.shares, sum}, ":normalised");
  }
  return out;
}

Tensor through_layer(OpCall& c, const Layer& layer, const Tensor& x, const Choice& choice, const char* suffix) {
  const std::string at = suffix;
  const Tensor y =
      c.op(Op::MulMatId, {layer.weight, x, choice.experts}, layer.bias ? (at + "_product").c_str() : suffix);
  if (!layer.bias) return y;
  return c.op(Op::Add, {y, c.op_with(Op::Gather, {layer.bias, choice.experts}, AxisParams{0}, (at + "_bias").c_str())},
              suffix);
}

// gate · sigmoid(alpha · gate) · (up + beta), both clamped. The two are stored side by side, interleaved, or separately.
Tensor gated_experts(OpCall& c, const Tensor& x, const Tensor& apart) {
  const int64_t fusion = c.attr_int("swiglu_fusion", 0), width = x.sizes()[2], half = width / 2;
  if (fusion < 0 || fusion > 2 || (fusion == 0) != static_cast<bool>(apart) || (fusion != 0 && width % 2 != 0)) {
    c.fail(fmt::format("swiglu_fusion {} does not match its inputs", fusion));
    return {};
  }
  Tensor gate = fusion == 0   ? x
                : fusion == 1 ? c.slice(x, 2, 0, width, 2, ":gate_part")
                              : c.slice(x, 2, 0, half, 1, ":gate_part");
  Tensor up = fusion == 0   ? apart
              : fusion == 1 ? c.slice(x, 2, 1, width, 2, ":up_part")
                            : c.slice(x, 2, half, width, 1, ":up_part");
  if (c.has_attr("swiglu_limit")) {
    const auto limit = static_cast<double>(c.attr_float("swiglu_limit", 0));
    gate = c.op_with(Op::Clamp, {gate}, ClampParams{-3.4e38, limit}, ":gate_limited");
    up = c.op_with(Op::Clamp, {up}, ClampParams{-limit, limit}, ":up_limited");
  }
  if (c.attr_int("swiglu_limit_after_activation", 0) != 0) c.fail("swiglu_limit_after_activation is not supported");
  const float alpha = c.attr_float("activation_alpha", 1), beta = c.attr_float("activation_beta", 0);
  if (beta != 0) up = c.op_with(Op::Scale, {up}, ScaleParams{1, beta}, ":up_shifted");
  const Tensor open =
      lower_part(c, {"Swish", {as_source(c, gate)}, {{"alpha", float_attribute(alpha)}}, ":open", 1, 24});
  return c.op(Op::Mul, {open, up}, ":gated");
}

Tensor activated_experts(OpCall& c, const Tensor& x, const Layer& third, const Tensor& rows, const Choice& choice) {
  const std::string name = c.attr_string("activation_type", "relu");
  if (!x) return {};
  const Tensor apart = third.weight ? through_layer(c, third, rows, choice, ":third") : Tensor();
  if (name == "swiglu") return gated_experts(c, x, apart);
  Tensor y;
  if (name == "relu")
    y = c.op(Op::Relu, {x}, ":activated");
  else if (name == "gelu")
    y = c.op(Op::Gelu, {x}, ":activated");
  else if (name == "silu")
    y = c.op(Op::Silu, {x}, ":activated");
  else if (name == "identity")
    y = x;
  else
    c.fail(fmt::format("the activation '{}' is not supported", name));
  return y && apart ? c.op(Op::Mul, {y, apart}, ":gated") : y;
}

void mix(OpCall& c, const Layer& first, const Layer& second, const Layer& third, const ValuePtr& weights) {
  const Tensor x = c.in_f32(0), logits = c.in_f32(1);
  if (!c.ok() || !x || !logits || !first.weight || !second.weight) return c.fail("its experts lack a layer");
  if (x->rank() < 2 || logits->rank() != 2 || x.sizes().back() < 1)
    return c.fail(fmt::format("the input {} does not match the router logits {}", to_string(x.sizes()),
                              to_string(logits.sizes())));
  const int64_t width = x.sizes().back(), count = x->element_count() / width;
  if (logits.sizes()[0] != count || first.weight->rank() != 3 || first.weight.sizes()[0] != logits.sizes()[1])
    return c.fail(fmt::format("{} rows, router logits {} and expert weights {} do not match", count,
                              to_string(logits.sizes()), to_string(first.weight.sizes())));
  const Tensor rows = c.reshape(x, {count, width}, ":rows");
  const Choice choice = chosen(c, logits, weights);
  if (!choice.shares) return;
  Tensor y = through_layer(c, first, rows, choice, ":first");
  y = activated_experts(c, y, third, rows, choice);
  if (!y) return;
  y = through_layer(c, second, y, choice, ":second");
  const int64_t k = choice.shares.sizes()[1];
  const Tensor weighed = c.op(Op::Mul, {y, c.reshape(choice.shares, {count, k, 1}, ":share_each")}, ":weighed");
  const Tensor sum = c.op_with(Op::ReduceSum, {weighed}, ReduceParams{2, false}, ":mixed");
  if (sum)
    c.out(0, c.cast(c.reshape(sum, x.sizes(), c.value(0).dtype == DType::F32 ? "" : ":shaped"), c.value(0).dtype));
}

void experts(OpCall& c) { mix(c, plain_layer(c, 2), plain_layer(c, 4), plain_layer(c, 6), nullptr); }

void coded_experts(OpCall& c) {
  if (c.attr_string("quant_type", "int") != "int") return c.fail("its weights are floats of few bits");
  const Layer first = coded_layer(c, 2, 11, "fc1_expert_weight_bits", ":first_weight");
  const Layer second = coded_layer(c, 5, 12, "fc2_expert_weight_bits", ":second_weight");
  mix(c, first, second, coded_layer(c, 8, 13, "fc3_expert_weight_bits", ":third_weight"), source_of(c, 14));
}

constexpr HandlerEntry kContribExperts[] = {
    {"com.microsoft::MoE", experts},
    {"com.microsoft::QMoE", coded_experts},
};

}  // namespace

std::span<const HandlerEntry> contrib_moe_handlers() { return kContribExperts; }

}  // namespace arenascope::models
