// SPDX-License-Identifier: MIT
// Symbolic shapes of elementwise ops, matmuls, reductions and windows.
#include "engine/models/onnx/symbolic_call.h"

#include <algorithm>

namespace arenascope::models::symbolic {
namespace {

// Names with a space on both sides.
constexpr std::string_view kSameShapeOps =
    " Abs BatchNormalization BiasGelu BitwiseNot Cast CastLike Ceil Celu Clip Cos CumSum DequantizeLinear"
    " Dropout DynamicQuantizeLinear Elu Erf Exp FastGelu Floor Gelu GroupNormalization HardSigmoid"
    " HardSwish Identity InstanceNormalization IsInf IsNaN LayerNormalization LeakyRelu Log LogSoftmax"
    " LpNormalization Mish Neg Not QuantizeLinear QuickGelu RMSNormalization Reciprocal Relu"
    " RotaryEmbedding Round ScatterElements ScatterND Selu Sigmoid Sign SimplifiedLayerNormalization Sin"
    " Softmax Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu Trilu"
    " ";
constexpr std::string_view kElementwiseOps =
    " Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean"
    " Min Mod Mul Or PRelu Pow Sub Sum Where Xor"
    " ";

bool lists(std::string_view names, const std::string& op) { return names.find(" " + op + " ") != names.npos; }

SymbolicSize combined(SymbolicCall& c, const LinearSize& a, const LinearSize& b) {
  if (c.node().op == "Add") return a.plus(b);
  if (c.node().op == "Sub") return a.minus(b);
  if (c.node().op == "Mul") return a.times(b);
  if (c.node().op == "Div" && b == LinearSize::number(1)) return a;
  if (c.node().op == "Div" && a.is_number() && b.is_number() && b.constant > 0 && a.constant >= 0)
    return number(a.constant / b.constant);
  if (c.node().op != "Equal") return std::nullopt;
  if (a == b) return number(1);
  // a size is never negative
  if ((a.is_number() || b.is_number()) && (a.is_number() == b.is_number() || std::min(a.constant, b.constant) < 0))
    return number(0);
  return std::nullopt;
}

// Elements of small integer tensors of which one may be a scalar.
std::optional<SymbolicSizes> elementwise_numbers(SymbolicCall& c) {
  const bool choice = c.node().op == "Where";
  if (c.node().inputs.size() < (choice ? 3 : 1)) return std::nullopt;
  size_t count = 1;
  for (size_t i = 0; i < c.node().inputs.size(); ++i) {
    if (!c.numbers(i)) return std::nullopt;
    count = std::max(count, c.numbers(i)->size());
  }
  SymbolicSizes out(count);
  for (size_t e = 0; e < count; ++e) {
    const auto element = [&](size_t i) -> SymbolicSize {
      const SymbolicSizes& from = *c.numbers(i);
      return from.size() == count ? from[e] : from.size() == 1 ? from[0] : std::nullopt;
    };
    const SymbolicSize a = element(0), b = c.node().inputs.size() > 1 ? element(1) : std::nullopt;
    if (choice && a && a->is_number())
      out[e] = a->constant != 0 ? b : element(2);
    else if (!choice && a && b)
      out[e] = combined(c, *a, *b);
  }
  return out;
}

void same_shape(SymbolicCall& c) {
  if (const SymbolicTensor* x = c.in(0)) {
    SymbolicTensor y = *x;
    if (c.node().op != "Cast" && c.node().op != "Identity") y.numbers.reset();
    c.out(0, std::move(y));
  }
}

void elementwise(SymbolicCall& c) {
  SymbolicTensor y;
  y.numbers = elementwise_numbers(c);
  for (size_t i = 0; i < c.node().inputs.size(); ++i) {
    const SymbolicSizes* x = c.shape(i);
    if (!x) return c.out(0, {std::nullopt, std::move(y.numbers)});
    y.shape = i == 0 ? *x : c.broadcast_sizes(*y.shape, *x);
  }
  c.out(0, std::move(y));
}

void matmul(SymbolicCall& c) {
  const SymbolicSizes *a = c.shape(0), *b = c.shape(1);
  if (!a || !b || a->size() < 2 || b->size() < 2) return;
  if (c.integer("transBatchA", 0) != 0 || c.integer("transBatchB", 0) != 0) return;
  const bool transposes_a = c.integer("transA", 0) != 0, transposes_b = c.integer("transB", 0) != 0;
  const auto at = [](const SymbolicSizes& s, size_t back) { return s[s.size() - 1 - back]; };
  c.require(at(*a, transposes_a ? 1 : 0), at(*b, transposes_b ? 0 : 1));
  SymbolicSizes y = c.broadcast_sizes({a->begin(), a->end() - 2}, {b->begin(), b->end() - 2});
  y.push_back(at(*a, transposes_a ? 0 : 1));
  y.push_back(at(*b, transposes_b ? 1 : 0));
  c.out(0, shaped(std::move(y)));
}

void matmul_nbits(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  if (!x || x->empty()) return;
  SymbolicSizes y = *x;
  y.back() = number(c.integer("N", 0));
  c.out(0, shaped(std::move(y)));
}

void reduce(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  const bool single = c.node().op == "ArgMax" || c.node().op == "ArgMin";
  auto axes = single ? std::optional(std::vector{c.integer("axis", 0)}) : c.integers(1, "axes");
  if (!x || (!axes && c.has(1))) return;
  std::vector<bool> reduced(x->size(), !axes || axes->empty());
  for (const int64_t a : axes.value_or(std::vector<int64_t>())) {
    const auto at = c.axis(a, x->size());
    if (!at) return;
    reduced[*at] = true;
  }
  SymbolicSizes y;
  for (size_t i = 0; i < x->size(); ++i)
    if (!reduced[i])
      y.push_back((*x)[i]);
    else if (c.integer("keepdims", 1) != 0)
      y.push_back(number(1));
  c.out(0, shaped(std::move(y)));
}

// Convolutions and pools keep the batch; their windows are not linear in the size.
void windows(SymbolicCall& c) {
  const SymbolicSizes *x = c.shape(0), *weight = c.shape(1);
  if (!x || x->size() < 2) return;
  SymbolicSizes y(x->size());
  y[0] = (*x)[0];
  if (c.node().op != "Conv") y[1] = (*x)[1];
  if (c.node().op == "Conv" && weight && !weight->empty()) y[1] = (*weight)[0];
  c.out(0, shaped(std::move(y)));
}

constexpr Rule kArithmeticRules[] = {
    {"ArgMax", reduce},
    {"ArgMin", reduce},
    {"ReduceL2", reduce},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceSum", reduce},
    {"FusedMatMul", matmul},
    {"Gemm", matmul},
    {"MatMul", matmul},
    {"MatMulInteger", matmul},
    {"MatMulNBits", matmul_nbits},
    {"AveragePool", windows},
    {"Conv", windows},
    {"GlobalAveragePool", windows},
    {"MaxPool", windows},
};

}  // namespace

std::span<const Rule> arithmetic_rules() { return kArithmeticRules; }

void (*unlisted_rule(const std::string& op))(SymbolicCall& c) {
  return lists(kElementwiseOps, op) ? elementwise : lists(kSameShapeOps, op) ? same_shape : nullptr;
}

}  // namespace arenascope::models::symbolic
