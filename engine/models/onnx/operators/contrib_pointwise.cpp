// SPDX-License-Identifier: MIT
// ONNX Runtime's operators that equal ONNX's under other names, or add a bias, a factor or a gate.
#include <fmt/format.h>
#include "engine/models/onnx/onnx_schema.h"
#include "engine/models/onnx/operators/decompose.h"

namespace arenascope::models {
namespace {

// Those whose inputs, attributes and results are those of an operator of ONNX, as of an opset.
struct Same {
  const char* own;
  const char* onnx;
  int64_t opset;
};
constexpr Same kSame[] = {
    {"CausalConvWithState", "CausalConvWithState", 27},
    {"DequantizeLinear", "DequantizeLinear", 23},
    {"GatherND", "GatherND", 12},
    {"Gelu", "Gelu", 20},
    {"GridSample", "GridSample", 16},
    {"LinearAttention", "LinearAttention", 27},
    {"QuantizeLinear", "QuantizeLinear", 23},
    {"Pad", "Pad", 13},
    {"Range", "Range", 11},
    {"TorchEmbedding", "Gather", 13},
    {"Trilu", "Trilu", 14},
};

// Attributes that ONNX Runtime adds to ONNX's operator must have no effect.
void reject_further_attributes(OpCall& c, const Same& of) {
  ir::Schemas schemas;
  const ir::Schema* schema = schemas.find("", of.onnx, of.opset);
  for (const auto& [name, value] : c.node().attributes) {
    const bool own_mark = name.starts_with("__");
    const bool asks_nothing = value.kind == ir::Attribute::kInt && value.i == (name == "dilation" ? 1 : 0);
    if (own_mark || asks_nothing || !schema || schema->attribute(name)) continue;
    return c.fail(fmt::format("attribute '{}', which ONNX's {} does not have, is not supported", name, of.onnx));
  }
}

void same(OpCall& c) {
  for (const Same& s : kSame) {
    if (c.node().op != s.own) continue;
    reject_further_attributes(c, s);
    if (!c.ok()) return;
    std::vector<ValuePtr> sources = c.inputs();
    if (c.node().op == "TorchEmbedding") sources.resize(std::min<size_t>(sources.size(), 2));
    if (c.node().op == "Range" && sources.size() == 2)
      sources.push_back(c.lowering().make_constant(c.name_of(":delta"), HostArray::scalar(1, c.value(0).dtype)));
    const auto made = lower_parts(c, {s.onnx, std::move(sources), c.node().attributes, {}, c.output_count(), s.opset});
    for (size_t i = 0; i < made.size(); ++i) c.out(i, made[i]);
  }
}

// Input 0 plus the bias in input i, if there is one.
Tensor biased(OpCall& c, size_t i) {
  const Tensor x = c.in(0);
  return x && c.has(i) ? c.op(Op::Add, {x, c.in(i)}, ":biased") : x;
}

void bias_gelu(OpCall& c) { c.out(0, c.op(Op::Gelu, {biased(c, 1)})); }
void fast_gelu(OpCall& c) { c.out(0, c.op(Op::GeluTanh, {biased(c, 1)})); }

void quick_gelu(OpCall& c) {
  c.out(0,
        lower_part(
            c, {"Swish", {source_of(c, 0)}, {{"alpha", float_attribute(c.attr_float("alpha", 1.702f))}}, {}, 1, 24}));
}

void bias_add(OpCall& c) { c.out(0, c.op(Op::Add, {biased(c, 1), c.in(2)})); }

// Inference: nothing is dropped.
void bias_dropout(OpCall& c) {
  const auto training = c.ints(4);
  if (training && !training->empty() && training->front() != 0) return c.fail("training mode is not supported");
  Tensor y = biased(c, 1);
  if (y && c.has(2)) y = c.op(Op::Add, {y, c.in(2)});
  if (!y) return;
  c.out(0, y);
  OpParams all;
  all.set(FillParams{y.sizes(), DType::Bool, 1, 0});
  if (c.has_output(1)) c.out(1, c.apply(Op::Fill, std::span<const Tensor>(), all, ":kept"));
}

// The halves of the last dimension: the first one times a function of the second, or the other way round.
struct Halves {
  Tensor first, second;
};
Halves halves_of(OpCall& c, const Tensor& x) {
  if (!x || x->rank() < 1 || x.sizes().back() % 2 != 0) {
    c.fail(fmt::format("{} cannot be split into two halves", x ? to_string(x.sizes()) : "nothing"));
    return {};
  }
  const int axis = x->rank() - 1;
  const int64_t half = x.sizes().back() / 2;
  return {c.slice(x, axis, 0, half, 1, ":first_half"), c.slice(x, axis, half, 2 * half, 1, ":second_half")};
}

void bias_split_gelu(OpCall& c) {
  const Halves h = halves_of(c, biased(c, 1));
  if (h.second) c.out(0, c.op(Op::Mul, {h.first, c.op(Op::Gelu, {h.second}, ":gate")}));
}

// Scores and a bias that lacks dimensions in front, or between those in front and the ones that count as one.
void bias_softmax(OpCall& c) {
  const Tensor x = c.in(0);
  Tensor bias = c.in(1);
  if (!x || !bias) return;
  const int axis = c.axis(c.attr_int("axis", 1), x->rank());
  if (!c.ok()) return;
  if (bias->rank() > x->rank()) return c.fail("its bias has more dimensions than its scores");
  if (bias->rank() < x->rank() && c.attr_int("is_inner_broadcast", 0) != 0) {
    const int inner = x->rank() - axis, front = bias->rank() - inner;
    if (front < 0)
      return c.fail(
          fmt::format("its bias has the shape {}: expected at least {} dimensions", to_string(bias.sizes()), inner));
    Dims sizes = Dims::filled(x->rank(), 1);
    for (int d = 0; d < front; ++d) sizes[d] = bias.sizes()[d];
    for (int d = 0; d < inner; ++d) sizes[axis + d] = bias.sizes()[front + d];
    bias = c.reshape(bias, sizes, ":bias");
  }
  const Tensor scores = c.op(Op::Add, {x, bias}, ":biased");
  c.out(0, lower_part(c, {"Softmax", {as_source(c, scores)}, {{"axis", int_attribute(axis)}}, {}, 1, 11}));
}

// gate · sigmoid(alpha · gate) · (up + beta), both cut off at a limit.
void clamped_swi_glu(OpCall& c) {
  Tensor gate = c.in(0), up = c.has(1) ? c.in(1) : Tensor();
  if (!gate) return;
  if (!up) {
    const Halves h = halves_of(c, gate);
    gate = h.first, up = h.second;
  }
  if (!gate || !up) return;
  if (!(gate.sizes() == up.sizes())) return c.fail("its halves differ in size");
  if (const auto limit = static_cast<double>(c.attr_float("limit", 0)); limit > 0) {
    gate = c.op_with(Op::Clamp, {gate}, ClampParams{-3.4e38, limit}, ":gate_limited");
    up = c.op_with(Op::Clamp, {up}, ClampParams{-limit, limit}, ":up_limited");
  }
  const float alpha = c.attr_float("activation_alpha", 1), beta = c.attr_float("activation_beta", 0);
  if (beta != 0) up = c.op_with(Op::Scale, {up}, ScaleParams{1, beta}, ":up_shifted");
  const Tensor open =
      lower_part(c, {"Swish", {as_source(c, gate)}, {{"alpha", float_attribute(alpha)}}, ":open", 1, 24});
  c.out(0, c.op(Op::Mul, {open, up}));
}

void scaled_silu(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const Tensor scaled = c.has(1) ? c.op(Op::Mul, {x, c.cast(c.in(1), x.dtype(), ":scale")}, ":scaled")
                                 : c.op_with(Op::Scale, {x}, ScaleParams{c.attr_float("alpha", 1), 0}, ":scaled");
  c.out(0, c.op(Op::Silu, {scaled}));
}

void gated_add(OpCall& c) {
  if (c.has(3)) return c.fail("its gate is projected, which ONNX Runtime's CPU refuses too");
  c.out(0, c.op(Op::Add, {c.in(0), c.op(Op::Mul, {c.in(1), c.in(2)}, ":gated")}));
}

// decay = scale · softplus(a + shift), beta = sigmoid(b).
void linear_attention_gate(OpCall& c) {
  const Tensor a = c.op(Op::Add, {c.in_f32(0), c.in(1)}, ":shifted");
  const Tensor decay = c.op(Op::Mul, {c.op(Op::Softplus, {a}, ":soft"), c.in(2)}, ":decay_f32");
  c.out(0, c.cast(decay, c.value(0).dtype));
  if (c.has_output(1)) c.out(1, c.op(Op::Sigmoid, {c.in(3)}, ":beta"));
}

// Products of complex numbers, stored in the last dimension; optionally with the conjugate of the second factor.
void complex_mul(OpCall& c) {
  const bool mirrored = c.node().op == "ComplexMulConj";
  const Tensor a = c.in(0), b = c.in(1);
  if (!a || !b) return;
  if (a->rank() < 1 || b->rank() < 1 || a.sizes().back() != 2 || b.sizes().back() != 2)
    return c.fail("its inputs must be complex: expected a last dimension of 2");
  const auto part = [&](const Tensor& x, int64_t i, const char* suffix) {
    return c.slice(x, x->rank() - 1, i, i + 1, 1, suffix);
  };
  const auto product = [&](const Tensor& x, const Tensor& y, const char* suffix) {
    return c.op(Op::Mul, {x, y}, suffix);
  };
  const Tensor ar = part(a, 0, ":ar"), ai = part(a, 1, ":ai"), br = part(b, 0, ":br"), bi = part(b, 1, ":bi");
  const Tensor real = c.op(mirrored ? Op::Add : Op::Sub, {product(ar, br, ":rr"), product(ai, bi, ":ii")}, ":real");
  const Tensor imaginary =
      c.op(mirrored ? Op::Sub : Op::Add, {product(ai, br, ":ir"), product(ar, bi, ":ri")}, ":imaginary");
  if (real) c.out(0, c.op_with(Op::Concat, {real, imaginary}, AxisParams{real->rank() - 1}));
}

constexpr HandlerEntry kContribPointwise[] = {
    {"com.microsoft::BiasAdd", bias_add},
    {"com.microsoft::BiasDropout", bias_dropout},
    {"com.microsoft::BiasGelu", bias_gelu},
    {"com.microsoft::BiasSoftmax", bias_softmax},
    {"com.microsoft::BiasSplitGelu", bias_split_gelu},
    {"com.microsoft::CausalConvWithState", same},
    {"com.microsoft::ComplexMul", complex_mul},
    {"com.microsoft::ComplexMulConj", complex_mul},
    {"com.microsoft::DequantizeLinear", same},
    {"com.microsoft::FastGelu", fast_gelu},
    {"com.microsoft::GatedAdd", gated_add},
    {"com.microsoft::GatherND", same},
    {"com.microsoft::Gelu", same},
    {"com.microsoft::GridSample", same},
    {"com.microsoft::LinearAttention", same},
    {"com.microsoft::LinearAttentionGate", linear_attention_gate},
    {"com.microsoft::Pad", same},
    {"com.microsoft::QuantizeLinear", same},
    {"com.microsoft::QuickGelu", quick_gelu},
    {"com.microsoft::Range", same},
    {"com.microsoft::ScaledSiLU", scaled_silu},
    {"com.microsoft::SwiGLU", clamped_swi_glu},
    {"com.microsoft::TorchEmbedding", same},
    {"com.microsoft::Trilu", same},
};

}  // namespace

std::span<const HandlerEntry> contrib_pointwise_handlers() { return kContribPointwise; }

}  // namespace arenascope::models
