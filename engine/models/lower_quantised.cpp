// SPDX-License-Identifier: MIT
// ONNX's quantised operators, computed as floating point and rounded: exact while sums stay below 2^24.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <vector>

namespace arenascope::models {
namespace {

struct Limits {
  double low, high;
};

bool limits_of(OpCall& c, DType dtype, Limits& limits) {
  switch (dtype) {
    case DType::I8: limits = {-128, 127}; return true;
    case DType::U8: limits = {0, 255}; return true;
    case DType::I16: limits = {-32768, 32767}; return true;
    case DType::U16: limits = {0, 65535}; return true;
    default: c.refuse(fmt::format("it quantises to {}", arenascope::name(dtype))); return false;
  }
}

// A scale or zero point [C] as a shape that broadcasts along `axis` of `rank` dimensions.
Tensor along(OpCall& c, size_t i, int axis, int rank, const char* suffix) {
  const Tensor t = c.in_f32(i);
  if (!t || t->element_count() == 1) return t ? c.reshape(t, {}, suffix) : t;
  if (t->rank() != 1) {
    c.refuse("its scales are in blocks");
    return {};
  }
  Dims sizes = Dims::filled(rank, 1);
  sizes[axis] = t.sizes()[0];
  return c.reshape(t, sizes, suffix);
}

// (x - zero) · scale, the zero point left out where it is.
Tensor dequantised(OpCall& c, size_t x, size_t scale, size_t zero, int axis, const std::string& at, const char* last) {
  Tensor y = c.in_f32(x);
  if (!y) return {};
  if (c.has(zero))
    y = c.op(Op::Sub, {y, along(c, zero, axis, y->rank(), (at + "_zero").c_str())}, (at + "_centred").c_str());
  return y ? c.op(Op::Mul, {y, along(c, scale, axis, y->rank(), (at + "_scale").c_str())}, last) : Tensor();
}

// Rounded, shifted and cut off.
void quantise(OpCall& c, const Tensor& scaled, const Tensor& zero, DType dtype) {
  Limits limits;
  if (!scaled || !limits_of(c, dtype, limits)) return;
  Tensor y = c.op(Op::Round, {scaled}, ":rounded");
  if (zero) y = c.op(Op::Add, {y, zero}, ":shifted");
  c.out(0, c.cast(c.op_with(Op::Clamp, {y}, ClampParams{limits.low, limits.high}, ":cut"), dtype));
}

void quantize_linear(OpCall& c) {
  const Tensor x = c.in_f32(0);
  if (!x) return;
  if (c.attr_int("block_size", 0) != 0) return c.refuse("its scales are in blocks");
  const int axis = x->rank() == 0 ? 0 : c.sizes(1).rank() == 0 ? 0 : c.axis(c.attr_int("axis", 1), x->rank());
  DType dtype = c.has(2) ? c.value(2).dtype : DType::U8;
  if (!c.has(2) && c.has_attr("output_dtype") && c.attr_int("output_dtype", 0) != 0) {
    const auto told = ir::to_dtype(static_cast<int32_t>(c.attr_int("output_dtype", 0)));
    if (!told) return c.refuse("it quantises to a type of which there are no tensors");
    dtype = *told;
  }
  const Tensor zero = c.has(2) ? along(c, 2, axis, x->rank(), ":zero") : Tensor();
  quantise(c, c.op(Op::Div, {x, along(c, 1, axis, x->rank(), ":scale")}, ":scaled"), zero, dtype);
}

void dequantize_linear(OpCall& c) {
  const int rank = c.rank(0);
  if (c.attr_int("block_size", 0) != 0) return c.refuse("its scales are in blocks");
  const int axis = rank == 0 || c.rank(1) == 0 ? 0 : c.axis(c.attr_int("axis", 1), rank);
  if (!c.ok()) return;
  const DType dtype = c.value(1).dtype;
  c.out(0, c.cast(dequantised(c, 0, 1, 2, axis, ":x", dtype == DType::F32 ? "" : ":f32"), dtype));
}

// scale = (max(0, max x) - min(0, min x)) / 255, zero = round(-min / scale), both for 8 bits without sign.
void dynamic_quantize_linear(OpCall& c) {
  const Tensor x = c.in_f32(0);
  if (!x) return;
  const ReduceParams all{(1u << x->rank()) - 1, false};
  const Tensor zero = c.scalar(0, DType::F32, ":nil");
  const Tensor high = c.op(Op::Max, {c.op_with(Op::ReduceMax, {x}, all, ":max"), zero}, ":high");
  const Tensor low = c.op(Op::Min, {c.op_with(Op::ReduceMin, {x}, all, ":min"), zero}, ":low");
  const Tensor span = c.op(Op::Sub, {high, low}, ":span");
  const Tensor scale = c.op(Op::Div, {span, c.scalar(255, DType::F32, ":steps")}, ":scale");
  const Tensor start = c.op(Op::Div, {c.op(Op::Neg, {low}, ":neg"), scale}, ":start");
  const Tensor point = c.op(Op::Round, {c.op_with(Op::Clamp, {start}, ClampParams{0, 255}, ":start_cut")}, ":point");
  quantise(c, c.op(Op::Div, {x, scale}, ":scaled"), point, DType::U8);
  c.out(1, scale);
  c.out(2, c.cast(point, DType::U8, ":zero_point"));
}

// A source less its zero point, as f32; a zero point a row stands at `axis`.
Tensor centred(OpCall& c, size_t x, size_t zero, int axis, const std::string& at) {
  const Tensor y = c.in_f32(x);
  if (!y || !c.has(zero)) return y;
  return c.op(Op::Sub, {y, along(c, zero, axis, y->rank(), (at + "_zero").c_str())}, (at + "_centred").c_str());
}

Tensor plain_product(OpCall& c, const Tensor& a, const Tensor& b) {
  if (!a || !b) return {};
  if (a->rank() < 2 || b->rank() < 2) {
    c.refuse("it needs two dimensions");
    return {};
  }
  return c.mul_mat(c.op(Op::Transpose, {b}, ":b_t"), a, {}, 1, ":product");
}

void mat_mul_integer(OpCall& c) {
  const Tensor a = centred(c, 0, 2, std::max(c.rank(0) - 2, 0), ":a"),
               b = centred(c, 1, 3, std::max(c.rank(1) - 1, 0), ":b");
  c.out(0, c.cast(plain_product(c, a, b), DType::I32));
}

void q_linear_mat_mul(OpCall& c) {
  const Tensor a = dequantised(c, 0, 1, 2, std::max(c.rank(0) - 2, 0), ":a", ":a_f32");
  const Tensor b = dequantised(c, 3, 4, 5, std::max(c.rank(3) - 1, 0), ":b", ":b_f32");
  const Tensor y = plain_product(c, a, b);
  if (!y) return;
  const int axis = y->rank() - 2;
  quantise(c, c.op(Op::Div, {y, along(c, 6, axis, y->rank(), ":y_scale")}, ":scaled"),
           along(c, 7, axis, y->rank(), ":y_zero"), c.value(7).dtype);
}

constexpr HandlerEntry kHandlers[] = {
    {"DequantizeLinear", dequantize_linear}, {"DynamicQuantizeLinear", dynamic_quantize_linear},
    {"MatMulInteger", mat_mul_integer},      {"QLinearMatMul", q_linear_mat_mul},
    {"QuantizeLinear", quantize_linear},
};

}  // namespace

std::span<const HandlerEntry> quantised_handlers() { return kHandlers; }

}  // namespace arenascope::models
