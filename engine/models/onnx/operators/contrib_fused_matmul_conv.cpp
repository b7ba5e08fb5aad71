// SPDX-License-Identifier: MIT
// Convolutions and matmuls that ONNX Runtime's optimiser fused: with an addend, an activation, or channels-last.
#include <fmt/format.h>
#include "engine/models/onnx/operators/decompose.h"

namespace arenascope::models {
namespace {

// The attributes of a fused activation: those of the operator itself, or a list of them in order.
PartAttributes activation_attributes(const OpCall& c, const std::string& name) {
  PartAttributes out;
  const auto* listed = c.attr("activation_params");
  const std::vector<float> numbers = listed ? listed->floats : std::vector<float>();
  const auto give = [&](size_t i, const char* own, const char* single) {
    if (i < numbers.size()) out[own] = float_attribute(numbers[i]);
    if (const auto* a = c.attr(single)) out[own] = *a;
  };
  const bool clips = name == "Clip";
  give(0, clips ? "min" : "alpha", "activation_alpha");
  give(1, clips ? "max" : "beta", "activation_beta");
  give(2, "gamma", "activation_gamma");
  if (const auto* axis = c.attr("activation_axis")) out["axis"] = *axis;
  if (const auto* slope = c.attr("leaky_relu_alpha")) out["alpha"] = *slope;
  return out;
}

// Applies the node's activation to `x`, if it has one.
Tensor activated(OpCall& c, const Tensor& x) {
  const std::string name = c.attr_string("activation", "");
  if (!x || name.empty()) return x;
  for (const char* known :
       {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid", "Elu", "Selu", "Softplus", "Softsign",
        "ThresholdedRelu", "Softmax", "Gelu", "HardSwish", "Celu", "ScaledTanh", "Affine", "ParametricSoftplus"})
    if (name == known)  // Clip as it was when its limits were attributes
      return lower_part(c, {known, {as_source(c, x)}, activation_attributes(c, name), {}, 1, name == "Clip" ? 6 : 22});
  c.fail(fmt::format("the activation '{}' is not supported", name));
  return {};
}

const char* before_activation(const OpCall& c) { return c.has_attr("activation") ? ":linear" : ""; }

PartAttributes without_activation(const OpCall& c) {
  return attributes_without(c, {"activation", "activation_params", "activation_alpha", "activation_beta",
                                "activation_gamma", "activation_axis", "leaky_relu_alpha", "channels_last"});
}

void fused_gemm(OpCall& c) {
  const Tensor y = lower_part(c, {"Gemm", c.inputs(), without_activation(c), before_activation(c)});
  c.out(0, activated(c, y));
}

void fused_mat_mul_activation(OpCall& c) {
  const Tensor y = lower_part(c, {"MatMul", c.inputs(), without_activation(c), ":linear"});
  c.out(0, activated(c, y));
}

void gemm_fast_gelu(OpCall& c) {
  Tensor y = lower_part(c, {"MatMul", {source_of(c, 0), source_of(c, 1)}, {}, ":product"});
  if (c.has(2)) y = c.op(Op::Add, {y, c.in(2)}, ":biased");
  c.out(0, c.op(Op::GeluTanh, {y}));
}

void nhwc_max_pool(OpCall& c) {
  const Tensor x = channels_second(c, c.in(0), ":channels_second");
  const Tensor y = lower_part(c, {"MaxPool", {as_source(c, x)}, c.node().attributes, ":pooled"});
  c.out(0, channels_last(c, y, ""));
}

void conv_transpose_explicit_pads(OpCall& c) {
  PartAttributes attributes = c.node().attributes;
  if (c.has(2)) {
    const auto pads = c.ints(2);
    if (!pads) return;
    attributes["pads"] = ints_attribute(*pads);
  }
  c.out(0, lower_part(c, {"ConvTranspose", {source_of(c, 0), source_of(c, 1), source_of(c, 3)}, attributes}));
}

// A sparse matrix is held with its zeros, and is one as any other. Only floating-point numbers are scaled.
void sparse_mat_mul(OpCall& c) {
  if (c.rank(0) != 2 || c.rank(1) != 2)
    return c.fail(fmt::format("the operands {} and {} are not matrices", to_string(c.sizes(0)), to_string(c.sizes(1))));
  PartAttributes attributes = c.node().attributes;
  if (!info(c.value(0).dtype).floating) attributes.erase("alpha");
  c.out(0, lower_part(c, {"MatMul", {source_of(c, 0), source_of(c, 1)}, std::move(attributes)}));
}

constexpr HandlerEntry kContribFusedMatMulConv[] = {
    {"com.microsoft::ConvTransposeWithDynamicPads", conv_transpose_explicit_pads},
    {"com.microsoft::FusedConv", [](OpCall& c) { fused_conv(c, source_of(c, 1), false); }},
    {"com.microsoft::FusedGemm", fused_gemm},
    {"com.microsoft::FusedMatMulActivation", fused_mat_mul_activation},
    {"com.microsoft::GemmFastGelu", gemm_fast_gelu},
    {"com.microsoft::NhwcConv", [](OpCall& c) { fused_conv(c, source_of(c, 1), true); }},
    {"com.microsoft::NhwcFusedConv", [](OpCall& c) { fused_conv(c, source_of(c, 1), true); }},
    {"com.microsoft::NhwcMaxPool", nhwc_max_pool},
    {"com.microsoft::SparseToDenseMatMul", sparse_mat_mul},
};

}  // namespace

void fused_conv(OpCall& c, const ValuePtr& weight, bool last) {
  const Tensor x = last ? channels_second(c, c.in(0), ":channels_second") : c.in(0);
  Tensor y = lower_part(c, {"Conv",
                            {as_source(c, x), weight, source_of(c, 2)},
                            without_activation(c),
                            c.has(3) || last ? ":conv" : before_activation(c)});
  if (y && last) y = channels_last(c, y, c.has(3) ? ":channels_last" : before_activation(c));
  if (y && c.has(3)) y = c.op(Op::Add, {y, c.in(3)}, before_activation(c));
  c.out(0, activated(c, y));
}

std::span<const HandlerEntry> contrib_fused_matmul_conv_handlers() { return kContribFusedMatMulConv; }

}  // namespace arenascope::models
