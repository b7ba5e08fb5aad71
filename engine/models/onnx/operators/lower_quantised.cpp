// SPDX-License-Identifier: MIT
// ONNX's quantised operators, computed as floating point and rounded: exact while sums stay below 2^24.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"
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
    default: c.refuse(fmt::format("it quantises to {}", arenascope::name(dtype))); return false;
  }
}

// One scale or zero point for `block` neighbours along `axis`, repeated for the `sizes` that they belong to.
Tensor by_blocks(OpCall& c, const Tensor& t, const Dims& sizes, int axis, int64_t block, const std::string& at) {
  bool fits = t->rank() == sizes.rank() && block > 0 && block <= sizes[axis] &&
              t.sizes()[axis] == (sizes[axis] + block - 1) / block;
  for (int d = 0; fits && d < sizes.rank(); ++d) fits = d == axis || t.sizes()[d] == sizes[d];
  if (!fits) {
    c.refuse(fmt::format("its scales {} are not those of blocks of {} in {}", to_string(t.sizes()), block,
                         to_string(sizes)));
    return {};
  }
  if (sizes.rank() >= kMaxDims) {
    c.refuse("it has too many dimensions for scales in blocks");
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

// A scale or zero point as a shape that broadcasts over `sizes`: one, one a place along `axis`, or one a block.
Tensor along(OpCall& c, size_t i, int axis, const Dims& sizes, const char* suffix) {
  const Tensor t = c.in_f32(i);
  if (!t) return t;
  const int64_t block = c.attr_int("block_size", 0);
  if (block == 0 && t->element_count() == 1) return c.reshape(t, {}, suffix);
  if (axis >= sizes.rank()) {
    c.refuse(fmt::format("scales {} along dimension {} of {}", to_string(t.sizes()), axis, to_string(sizes)));
    return {};
  }
  if (block != 0) return by_blocks(c, t, sizes, axis, block, suffix);
  if (t->rank() != 1) {
    c.refuse("its scales are in blocks of no size");
    return {};
  }
  Dims line = Dims::filled(sizes.rank(), 1);
  line[axis] = t.sizes()[0];
  return c.reshape(t, line, suffix);
}

// (x - zero) · scale, the zero point left out where it is.
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

// The axis that scales lie along; one scale for all has none, whatever the node says.
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
    if (!declared) return c.refuse("it quantises to a type of which there are no tensors");
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

// A source less its zero point, as f32; a zero point a row stands at `axis`.
Tensor centred(OpCall& c, size_t x, size_t zero, int axis, const std::string& at) {
  const Tensor y = c.in_f32(x);
  if (!y || !c.has(zero)) return y;
  return c.op(Op::Sub, {y, along(c, zero, axis, y.sizes(), (at + "_zero").c_str())}, (at + "_centred").c_str());
}

Tensor plain_product(OpCall& c, const Tensor& a, const Tensor& b) {
  if (!a || !b) return {};
  if (a->rank() < 2 || b->rank() < 2) {
    c.refuse("it needs two dimensions");
    return {};
  }
  return c.mul_mat(c.op(Op::Transpose, {b}, ":b_t"), a, {}, 1, ":product");
}

// Whether source i is of bytes: of u8 or i8, or of i8 and constant.
bool of_bytes(OpCall& c, size_t i, bool weights) {
  if (!c.ok() || !c.has(i) || c.value(i).small) return false;
  const Value& v = c.value(i);
  return v.dtype == DType::I8 ? !weights || v.kind == Value::Kind::Constant : !weights && v.dtype == DType::U8;
}
// The zero point's numbers, if they are known; one 0 where there is none.
std::optional<std::vector<double>> zeros_of(OpCall& c, size_t i) {
  if (!c.has(i)) return std::vector<double>{0};
  return c.known(i) ? c.floats(i) : std::nullopt;
}
bool has_no_zero(OpCall& c, size_t i) {
  const auto zeros = zeros_of(c, i);
  return zeros && std::all_of(zeros->begin(), zeros->end(), [](double z) { return z == 0; });
}

// What a source's zero point takes from each result: as many times the sum of its weights, -zero · Σ w.
Tensor shift_by_zero(OpCall& c, size_t zero, const Tensor& weight) {
  const uint32_t but_first = (1u << weight->rank()) - 2;
  const Tensor sums =
      c.op_with(Op::ReduceSum, {c.cast(weight, DType::F32, ":w_f32")}, ReduceParams{but_first, false}, ":w_sums");
  const Tensor taken = c.op(Op::Neg, {c.reshape(c.in_f32(zero), {}, ":zero")}, ":minus_zero");
  return c.op(Op::Mul, {sums, taken}, ":shift");
}

// A product with constant weights of 8 bits as a convolution of one tap over the rows. Undefined: it is none.
Tensor byte_product(OpCall& c) {
  if (!of_bytes(c, 0, false) || !of_bytes(c, 1, true) || !has_no_zero(c, 3) || c.rank(0) < 2 || c.rank(1) != 2)
    return {};
  if (c.has(2) && element_count(c.sizes(2)) != 1) return {};
  const Tensor a = c.in(0), b = c.in(1);
  if (!a || !b) return {};
  const int64_t depth = b.sizes()[0], columns = b.sizes()[1];
  if (depth == 0 || columns == 0 || a->element_count() == 0 || a.sizes().back() != depth) return {};
  const Tensor rows = c.reshape(a, {1, a->element_count() / depth, 1, depth}, ":rows");
  const int to_front[] = {0, 3, 1, 2}, to_back[] = {0, 2, 3, 1}, exchanged[] = {1, 0, 2, 3};
  const Tensor columns_of_b = c.permute(c.reshape(b, {depth, columns, 1, 1}, ":b_4d"), exchanged, ":b_t");
  const Tensor weight = c.op(Op::Cont, {columns_of_b}, ":w"), x = c.permute(rows, to_front, ":x");
  const ConvParams p{2, {1, 1}, {1, 1}, {}, {}, {}, 1};
  const Tensor y = c.has(2) ? c.op_with(Op::Conv, {x, weight, shift_by_zero(c, 2, weight)}, p, ":product")
                            : c.op_with(Op::Conv, {x, weight}, p, ":product");
  Dims sizes = a.sizes();
  sizes[sizes.rank() - 1] = columns;
  return c.reshape(c.op(Op::Cont, {c.permute(y, to_back, ":y")}, ":y_rows"), sizes, ":f32");
}

void mat_mul_integer(OpCall& c) {
  if (const Tensor y = byte_product(c)) return c.out(0, c.cast(y, DType::I32));
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
  quantise(c, c.op(Op::Div, {y, along(c, 6, axis, y.sizes(), ":y_scale")}, ":scaled"),
           along(c, 7, axis, y.sizes(), ":y_zero"), c.value(7).dtype);
}

// The products of whole numbers, as f32.
Tensor whole_convolution(OpCall& c, const Tensor& x, const Tensor& w, const Tensor& bias, const char* suffix) {
  ConvParams p{};
  if (!x || !w || !read_convolution(c, x.sizes(), w.sizes(), p)) return {};
  return bias ? c.op_with(Op::Conv, {x, w, bias}, p, suffix) : c.op_with(Op::Conv, {x, w}, p, suffix);
}

// Where x and w are of 8 bits and the weights have no zero point, the products are of these very bytes: the source padded
// with its zero point, which then is a bias. Undefined: they are not.
Tensor byte_convolution(OpCall& c, size_t x, size_t x_zero, size_t w, size_t w_zero, const Tensor& bias) {
  if (!of_bytes(c, x, false) || !of_bytes(c, w, true) || !has_no_zero(c, w_zero)) return {};
  const auto zeros = zeros_of(c, x_zero);
  ConvParams p{};
  Tensor source = c.in(x);
  const Tensor weight = c.in(w);
  if (!zeros || zeros->size() != 1 || !source || !weight || !read_convolution(c, source.sizes(), weight.sizes(), p))
    return {};
  Tensor shift = bias;
  if (const double zero = zeros->front(); zero != 0) {
    PadParams pad{};
    pad.mode = PadMode::Constant, pad.value = static_cast<float>(zero);
    bool pads = false;
    for (int i = 0; i < p.spatial; ++i) {
      pads = pads || p.pads_begin[i] != 0 || p.pads_end[i] != 0;
      pad.begin[i + 2] = std::exchange(p.pads_begin[i], 0), pad.end[i + 2] = std::exchange(p.pads_end[i], 0);
    }
    if (pads) source = c.op_with(Op::Pad, {source}, pad, ":padded");
    shift = shift_by_zero(c, x_zero, weight);
    if (bias) shift = c.op(Op::Add, {shift, bias}, ":bias");
  }
  return shift ? c.op_with(Op::Conv, {source, weight, shift}, p, ":product")
               : c.op_with(Op::Conv, {source, weight}, p, ":product");
}

void conv_integer(OpCall& c) {
  if (const Tensor y = byte_convolution(c, 0, 2, 1, 3, {})) return c.out(0, c.cast(y, DType::I32));
  const Tensor x = centred(c, 0, 2, 0, ":x"), w = centred(c, 1, 3, 0, ":w");
  c.out(0, c.cast(whole_convolution(c, x, w, {}, ":product"), DType::I32));
}

// round(conv(x - zero, w - zero) · (x scale · w scale / y scale)) + y zero.
void q_linear_conv(OpCall& c) {
  const Tensor bias = c.has(8) ? c.in_f32(8) : Tensor();
  Tensor y = byte_convolution(c, 0, 2, 3, 5, bias);
  if (!y) {
    const Tensor x = centred(c, 0, 2, 0, ":x"), w = centred(c, 3, 5, 0, ":w");
    y = whole_convolution(c, x, w, bias, ":product");
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
