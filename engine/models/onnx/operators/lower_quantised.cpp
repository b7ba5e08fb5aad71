// SPDX-License-Identifier: MIT
// ONNX's quantised operators, computed as floating point and rounded: exact while sums stay below 2^24.
#include <fmt/format.h>
#include "engine/models/onnx/operators/int8_weights.h"
#include "engine/models/onnx/small_types.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace arenascope::models {
namespace {

struct Limits {
  double low, high;
};

bool limits_of(OpCall& c, DType dtype, int32_t small, Limits& limits) {
  if (const ir::SmallType* type = ir::small_type(small)) {
    limits = {type->low(), type->high()};
    return true;
  }
  switch (dtype) {
    case DType::I8: limits = {-128, 127}; return true;
    case DType::U8: limits = {0, 255}; return true;
    case DType::I16: limits = {-32768, 32767}; return true;
    case DType::U16: limits = {0, 65535}; return true;
    default: c.fail(fmt::format("quantisation to {} is not supported", arenascope::name(dtype))); return false;
  }
}

// Scales or zero points per block of `block` neighbours along `axis`, repeated to `sizes`.
Tensor by_blocks(OpCall& c, const Tensor& t, const Dims& sizes, int axis, int64_t block, const std::string& at) {
  bool fits = t->rank() == sizes.rank() && block > 0 && block <= sizes[axis] &&
              t.sizes()[axis] == (sizes[axis] + block - 1) / block;
  for (int d = 0; fits && d < sizes.rank(); ++d) fits = d == axis || t.sizes()[d] == sizes[d];
  if (!fits) {
    c.fail(fmt::format("its scales {} do not match blocks of {} in {}", to_string(t.sizes()), block, to_string(sizes)));
    return {};
  }
  if (sizes.rank() >= kMaxDims) {
    c.fail(fmt::format("scales per block support at most {} dimensions: found {}", kMaxDims - 1, sizes.rank()));
    return {};
  }
  Dims each, all, joined = t.sizes();
  for (int d = 0; d < sizes.rank(); ++d) {
    each.push_back(t.sizes()[d]), all.push_back(t.sizes()[d]);
    if (d == axis) each.push_back(1), all.push_back(block);
  }
  joined[axis] *= block;
  const Tensor repeated = c.expand(c.reshape(t, each, (at + "_each").c_str()), all, (at + "_repeated").c_str());
  const Tensor whole = c.reshape(repeated, joined, (at + "_whole").c_str());
  return joined[axis] == sizes[axis] ? whole : c.slice(whole, axis, 0, sizes[axis], 1, at.c_str());
}

// A scale or zero point in a shape that broadcasts over `sizes`: one, one per index along `axis`, or one per block.
Tensor along(OpCall& c, size_t i, int axis, const Dims& sizes, const char* suffix) {
  const Tensor t = c.in_f32(i);
  if (!t) return t;
  const int64_t block = c.attr_int("block_size", 0);
  if (block == 0 && t->element_count() == 1) return c.reshape(t, {}, suffix);
  if (axis >= sizes.rank()) {
    c.fail(fmt::format("the scales {} do not match axis {} of {}", to_string(t.sizes()), axis, to_string(sizes)));
    return {};
  }
  if (block != 0) return by_blocks(c, t, sizes, axis, block, suffix);
  if (t->rank() != 1) {
    c.fail("its scales are in blocks of no size");
    return {};
  }
  Dims line = Dims::filled(sizes.rank(), 1);
  line[axis] = t.sizes()[0];
  return c.reshape(t, line, suffix);
}

// (x - zero) · scale; an omitted zero point is 0.
Tensor dequantised(OpCall& c, size_t x, size_t scale, size_t zero, int axis, const std::string& at, const char* last) {
  Tensor y = c.in_f32(x);
  if (!y) return {};
  if (c.has(zero))
    y = c.op(Op::Sub, {y, along(c, zero, axis, y.sizes(), (at + "_zero").c_str())}, (at + "_centred").c_str());
  return y ? c.op(Op::Mul, {y, along(c, scale, axis, y.sizes(), (at + "_scale").c_str())}, last) : Tensor();
}

// Rounded, shifted and cut off.
void quantise(OpCall& c, const Tensor& scaled, const Tensor& zero, DType dtype, int32_t small = 0) {
  const ir::SmallType* type = ir::small_type(small);
  if (!scaled) return;
  if (type && type->floating) {
    const Tensor shifted = zero ? c.op(Op::Add, {scaled, zero}, ":shifted") : scaled;
    return c.out_small(0, to_small_type(c, shifted, small, c.attr_int("saturate", 1) != 0, ""), small);
  }
  Limits limits;
  if (!limits_of(c, dtype, small, limits)) return;
  Tensor y = c.op(Op::Round, {scaled}, ":rounded");
  if (zero) y = c.op(Op::Add, {y, zero}, ":shifted");
  if (type) y = c.op_with(Op::Clamp, {y}, ClampParams{limits.low, limits.high}, ":cut");  // else the cast cuts it off
  c.out_small(0, c.cast(y, dtype), small);
}

// The axis of the scales; a single scale has no axis, even if the node has one.
int scale_axis(OpCall& c) {
  if (c.rank(0) == 0 || (element_count(c.sizes(1)) == 1 && c.attr_int("block_size", 0) == 0)) return 0;
  return c.axis(c.attr_int("axis", 1), c.rank(0));
}

void quantize_linear(OpCall& c) {
  const Tensor x = c.in_f32(0);
  if (!x) return;
  const int axis = scale_axis(c);
  DType dtype = c.has(2) ? c.value(2).dtype : DType::U8;
  int32_t small = c.has(2) ? c.value(2).small : 0;
  if (!c.has(2) && c.has_attr("output_dtype") && c.attr_int("output_dtype", 0) != 0) {
    const auto code = c.attr_type("output_dtype", 0);
    const auto declared = ir::stored_dtype(code);
    if (!declared) return c.fail("quantisation to this type is not supported");
    dtype = *declared;
    small = ir::small_type(code) ? code : 0;
  }
  const Tensor zero = c.has(2) ? along(c, 2, axis, x.sizes(), ":zero") : Tensor();
  quantise(c, c.op(Op::Div, {x, along(c, 1, axis, x.sizes(), ":scale")}, ":scaled"), zero, dtype, small);
}

void dequantize_linear(OpCall& c) {
  const int axis = scale_axis(c);
  if (!c.ok()) return;
  const auto declared = ir::to_dtype(c.attr_type("output_dtype", 0));
  const DType dtype = declared.value_or(c.value(1).dtype);
  c.out(0, c.cast(dequantised(c, 0, 1, 2, axis, ":x", dtype == DType::F32 ? "" : ":f32"), dtype));
}

// An input minus its zero point, as f32; a zero point per row is along `axis`.
Tensor centred(OpCall& c, size_t x, size_t zero, int axis, const std::string& at) {
  const Tensor y = c.in_f32(x);
  if (!y || !c.has(zero)) return y;
  return c.op(Op::Sub, {y, along(c, zero, axis, y.sizes(), (at + "_zero").c_str())}, (at + "_centred").c_str());
}

Tensor plain_product(OpCall& c, const Tensor& a, const Tensor& b) {
  if (!a || !b) return {};
  if (a->rank() < 2 || b->rank() < 2) {
    c.fail("it needs two dimensions");
    return {};
  }
  return c.mul_mat(c.op(Op::Transpose, {b}, ":b_t"), a, {}, 1, ":product");
}

// True if input i is u8 or i8.
bool of_bytes(OpCall& c, size_t i) {
  return c.ok() && c.has(i) && !c.value(i).small && (c.value(i).dtype == DType::I8 || c.value(i).dtype == DType::U8);
}

// The correction for the input's zero point: -zero · Σ w for each result.
Tensor shift_by_zero(OpCall& c, size_t zero, const Tensor& weight) {
  const uint32_t but_first = (1u << weight->rank()) - 2;
  const Tensor sums =
      c.op_with(Op::ReduceSum, {c.cast(weight, DType::F32, ":w_f32")}, ReduceParams{but_first, false}, ":w_sums");
  const Tensor taken = c.op(Op::Neg, {c.reshape(c.in_f32(zero), {}, ":zero")}, ":minus_zero");
  return c.op(Op::Mul, {sums, taken}, ":shift");
}

// A matmul of int8 or uint8 x, which has one zero point, with constant 8-bit weights w, as a convolution with one tap over
// the rows: integers as f32. Undefined: the operands are of another form.
Tensor byte_product(OpCall& c, size_t x, size_t x_zero, size_t w, size_t w_zero) {
  if (!of_bytes(c, x) || c.rank(x) < 2 || (c.has(x_zero) && element_count(c.sizes(x_zero)) != 1)) return {};
  const int64_t depth = c.sizes(x).back();
  if (c.rank(w) != 2 || c.sizes(w)[0] != depth || element_count(c.sizes(x)) == 0) return {};
  const auto weights = int8_weights(c, w, w_zero);
  const Tensor a = weights ? c.in(x) : Tensor();
  if (!a) return {};
  const Tensor rows = c.reshape(a, {1, a->element_count() / depth, 1, depth}, ":rows");
  const int to_front[] = {0, 3, 1, 2}, to_back[] = {0, 2, 3, 1};
  const ConvParams p{2, {1, 1}, {1, 1}, {}, {}, {}, 1};
  const Tensor front = c.permute(rows, to_front, ":x");
  Tensor y = c.has(x_zero)
                 ? c.op_with(Op::Conv, {front, weights->rows, shift_by_zero(c, x_zero, weights->rows)}, p, ":product")
                 : c.op_with(Op::Conv, {front, weights->rows}, p, ":product");
  y = less_zeros(c, y, *weights);
  Dims sizes = a.sizes();
  sizes[sizes.rank() - 1] = weights->columns;
  return y ? c.reshape(c.op(Op::Cont, {c.permute(y, to_back, ":y")}, ":y_rows"), sizes, ":f32") : Tensor();
}

void mat_mul_integer(OpCall& c) {
  if (const Tensor y = byte_product(c, 0, 2, 1, 3)) return c.out(0, c.cast(y, DType::I32));
  if (!c.ok()) return;
  const Tensor a = centred(c, 0, 2, std::max(c.rank(0) - 2, 0), ":a"),
               b = centred(c, 1, 3, std::max(c.rank(1) - 1, 0), ":b");
  c.out(0, c.cast(plain_product(c, a, b), DType::I32));
}

void q_linear_mat_mul(OpCall& c) {
  Tensor y = byte_product(c, 0, 2, 3, 5);
  if (y) {
    const Tensor both = c.op(Op::Mul,
                             {along(c, 1, std::max(y->rank() - 2, 0), y.sizes(), ":a_scale"),
                              along(c, 4, y->rank() - 1, y.sizes(), ":b_scale")},
                             ":scales");
    y = c.op(Op::Mul, {y, both}, ":product_f32");
  } else if (c.ok()) {
    const Tensor a = dequantised(c, 0, 1, 2, std::max(c.rank(0) - 2, 0), ":a", ":a_f32");
    const Tensor b = dequantised(c, 3, 4, 5, std::max(c.rank(3) - 1, 0), ":b", ":b_f32");
    y = plain_product(c, a, b);
  }
  if (!y) return;
  const int axis = y->rank() - 2;
  quantise(c, c.op(Op::Div, {y, along(c, 6, axis, y.sizes(), ":y_scale")}, ":scaled"),
           along(c, 7, axis, y.sizes(), ":y_zero"), c.value(7).dtype);
}

// A convolution of integers, as f32.
Tensor integer_convolution(OpCall& c, const Tensor& x, const Tensor& w, const Tensor& bias, const char* suffix) {
  ConvParams p{};
  if (!x || !w || !read_convolution(c, x.sizes(), w.sizes(), p)) return {};
  return bias ? c.op_with(Op::Conv, {x, w, bias}, p, suffix) : c.op_with(Op::Conv, {x, w}, p, suffix);
}

// `x` within as much of its zero point as the convolution would put zeros around it.
Tensor padded_by_zero_point(OpCall& c, Tensor x, size_t zero, ConvParams& p) {
  const auto known = known_zero_points(c, zero);
  PadParams pad{};
  bool pads = false;
  for (int i = 0; i < p.spatial; ++i) {
    pads = pads || p.pads_begin[i] != 0 || p.pads_end[i] != 0;
    pad.begin[i + 2] = std::exchange(p.pads_begin[i], 0), pad.end[i + 2] = std::exchange(p.pads_end[i], 0);
  }
  if (!pads) return x;
  if (known) {
    pad.mode = PadMode::Constant, pad.value = static_cast<float>(known->front());
    return c.op_with(Op::Pad, {x}, pad, ":padded");
  }
  const Tensor one = c.reshape(c.in(zero), Dims::filled(x->rank(), 1), ":zero_point");
  for (int i = 0; i < p.spatial && x && one; ++i) {
    std::vector<Tensor> parts;
    const auto border = [&](int32_t size, const char* what) {
      Dims sizes = x.sizes();
      sizes[i + 2] = size;
      if (size > 0) parts.push_back(c.expand(one, sizes, fmt::format(":{}_{}", what, i).c_str()));
    };
    border(static_cast<int32_t>(pad.begin[i + 2]), "before");
    parts.push_back(x);
    border(static_cast<int32_t>(pad.end[i + 2]), "after");
    if (parts.size() > 1)
      x = c.op_list(Op::Concat, std::span<const Tensor>(parts), AxisParams{i + 2},
                    fmt::format(":padded_{}", i).c_str());
  }
  return x;
}

// An int8 convolution of 8-bit x and w. The input is padded with its zero point, whose contribution is added as a bias.
// Undefined if x or w is not 8-bit.
Tensor byte_convolution(OpCall& c, size_t x, size_t x_zero, size_t w, size_t w_zero, const Tensor& bias) {
  if (!of_bytes(c, x) || (c.has(x_zero) && element_count(c.sizes(x_zero)) != 1)) return {};
  ConvParams p{};
  if (c.rank(x) != c.rank(w) || !read_convolution(c, c.sizes(x), c.sizes(w), p)) return {};
  const auto weights = int8_filters(c, w, w_zero, p.groups);
  Tensor source = weights ? c.in(x) : Tensor();
  if (!source) return {};
  Tensor shift;
  if (const auto zeros = known_zero_points(c, x_zero); !zeros || zeros->front() != 0) {
    source = padded_by_zero_point(c, source, x_zero, p);
    shift = shift_by_zero(c, x_zero, weights->rows);
  }
  const bool apart = bias && weights->rest;  // the bias is added after the zero-point correction
  if (bias && !apart) shift = shift ? c.op(Op::Add, {shift, bias}, ":bias") : bias;
  const Tensor y = shift ? c.op_with(Op::Conv, {source, weights->rows, shift}, p, ":product")
                         : c.op_with(Op::Conv, {source, weights->rows}, p, ":product");
  const Tensor product = less_zeros(c, y, *weights);
  if (!apart || !product) return product;
  Dims line = Dims::filled(product->rank(), 1);
  line[1] = weights->columns;
  return c.op(Op::Add, {product, c.reshape(bias, line, ":bias_line")}, ":with_bias");
}

void conv_integer(OpCall& c) {
  if (const Tensor y = byte_convolution(c, 0, 2, 1, 3, {})) return c.out(0, c.cast(y, DType::I32));
  if (!c.ok()) return;
  const Tensor x = centred(c, 0, 2, 0, ":x"), w = centred(c, 1, 3, 0, ":w");
  c.out(0, c.cast(integer_convolution(c, x, w, {}, ":product"), DType::I32));
}

// round(conv(x - zero, w - zero) · (x scale · w scale / y scale)) + y zero.
void q_linear_conv(OpCall& c) {
  const Tensor bias = c.has(8) ? c.in_f32(8) : Tensor();
  Tensor y = byte_convolution(c, 0, 2, 3, 5, bias);
  if (!y && c.ok()) {
    const Tensor x = centred(c, 0, 2, 0, ":x"), w = centred(c, 3, 5, 0, ":w");
    y = integer_convolution(c, x, w, bias, ":product");
  }
  if (!y) return;
  const Tensor both =
      c.op(Op::Mul, {along(c, 1, 1, y.sizes(), ":x_scale"), along(c, 4, 1, y.sizes(), ":w_scale")}, ":scales");
  const Tensor factor = c.op(Op::Div, {both, along(c, 6, 1, y.sizes(), ":y_scale")}, ":factor");
  quantise(c, c.op(Op::Mul, {y, factor}, ":scaled"), along(c, 7, 1, y.sizes(), ":y_zero"), c.value(7).dtype);
}

constexpr HandlerEntry kQuantisedHandlers[] = {
    {"ConvInteger", conv_integer},      {"QLinearConv", q_linear_conv},      {"DequantizeLinear", dequantize_linear},
    {"MatMulInteger", mat_mul_integer}, {"QLinearMatMul", q_linear_mat_mul}, {"QuantizeLinear", quantize_linear},
};

}  // namespace

std::span<const HandlerEntry> quantised_handlers() { return kQuantisedHandlers; }

}  // namespace arenascope::models
