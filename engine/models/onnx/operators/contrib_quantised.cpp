// SPDX-License-Identifier: MIT
// ONNX Runtime's own quantised operators: dequantised, computed in floating point, and quantised again.
#include <fmt/format.h>
#include "engine/models/onnx/operators/blockwise_weights.h"
#include "engine/models/onnx/operators/decompose.h"
#include "engine/models/onnx/operators/recurrent_cell.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace arenascope::models {
namespace {

// (x - zero) · scale of three inputs that follow each other, or of any three.
Tensor opened(OpCall& c, size_t x, size_t scale, size_t zero, const char* suffix) {
  if (c.has(scale) && element_count(c.sizes(scale)) != 1)
    c.fail(fmt::format("its scale has the shape {}: expected one element", to_string(c.sizes(scale))));
  return lower_part(c, {"DequantizeLinear", {source_of(c, x), source_of(c, scale), source_of(c, zero)}, {}, suffix});
}

// Result 0 as input 0's type, or that of the zero point.
void closed(OpCall& c, const Tensor& y, size_t scale, size_t zero, DType type) {
  if (!y) return;
  PartAttributes attributes;
  constexpr int64_t kU8 = 2, kI8 = 3;
  if (!c.has(zero)) attributes["output_dtype"] = int_attribute(type == DType::I8 ? kI8 : kU8);
  c.out(0, lower_part(c, {"QuantizeLinear", {as_source(c, y), source_of(c, scale), source_of(c, zero)}, attributes}));
}

template <Op kOp>
void q_binary(OpCall& c) {
  const Tensor a = opened(c, 0, 1, 2, ":a"), b = opened(c, 3, 4, 5, ":b");
  closed(c, c.op(kOp, {a, b}, ":y"), 6, 7, c.value(0).dtype);
}

// One input through an operator of floats.
void q_unary(OpCall& c, const char* op, PartAttributes attributes, int64_t opset = 23) {
  const Tensor x = opened(c, 0, 1, 2, ":x");
  closed(c, lower_part(c, {op, {as_source(c, x)}, std::move(attributes), ":y", 1, opset}), 3, 4, c.value(0).dtype);
}

void q_softmax(OpCall& c) {
  const int64_t opset = c.attr_int("opset", 13);
  q_unary(c, "Softmax", {{"axis", int_attribute(c.attr_int("axis", opset < 13 ? 1 : -1))}}, opset);
}

void q_reduce_mean(OpCall& c) { q_unary(c, "ReduceMean", c.node().attributes, 13); }

void q_pool(OpCall& c, const char* op) {
  const bool last = c.attr_int("channels_last", 0) != 0;
  Tensor x = opened(c, 0, 1, 2, ":x");
  if (last) x = channels_second(c, x, ":channels_second");
  const Tensor y = lower_part(c, {op, {as_source(c, x)}, attributes_without(c, {"channels_last"}), ":pooled", 1, 11});
  closed(c, last ? channels_last(c, y, ":channels_last") : y, 3, 4, c.value(0).dtype);
}

void q_conv(OpCall& c) {
  const bool last = c.attr_int("channels_last", 0) != 0;
  std::vector<ValuePtr> sources = c.inputs();
  if (last && !sources.empty()) sources[0] = as_source(c, channels_second(c, c.in(0), ":channels_second"));
  const Tensor y =
      lower_part(c, {"QLinearConv", std::move(sources), attributes_without(c, {"channels_last"}), last ? ":conv" : ""});
  c.out(0, last ? channels_last(c, y, "") : y);
}

void q_concat(OpCall& c) {
  if (c.input_count() < 5 || c.input_count() % 3 != 2) return c.fail(fmt::format("it has {} inputs", c.input_count()));
  std::vector<ValuePtr> parts;
  for (size_t i = 2; i < c.input_count(); i += 3)
    parts.push_back(as_source(c, opened(c, i, i + 1, i + 2, fmt::format(":{}", i / 3).c_str())));
  const Tensor y = lower_part(c, {"Concat", std::move(parts), {{"axis", int_attribute(c.attr_int("axis", 0))}}, ":y"});
  closed(c, y, 0, 1, c.value(2).dtype);
}

void q_where(OpCall& c) {
  const Tensor a = opened(c, 1, 2, 3, ":a"), b = opened(c, 4, 5, 6, ":b");
  closed(c, c.op(Op::Where, {c.in(0), a, b}, ":y"), 7, 8, c.value(1).dtype);
}

// Input i along the last dimension of a matmul: one value, or one per column.
Tensor per_column(OpCall& c, size_t i, const char* suffix) {
  const Tensor t = c.in_f32(i);
  return t && t->element_count() == 1 ? c.reshape(t, {}, suffix) : t;
}

// The integer result of a matmul as f32, times two scales, plus a bias.
Tensor scaled_product(OpCall& c, const Tensor& product, const Tensor& a_scale, const Tensor& b_scale,
                      const Tensor& bias, const char* suffix) {
  const Tensor scales = c.op(Op::Mul, {a_scale, b_scale}, ":scales");
  const Tensor y = c.op(Op::Mul, {c.cast(product, DType::F32, ":product_f32"), scales}, bias ? ":scaled" : suffix);
  return bias ? c.op(Op::Add, {y, bias}, suffix) : y;
}

void mat_mul_integer_to_float(OpCall& c) {
  const Tensor product = lower_part(
      c, {"MatMulInteger", {source_of(c, 0), source_of(c, 1), source_of(c, 4), source_of(c, 5)}, {}, ":product"});
  Tensor a_scale = c.in_f32(2);
  if (a_scale && a_scale->element_count() == 1)
    a_scale = c.reshape(a_scale, {}, ":a_scale");
  else if (a_scale)
    a_scale = c.reshape(a_scale, {a_scale->element_count(), 1}, ":a_scale");  // one a row
  const DType type = c.value(2).dtype;
  const Tensor y = scaled_product(c, product, a_scale, per_column(c, 3, ":b_scale"), c.has(6) ? c.in_f32(6) : Tensor(),
                                  type == DType::F32 ? "" : ":f32");
  c.out(0, c.cast(y, type));
}

// The first factor is quantised by its own smallest and largest number.
void dynamic_quantize_mat_mul(OpCall& c) {
  const auto a = lower_parts(c, {"DynamicQuantizeLinear", {source_of(c, 0)}, {}, ":a", 3});
  if (a.size() != 3) return;
  const Tensor product =
      lower_part(c, {"MatMulInteger", {a[0], source_of(c, 1), a[2], source_of(c, 3)}, {}, ":product"});
  c.out(0,
        scaled_product(c, product, a[1]->tensor, per_column(c, 2, ":b_scale"), c.has(4) ? c.in_f32(4) : Tensor(), ""));
}

// Matmuls of 16-bit integers, exact in f64.
void mat_mul_integer_16(OpCall& c) {
  const auto wide = [&](size_t i, const char* suffix) { return as_source(c, c.cast(c.in(i), DType::F64, suffix)); };
  const Tensor y = lower_part(c, {"MatMul", {wide(0, ":a"), wide(1, ":b")}, {}, ":product"});
  const bool plain = c.value(0).dtype == DType::U16 && c.value(1).dtype == DType::U16;
  c.out(0, c.cast(y, plain ? DType::U32 : DType::I32));
}

// alpha · a_scale · b_scale · (A·B + C), as floats or quantised again.
void q_gemm(OpCall& c) {
  const auto factor = [&](size_t i, const char* attribute, const char* suffix) -> ValuePtr {
    if (c.attr_int(attribute, 0) == 0) return source_of(c, i);
    const auto transposed = lower_parts(c, {"Transpose", {source_of(c, i)}, {}, suffix});
    return transposed.empty() ? nullptr : transposed[0];
  };
  const ValuePtr a = factor(0, "transA", ":a_t"), b = factor(3, "transB", ":b_t");
  if (!a || !b) return c.fail("it lacks a factor");
  Tensor product = lower_part(c, {"MatMulInteger", {a, b, source_of(c, 2), source_of(c, 5)}, {}, ":product"});
  if (c.has(6)) product = c.op(Op::Add, {product, c.in(6)}, ":sum");
  const Tensor a_scale = c.op_with(Op::Scale, {c.reshape(c.in_f32(1), {}, ":a_scale")},
                                   ScaleParams{c.attr_float("alpha", 1), 0}, ":alpha");
  const bool quantised = c.has(8);
  const Tensor y = scaled_product(c, product, a_scale, per_column(c, 4, ":b_scale"), {}, quantised ? ":y" : "");
  if (!quantised) return c.out(0, y);
  closed(c, y, 7, 8, c.value(8).dtype);
}

void mul_integer(OpCall& c) {
  const auto centred = [&](size_t i, size_t zero, const char* suffix) {
    const std::string at = suffix;
    const Tensor x = c.cast(c.in(i), DType::I32, suffix);
    return c.has(zero)
               ? c.op(Op::Sub, {x, c.cast(c.in(zero), DType::I32, (at + "_zero").c_str())}, (at + "_centred").c_str())
               : x;
  };
  c.out(0, c.op(Op::Mul, {centred(0, 1, ":a"), centred(2, 3, ":b")}));
}

void reduce_sum_integer(OpCall& c) {
  const DType type = c.value(0).dtype == DType::U8 ? DType::U32 : DType::I32;
  c.out(0,
        lower_part(c, {"ReduceSum", {as_source(c, c.cast(c.in(0), type, ":wide"))}, c.node().attributes, {}, 1, 11}));
}

// Constant weights [D, I, N] of 8 bits as [D, N, I] of floats, one scale and zero point a direction or a column of each.
struct OpenedWeight {
  WeightSource codes;
  int64_t directions, depth, columns;
  bool is_signed;
  std::vector<double> scales, zeros;

  Status write(std::byte* out) const {
    const auto plain = WeightReader::read(codes, static_cast<size_t>(directions * depth * columns));
    if (!plain) return plain.error();
    const auto part = [&](const std::vector<double>& of, int64_t d, int64_t n) {
      const auto each = static_cast<int64_t>(of.size()) / directions;
      return static_cast<float>(of[static_cast<size_t>(d * each + (each == 1 ? 0 : n))]);
    };
    constexpr int64_t kStrip = 16;  // columns at once, so that bytes read together are used together
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t first = 0; first < columns; first += kStrip)
        for (int64_t k = 0; k < depth; ++k)
          for (int64_t n = first; n < std::min(first + kStrip, columns); ++n) {
            const auto code = plain->data()[(d * depth + k) * columns + n];
            const int number = is_signed ? static_cast<int8_t>(code) : static_cast<uint8_t>(code);
            const float value = (static_cast<float>(number) - part(zeros, d, n)) * part(scales, d, n);
            std::memcpy(out + ((d * columns + n) * depth + k) * 4, &value, 4);
          }
    return {};
  }
};

// The dequantised weight, computed when it is loaded; undefined if it, its scales or zero points are unknown or do not match.
Tensor opened_weight(OpCall& c, size_t i, size_t scale, size_t zero, const std::string& at) {
  const Value& w = c.value(i);
  if (!c.ok() || w.kind != Value::Kind::Constant || w.small || (w.dtype != DType::I8 && w.dtype != DType::U8))
    return {};
  if (w.sizes.rank() != 3 || w.sizes[0] < 1 || !c.known(scale) || (c.has(zero) && !c.known(zero))) return {};
  const Dims s = w.sizes;
  const auto scales = c.floats(scale);
  auto zeros = std::make_optional<std::vector<double>>(static_cast<size_t>(s[0]), 0.0);
  if (c.has(zero)) zeros = c.floats(zero);
  const auto fits = [&](const std::optional<std::vector<double>>& of) {
    const int64_t count = of ? static_cast<int64_t>(of->size()) : 0;
    return count == s[0] || count == s[0] * s[2];
  };
  if (!fits(scales) || !fits(zeros)) return {};
  const OpenedWeight opened{w.source, s[0], s[1], s[2], w.dtype == DType::I8, *scales, *zeros};
  return weight_tensor(c, DType::F32, {s[0], s[2], s[1]},
                       WeightSource([opened](std::byte* out) { return opened.write(out); }), at.c_str());
}

// Weights [D, I, 4·H] of 8 bits, with one scale per direction or per column, as those of a floating-point LSTM.
Tensor lstm_weight(OpCall& c, size_t i, size_t scale, size_t zero, const std::string& at) {
  if (const Tensor opened = opened_weight(c, i, scale, zero, at); opened || !c.ok()) return opened;
  const Tensor w = c.in_f32(i);
  if (!w || w->rank() != 3) {
    c.fail(fmt::format("its weight has the shape {}: expected 3 dimensions", to_string(c.sizes(i))));
    return {};
  }
  const Dims s = w.sizes();
  const auto spread = [&](size_t k, const char* what) -> Tensor {
    const Tensor t = c.in_f32(k);
    if (!t) return {};
    const int64_t each = s[0] > 0 ? t->element_count() / s[0] : 0;
    if (each * s[0] != t->element_count() || (each != 1 && each != s[2])) {
      c.fail(fmt::format("its scales have the shape {}: expected 1 or {} per direction", to_string(t.sizes()), s[2]));
      return {};
    }
    return c.reshape(t, {s[0], 1, each}, (at + what).c_str());
  };
  const Tensor centred = c.has(zero) ? c.op(Op::Sub, {w, spread(zero, "_zero")}, (at + "_centred").c_str()) : w;
  const Tensor scaled = c.op(Op::Mul, {centred, spread(scale, "_scale")}, (at + "_scaled").c_str());
  return scaled ? c.op(Op::Cont, {c.op(Op::Transpose, {scaled}, (at + "_turned").c_str())}, at.c_str()) : Tensor();
}

// A tensor rounded to u8 between its smallest and its largest element, as floats again.
ValuePtr rounded_to_bytes(OpCall& c, const ValuePtr& x) {
  const auto codes = lower_parts(c, {"DynamicQuantizeLinear", {x}, {}, ":x_codes", 3});
  if (codes.size() != 3) return nullptr;
  return as_source(c, lower_part(c, {"DequantizeLinear", {codes[0], codes[1], codes[2]}, {}, ":x_rounded"}));
}

// Both operands of each matmul are of 8 bits: the weights are constants, X is rounded as a whole, and the state before
// each step.
void dynamic_quantize_lstm(OpCall& c) {
  std::vector<ValuePtr> sources;
  for (size_t i = 0; i < 8; ++i) sources.push_back(source_of(c, i));
  sources[0] = rounded_to_bytes(c, source_of(c, 0));
  sources[1] = as_source(c, lstm_weight(c, 1, 8, 9, ":w")), sources[2] = as_source(c, lstm_weight(c, 2, 10, 11, ":r"));
  PartAttributes attributes = c.node().attributes;
  attributes[kQuantisedState] = int_attribute(1);
  const auto made = lower_parts(c, {"LSTM", std::move(sources), std::move(attributes), {}, c.output_count(), 14});
  for (size_t i = 0; i < made.size(); ++i) c.out(i, made[i]);
}

constexpr HandlerEntry kContribQuantised[] = {
    {"com.microsoft::DynamicQuantizeLSTM", dynamic_quantize_lstm},
    {"com.microsoft::DynamicQuantizeMatMul", dynamic_quantize_mat_mul},
    {"com.microsoft::MatMulInteger16", mat_mul_integer_16},
    {"com.microsoft::MatMulIntegerToFloat", mat_mul_integer_to_float},
    {"com.microsoft::MulInteger", mul_integer},
    {"com.microsoft::QGemm", q_gemm},
    {"com.microsoft::QLinearAdd", q_binary<Op::Add>},
    {"com.microsoft::QLinearAveragePool", [](OpCall& c) { q_pool(c, "AveragePool"); }},
    {"com.microsoft::QLinearConcat", q_concat},
    {"com.microsoft::QLinearConv", q_conv},
    {"com.microsoft::QLinearGlobalAveragePool", [](OpCall& c) { q_pool(c, "GlobalAveragePool"); }},
    {"com.microsoft::QLinearLeakyRelu",
     [](OpCall& c) {
       q_unary(c, "LeakyRelu", {{"alpha", float_attribute(c.attr_float("alpha", 0.01f))}});
     }},
    {"com.microsoft::QLinearMul", q_binary<Op::Mul>},
    {"com.microsoft::QLinearReduceMean", q_reduce_mean},
    {"com.microsoft::QLinearSigmoid", [](OpCall& c) { q_unary(c, "Sigmoid", {}); }},
    {"com.microsoft::QLinearSoftmax", q_softmax},
    {"com.microsoft::QLinearWhere", q_where},
    {"com.microsoft::ReduceSumInteger", reduce_sum_integer},
};

}  // namespace

std::span<const HandlerEntry> contrib_quantised_handlers() { return kContribQuantised; }

}  // namespace arenascope::models
