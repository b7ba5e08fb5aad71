// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/ml_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace arenascope::models {

Tensor ml_source(OpCall& c, size_t i, const char* suffix) {
  const Tensor x = c.in(i);
  return x && x.dtype() != DType::F64 ? c.cast(x, DType::F32, suffix) : x;
}

Tensor learned_rows(OpCall& c, size_t i) {
  const Tensor x = ml_source(c, i, ":numbers");
  if (!x) return {};
  if (x->rank() == 1) return c.reshape(x, {1, x->element_count()}, ":row");
  if (x->rank() == 2) return x;
  c.fail(fmt::format("the input {} must have 1 or 2 dimensions", to_string(x.sizes())));
  return {};
}

Tensor ml_table(OpCall& c, DType dtype, const Dims& sizes, const std::vector<double>& values,
                const std::string& suffix) {
  HostArray out = HostArray::make(dtype, sizes);
  for (size_t i = 0; i < values.size(); ++i) out.set(static_cast<int64_t>(i), values[i]);
  return c.constant(std::move(out), suffix.c_str());
}

Tensor ml_table(OpCall& c, const Dims& sizes, std::vector<int64_t> values, const std::string& suffix) {
  HostArray out = HostArray::of(std::move(values));
  out.sizes = sizes;
  return c.constant(std::move(out), suffix.c_str());
}

std::vector<double> attr_floats(OpCall& c, const char* name) {
  const auto* a = c.attr(name);
  return a ? std::vector<double>(a->floats.begin(), a->floats.end()) : std::vector<double>();
}

std::vector<double> attr_tensor(OpCall& c, const char* name) {
  std::vector<double> out;
  const auto* a = c.attr(name);
  if (!a || !a->tensor) return out;
  const ir::TensorData& t = *a->tensor;
  if (!t.dtype) {
    c.fail(fmt::format("its '{}' must be a tensor of numbers", name));
    return out;
  }
  const HostArray array = HostArray::from_bytes(*t.dtype, t.sizes, t.bytes().data());
  for (int64_t i = 0; i < array.count(); ++i) out.push_back(array.number(i));
  return out;
}

PostTransform read_post_transform(OpCall& c) {
  const std::string name = c.attr_string("post_transform", "NONE");
  if (name == "SOFTMAX") return PostTransform::Softmax;
  if (name == "LOGISTIC") return PostTransform::Logistic;
  if (name == "SOFTMAX_ZERO") return PostTransform::SoftmaxZero;
  if (name == "PROBIT") return PostTransform::Probit;
  if (name != "NONE") c.fail(fmt::format("the post_transform '{}' is not supported", name));
  return PostTransform::None;
}

namespace {

// Scores that are 0 take no part.
Tensor softmax_of_nonzero(OpCall& c, const Tensor& x, const std::string& at) {
  const auto op = [&](Op kind, std::initializer_list<Tensor> sources, const char* what) {
    return c.op(kind, sources, (at + what).c_str());
  };
  const ReduceParams over{1u << 1, true};
  const Tensor most = c.op_with(Op::ReduceMax, {x}, over, (at + "_most").c_str());
  const Tensor raised = op(Op::Exp, {op(Op::Sub, {x, most}, "_less")}, "_raised");
  const Tensor least = c.scalar(1e-7, x.dtype(), (at + "_least").c_str());
  const Tensor counts = op(Op::Greater, {op(Op::Abs, {x}, "_abs"), least}, "_counts");
  const Tensor none = op(Op::Sub, {x, x}, "_none");
  const Tensor sum =
      c.op_with(Op::ReduceSum, {op(Op::Where, {counts, raised, none}, "_counted")}, over, (at + "_sum").c_str());
  const Tensor small = op(Op::Mul, {x, op(Op::Exp, {op(Op::Neg, {most}, "_fewest")}, "_scale")}, "_small");
  return op(Op::Div, {op(Op::Where, {counts, raised, small}, "_parts"), sum}, "");
}

// √2 · erf⁻¹(2x - 1), the inverse as Winitzki approximates it (2008), with his 0.147.
Tensor probit(OpCall& c, const Tensor& x, const std::string& at) {
  const auto op = [&](Op kind, std::initializer_list<Tensor> sources, const char* what) {
    return c.op(kind, sources, (at + what).c_str());
  };
  const auto scaled = [&](const Tensor& y, float scale, float bias, const char* what) {
    return c.op_with(Op::Scale, {y}, ScaleParams{scale, bias}, (at + what).c_str());
  };
  const Tensor y = scaled(x, 2, -1, "_turned");
  const Tensor log =
      op(Op::Log, {op(Op::Mul, {scaled(y, -1, 1, "_below"), scaled(y, 1, 1, "_above")}, "_both")}, "_log");
  const Tensor v = scaled(log, 0.5f, 2 / (3.14159f * 0.147f), "_v");
  const Tensor inner = op(Op::Sub, {op(Op::Mul, {v, v}, "_v2"), scaled(log, 1 / 0.147f, 0, "_part")}, "_inner");
  const Tensor root = op(Op::Sqrt, {op(Op::Sub, {op(Op::Sqrt, {inner}, "_outer"), v}, "_rest")}, "_root");
  const Tensor zero = c.scalar(0, x.dtype(), (at + "_zero").c_str());
  const Tensor signed_root =
      op(Op::Where, {op(Op::Less, {y, zero}, "_negative"), op(Op::Neg, {root}, "_minus"), root}, "_signed");
  return scaled(signed_root, 1.41421356f, 0, "");
}

}  // namespace

Tensor post_transformed(OpCall& c, const Tensor& scores, PostTransform how, const std::string& suffix) {
  if (!scores) return {};
  switch (how) {
    case PostTransform::Softmax: return c.op_with(Op::SoftMax, {scores}, SoftMaxParams{1, 1}, suffix.c_str());
    case PostTransform::Logistic: return c.op(Op::Sigmoid, {scores}, suffix.c_str());
    case PostTransform::SoftmaxZero: return softmax_of_nonzero(c, scores, suffix);
    case PostTransform::Probit: return probit(c, scores, suffix);
    case PostTransform::None: break;
  }
  return scores;
}

ClassLabels read_labels(OpCall& c, const char* ints, const char* strings) {
  ClassLabels labels;
  if (const auto* a = c.attr(strings); a && !a->strings.empty()) {
    labels.strings = std::make_shared<const std::vector<std::string>>(a->strings);
    labels.numbers.resize(a->strings.size());
    std::iota(labels.numbers.begin(), labels.numbers.end(), int64_t{0});
  } else {
    labels.numbers = c.attr_ints(ints);
  }
  if (labels.numbers.empty()) c.fail("it has no labels");
  return labels;
}

void out_labels(OpCall& c, const ClassLabels& labels, const Tensor& index) {
  const auto count = static_cast<int64_t>(labels.size());
  if (!index) return;
  c.out(0, c.op_with(Op::Gather, {ml_table(c, {count}, labels.numbers, ":labels"), index}, AxisParams{0}, ":label"));
  if (labels.strings) c.set_string_table(0, labels.strings);
}

void out_labels_by(OpCall& c, const ClassLabels& labels, const Tensor& positive) {
  out_labels(c, labels, c.cast(positive, DType::I64, ":which"));
}

}  // namespace arenascope::models
