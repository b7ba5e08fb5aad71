// SPDX-License-Identifier: MIT
// ONNX operators that work element by element.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace arenascope::models {
namespace {

template <Op kOp>
void unary(OpCall& c) {
  c.out(0, c.op(kOp, {c.in(0)}));
}

template <Op kOp>
void binary(OpCall& c) {
  if (c.attr_int("broadcast", 0) != 0 && c.opset() < 7) {
    // Before opset 7 the second operand is aligned at an axis of the first.
    const Tensor a = c.in(0), b = c.in(1);
    if (!a || !b) return;
    const int axis = c.has_attr("axis") ? c.axis(c.attr_int("axis", 0), a->rank()) : a->rank() - b->rank();
    if (axis < 0 || axis + b->rank() > a->rank()) return c.fail("its second input exceeds the first at its axis");
    Dims sizes = b.sizes();
    for (int i = axis + b->rank(); i < a->rank(); ++i) sizes.push_back(1);
    return c.out(0, c.op(kOp, {a, c.reshape(b, sizes, ":aligned")}));
  }
  if (c.check_broadcast(0, 1)) c.out(0, c.op(kOp, {c.in(0), c.in(1)}));
}

// Any number of inputs, two at a time.
template <Op kOp>
void several(OpCall& c) {
  if (c.input_count() == 1) return c.out(0, c.inputs()[0]);
  Tensor x = c.in(0);
  for (size_t i = 1; i < c.input_count() && c.check_broadcast(0, i); ++i)
    x = c.op(kOp, {x, c.in(i)}, i + 1 == c.input_count() ? "" : fmt::format(":{}", i).c_str());
  c.out(0, x);
}

void mean(OpCall& c) {
  Tensor x = c.in(0);
  for (size_t i = 1; i < c.input_count(); ++i) x = c.op(Op::Add, {x, c.in(i)}, fmt::format(":{}", i).c_str());
  c.out(0, c.op_with(Op::Scale, {x}, ScaleParams{1.0f / static_cast<float>(c.input_count()), 0}));
}

// MOD has the sign of the divisor for integers; fmod has that of the dividend: a - b · trunc(a / b).
void mod(OpCall& c) {
  const Tensor a = c.in(0), b = c.in(1);
  if (!a || !b) return;
  if (info(a.dtype()).floating || !c.attr_int("fmod", 0)) return c.out(0, c.op(Op::Mod, {a, b}));
  const Tensor whole = c.op(Op::Mul, {c.op(Op::Div, {a, b}, ":quotient"), b}, ":multiple");
  c.out(0, c.op(Op::Sub, {a, whole}));
}

void pow(OpCall& c) {
  const Tensor a = c.in(0), b = c.in(1);
  if (!a || !b) return;
  if (!info(a.dtype()).floating && info(b.dtype()).floating) {  // the power is cut off, not the exponent
    const Tensor base = c.cast(a, DType::F64, ":base"), exponent = c.cast(b, DType::F64, ":exponent");
    return c.out(0, c.cast(c.op(Op::Pow, {base, exponent}, ":power"), a.dtype()));
  }
  c.out(0, c.op(Op::Pow, {a, a.dtype() == b.dtype() ? b : c.cast(b, a.dtype(), ":exponent")}));
}

void clip(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const bool floating = info(x.dtype()).floating;
  double low = floating ? -std::numeric_limits<double>::infinity() : -9.3e18;
  double high = floating ? std::numeric_limits<double>::infinity() : 1.9e19;
  if (c.opset() < 11) {
    if (c.has_attr("min")) low = static_cast<double>(c.attr_float("min", 0));
    if (c.has_attr("max")) high = static_cast<double>(c.attr_float("max", 0));
  } else {
    const auto least = c.known(1), most = c.known(2);
    if ((c.has(1) && !least) || (c.has(2) && !most) || (least && least->count() != 1) || (most && most->count() != 1)) {
      Tensor y = x;
      if (c.has(1)) y = c.op(Op::Max, {y, c.in(1)}, c.has(2) ? ":low" : "");
      if (c.has(2)) y = c.op(Op::Min, {y, c.in(2)});
      return c.out(0, y);
    }
    if (least) low = least->number(0);
    if (most) high = most->number(0);
  }
  c.out(0, c.op_with(Op::Clamp, {x}, ClampParams{low, high}));
}

void leaky_relu(OpCall& c) {
  c.out(0, c.op_with(Op::LeakyRelu, {c.in(0)}, AlphaParams{c.attr_float("alpha", 0.01f), 0}));
}
void elu(OpCall& c) { c.out(0, c.op_with(Op::Elu, {c.in(0)}, AlphaParams{c.attr_float("alpha", 1), 0})); }
void hard_sigmoid(OpCall& c) {
  c.out(0, c.op_with(Op::HardSigmoid, {c.in(0)}, AlphaParams{c.attr_float("alpha", 0.2f), c.attr_float("beta", 0.5f)}));
}
void hard_swish(OpCall& c) { c.out(0, c.op_with(Op::HardSwish, {c.in(0)}, AlphaParams{1.0f / 6, 0.5f})); }
void gelu(OpCall& c) {
  c.out(0, c.op(c.attr_string("approximate", "none") == "tanh" ? Op::GeluTanh : Op::Gelu, {c.in(0)}));
}

void swish(OpCall& c) {
  const float alpha = c.attr_float("alpha", 1);
  const Tensor x = c.in(0);
  if (alpha == 1) return c.out(0, c.op(Op::Silu, {x}));
  const Tensor gate = c.op(Op::Sigmoid, {c.op_with(Op::Scale, {x}, ScaleParams{alpha, 0}, ":scaled")}, ":gate");
  c.out(0, c.op(Op::Mul, {x, gate}));
}

// gamma · (max(x, 0) + alpha · (exp(min(x, 0)) - 1)): an ELU, scaled.
void selu(OpCall& c) {
  const float alpha = c.attr_float("alpha", 1.67326319217681884765625f);
  const float gamma = c.attr_float("gamma", 1.05070102214813232421875f);
  c.out(0, c.op_with(Op::Scale, {c.op_with(Op::Elu, {c.in(0)}, AlphaParams{alpha, 0}, ":elu")}, ScaleParams{gamma, 0}));
}

// max(0, x) + min(0, alpha · (exp(x / alpha) - 1)): alpha · elu(x / alpha).
void celu(OpCall& c) {
  const float alpha = c.attr_float("alpha", 1);
  const Tensor inner = c.op_with(Op::Scale, {c.in(0)}, ScaleParams{1 / alpha, 0}, ":inner");
  c.out(0, c.op_with(Op::Scale, {c.op_with(Op::Elu, {inner}, AlphaParams{1, 0}, ":elu")}, ScaleParams{alpha, 0}));
}

void p_relu(OpCall& c) {
  const Tensor x = c.in(0);
  Tensor slope = c.in(1);
  if (!x || !slope) return;
  if (c.opset() < 7 && slope->rank() == 1 && slope->element_count() > 1 && x->rank() > 2) {  // one of each channel
    Dims sizes{slope->element_count()};
    for (int i = 2; i < x->rank(); ++i) sizes.push_back(1);
    slope = c.reshape(slope, sizes, ":channels");
  }
  const Tensor negative = c.op(Op::Less, {x, c.scalar(0, x.dtype(), ":zero")}, ":negative");
  c.out(0, c.op(Op::Where, {negative, c.op(Op::Mul, {x, slope}, ":sloped"), x}));
}

void thresholded_relu(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const Tensor above =
      c.op(Op::Greater, {x, c.scalar(static_cast<double>(c.attr_float("alpha", 1)), x.dtype(), ":alpha")}, ":above");
  c.out(0, c.op(Op::Where, {above, x, c.scalar(0, x.dtype(), ":zero")}));
}

void shrink(OpCall& c) {
  const Tensor given = c.in(0);
  if (!given) return;
  // Integers are compared with limits that may be fractional.
  const bool whole = !info(given.dtype()).floating;
  const Tensor x = whole ? c.cast(given, DType::F64, ":f64") : given;
  if (!x) return;
  const auto bias = static_cast<double>(c.attr_float("bias", 0)),
             lambda = static_cast<double>(c.attr_float("lambd", 0.5f));
  const Tensor shift = c.scalar(bias, x.dtype(), ":bias"), zero = c.scalar(0, x.dtype(), ":zero");
  const Tensor low = c.op(Op::Less, {x, c.scalar(-lambda, x.dtype(), ":low_edge")}, ":low");
  const Tensor high = c.op(Op::Greater, {x, c.scalar(lambda, x.dtype(), ":high_edge")}, ":high");
  const Tensor inner = c.op(Op::Where, {high, c.op(Op::Sub, {x, shift}, ":less"), zero}, ":upper");
  const Tensor y = c.op(Op::Where, {low, c.op(Op::Add, {x, shift}, ":more"), inner}, whole ? ":y" : "");
  c.out(0, whole ? c.cast(y, given.dtype()) : y);
}

void is_inf(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const double inf = std::numeric_limits<double>::infinity();
  const bool positive = c.attr_int("detect_positive", 1) != 0, negative = c.attr_int("detect_negative", 1) != 0;
  if (positive && negative)
    return c.out(0, c.op(Op::Equal, {c.op(Op::Abs, {x}, ":abs"), c.scalar(inf, x.dtype(), ":inf")}));
  // Neither sign is detected: all false, since no number is less than itself.
  if (!positive && !negative) return c.out(0, c.op(Op::Less, {x, x}));
  c.out(0, c.op(Op::Equal, {x, c.scalar(positive ? inf : -inf, x.dtype(), ":inf")}));
}

// The unsigned type of the same width; nullopt: there is none.
std::optional<DType> unsigned_of(DType type) {
  switch (type) {
    case DType::I8: return DType::U8;
    case DType::I16: return DType::U16;
    case DType::I32: return DType::U32;
    case DType::I64: return DType::U64;
    default: return std::nullopt;
  }
}

void bit_shift(OpCall& c) {
  const std::string direction = c.attr_string("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return c.fail(fmt::format("the shift direction '{}' is not supported: expected LEFT or RIGHT", direction));
  const Op op = direction == "LEFT" ? Op::ShiftLeft : Op::ShiftRight;
  const Tensor x = c.in(0), by = c.in(1);
  if (!x || !by) return;
  const DType type = x.dtype();
  const auto plain = unsigned_of(type);
  if (!plain) return c.out(0, c.op(op, {x, by}));
  // Shifts of bit patterns; a right shift of a negative number fills with ones, as the complement of zeros. Negative and too
  // large shift counts shift all bits out.
  const Tensor distance = c.cast(by, *plain, ":distance");
  if (op == Op::ShiftLeft) return c.out(0, c.cast(c.op(op, {c.cast(x, *plain, ":bits"), distance}, ":shifted"), type));
  const Tensor below = c.op(Op::Less, {x, c.scalar(0, type, ":zero")}, ":below");
  const Tensor bits = c.op(Op::Where, {below, c.op(Op::BitNot, {x}, ":complement"), x}, ":magnitude");
  const Tensor y = c.cast(c.op(op, {c.cast(bits, *plain, ":bits"), distance}, ":shifted"), type, ":y");
  c.out(0, c.op(Op::Where, {below, c.op(Op::BitNot, {y}, ":y_complement"), y}));
}

constexpr HandlerEntry kPointwiseHandlers[] = {
    {"Abs", unary<Op::Abs>},
    {"Acos", unary<Op::Acos>},
    {"Acosh", unary<Op::Acosh>},
    {"Add", binary<Op::Add>},
    {"And", binary<Op::And>},
    {"Asin", unary<Op::Asin>},
    {"Asinh", unary<Op::Asinh>},
    {"Atan", unary<Op::Atan>},
    {"Atanh", unary<Op::Atanh>},
    {"BitShift", bit_shift},
    {"BitwiseAnd", binary<Op::BitAnd>},
    {"BitwiseNot", unary<Op::BitNot>},
    {"BitwiseOr", binary<Op::BitOr>},
    {"BitwiseXor", binary<Op::BitXor>},
    {"Ceil", unary<Op::Ceil>},
    {"Celu", celu},
    {"Clip", clip},
    {"Cos", unary<Op::Cos>},
    {"Cosh", unary<Op::Cosh>},
    {"Div", binary<Op::Div>},
    {"Elu", elu},
    {"Equal", binary<Op::Equal>},
    {"Erf", unary<Op::Erf>},
    {"Exp", unary<Op::Exp>},
    {"Floor", unary<Op::Floor>},
    {"Gelu", gelu},
    {"Greater", binary<Op::Greater>},
    {"GreaterOrEqual", binary<Op::GreaterEqual>},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish},
    {"IsInf", is_inf},
    {"IsNaN", unary<Op::IsNan>},
    {"LeakyRelu", leaky_relu},
    {"Less", binary<Op::Less>},
    {"LessOrEqual", binary<Op::LessEqual>},
    {"Log", unary<Op::Log>},
    {"Max", several<Op::Max>},
    {"Mean", mean},
    {"Min", several<Op::Min>},
    {"Mish", unary<Op::Mish>},
    {"Mod", mod},
    {"Mul", binary<Op::Mul>},
    {"Neg", unary<Op::Neg>},
    {"Not", unary<Op::Not>},
    {"Or", binary<Op::Or>},
    {"PRelu", p_relu},
    {"Pow", pow},
    {"Reciprocal", unary<Op::Reciprocal>},
    {"Relu", unary<Op::Relu>},
    {"Round", unary<Op::Round>},
    {"Selu", selu},
    {"Shrink", shrink},
    {"Sigmoid", unary<Op::Sigmoid>},
    {"Sign", unary<Op::Sign>},
    {"Sin", unary<Op::Sin>},
    {"Sinh", unary<Op::Sinh>},
    {"Softplus", unary<Op::Softplus>},
    {"Softsign", unary<Op::Softsign>},
    {"Sqrt", unary<Op::Sqrt>},
    {"Sub", binary<Op::Sub>},
    {"Sum", several<Op::Add>},
    {"Swish", swish},
    {"Tan", unary<Op::Tan>},
    {"Tanh", unary<Op::Tanh>},
    {"ThresholdedRelu", thresholded_relu},
    {"Where",
     [](OpCall& c) {
       c.out(0, c.op(Op::Where, {c.in(0), c.in(1), c.in(2)}));
     }},
    {"Xor", binary<Op::Xor>},
};

}  // namespace

std::span<const HandlerEntry> pointwise_handlers() { return kPointwiseHandlers; }

}  // namespace arenascope::models
