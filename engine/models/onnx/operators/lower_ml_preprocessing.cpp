// SPDX-License-Identifier: MIT
// ONNX's preprocessing operators of classical machine learning: columns, thresholds, scaling, missing values and categories.
// Models are in lower_tree_ensembles.cpp and lower_linear_svm.cpp.
#include <fmt/format.h>
#include "engine/models/onnx/operators/ml_common.h"

#include <cmath>
#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

// Columns of the last dimension; one line becomes a row.
void array_feature_extractor(OpCall& c) {
  const Tensor x = c.in(0), y = c.in(1);
  if (!x || !y || x->rank() < 1) return c.fail("it has no columns");
  const Tensor rows = x->rank() == 1 ? c.reshape(x, {1, x->element_count()}, ":row") : x;
  if (!rows) return;
  const Tensor columns = c.reshape(y, {y->element_count()}, ":columns");
  c.out(0, c.op_with(Op::Gather, {rows, columns}, AxisParams{rows->rank() - 1}));
}

void binarizer(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const auto threshold = static_cast<double>(c.attr_float("threshold", 0));
  c.out(0, c.cast(c.op(Op::Greater, {x, c.scalar(threshold, x.dtype(), ":threshold")}, ":above"), x.dtype()));
}

// One value, or one per entry of the last dimension; undefined, with an error, for another number.
Tensor by_column(OpCall& c, const Tensor& x, const std::vector<double>& values, const char* what) {
  const int64_t columns = x->rank() > 0 ? x.sizes()[x->rank() - 1] : 1;
  const auto count = static_cast<int64_t>(values.size());
  if (count == 1 || count == columns) return ml_table(c, x.dtype(), {count}, values, fmt::format(":{}", what));
  c.fail(fmt::format("found {} values of '{}' for {} columns: expected one, or one per column", count, what, columns));
  return {};
}

// (x - offset) · scale; both are optional.
void scaler(OpCall& c) {
  const Tensor x = ml_source(c, 0, ":numbers");
  if (!x) return;
  const auto offset = attr_floats(c, "offset"), scale = attr_floats(c, "scale");
  Tensor y = offset.empty() ? x : c.op(Op::Sub, {x, by_column(c, x, offset, "offset")}, ":shifted");
  if (y && !scale.empty()) y = c.op(Op::Mul, {y, by_column(c, x, scale, "scale")}, ":scaled");
  if (y) c.out(0, y.dtype() == DType::F32 ? c.op(Op::Copy, {y}) : c.cast(y, DType::F32));
}

// Rows by their largest number, their sum or their length.
void normalizer(OpCall& c) {
  const Tensor x = ml_source(c, 0, ":numbers");
  if (!x) return;
  const std::string norm = c.attr_string("norm", "MAX");
  if (x->rank() < 1 || x->rank() > 2)
    return c.fail(fmt::format("the input {} must have 1 or 2 dimensions", to_string(x.sizes())));
  const ReduceParams rows{1u << (x->rank() - 1), true};
  Tensor size;
  if (norm == "MAX")
    size = c.op_with(Op::ReduceMax, {x}, rows, ":largest");
  else if (norm == "L1")
    size = c.op_with(Op::ReduceSum, {c.op(Op::Abs, {x}, ":abs")}, rows, ":sum");
  else if (norm == "L2")
    size = c.op_with(Op::ReduceL2, {x}, rows, ":length");
  else
    return c.fail(fmt::format("the norm '{}' is not supported", norm));
  const Tensor zero = c.scalar(0, x.dtype(), ":zero"), one = c.scalar(1, x.dtype(), ":one");
  const Tensor there = c.op(Op::Where, {c.op(Op::Equal, {size, zero}, ":empty"), one, size}, ":divisor");
  const Tensor y = c.op(Op::Div, {x, there}, ":divided");
  if (y) c.out(0, y.dtype() == DType::F32 ? c.op(Op::Copy, {y}) : c.cast(y, DType::F32));
}

void imputer(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const bool floating = info(x.dtype()).floating;
  std::vector<double> values = attr_floats(c, "imputed_value_floats");
  if (!floating) {
    const auto whole = c.attr_ints("imputed_value_int64s");
    values.assign(whole.begin(), whole.end());
  }
  const double replaced = floating ? static_cast<double>(c.attr_float("replaced_value_float", 0))
                                   : static_cast<double>(c.attr_int("replaced_value_int64", 0));
  if (values.empty()) return c.fail("it has no values to put in");
  const Tensor fresh = by_column(c, x, values, "imputed");
  if (!fresh) return;
  const Tensor missing = floating && std::isnan(replaced)
                             ? c.op(Op::IsNan, {x}, ":missing")
                             : c.op(Op::Equal, {x, c.scalar(replaced, x.dtype(), ":replaced")}, ":missing");
  c.out(0, c.op(Op::Where, {missing, fresh, x}));
}

// Concatenates the rows of several inputs, each truncated or padded to its declared number of columns.
void feature_vectorizer(OpCall& c) {
  const auto widths = c.attr_ints("inputdimensions");
  if (c.input_count() == 0 || widths.size() != c.input_count())
    return c.fail(fmt::format("found {} inputdimensions for {} inputs", widths.size(), c.input_count()));
  std::vector<Tensor> parts;
  for (size_t i = 0; i < widths.size() && c.ok(); ++i) {
    Tensor x = c.in_f32(i);
    if (!x) return;
    if (const int64_t rows = x->rank() < 2 ? 1 : x.sizes()[0]; x->rank() != 2 && rows > 0)
      x = c.reshape(x, {rows, x->element_count() / rows}, fmt::format(":row_{}", i).c_str());
    if (x->rank() != 2 || widths[i] < 0 || widths[i] > 1 << 24)
      return c.fail(fmt::format("input {} is {}, of {} columns", i, to_string(x.sizes()), widths[i]));
    const int64_t have = x.sizes()[1];
    if (widths[i] < have) x = c.slice(x, 1, 0, widths[i], 1, fmt::format(":cut_{}", i).c_str());
    if (widths[i] > 0) parts.push_back(x);
    if (widths[i] > have)
      parts.push_back(c.expand(c.scalar(0, DType::F32, fmt::format(":zero_{}", i).c_str()),
                               {x.sizes()[0], widths[i] - have}, fmt::format(":fill_{}", i).c_str()));
  }
  if (parts.empty()) return c.fail("it has no columns");
  c.out(0, parts.size() == 1 ? c.op(Op::Copy, {parts[0]})
                             : c.op_list(Op::Concat, std::span<const Tensor>(parts), AxisParams{1}));
}

// Compares x [...] with `keys`: [..., n] as booleans. `nan_too`: NaN equals NaN.
Tensor matches(OpCall& c, const Tensor& x, const std::vector<double>& keys, bool nan_too) {
  const auto count = static_cast<int64_t>(keys.size());
  if (x->rank() >= kMaxDims || x->element_count() > (int64_t{1} << 28) / std::max<int64_t>(count, 1)) {
    c.fail(fmt::format("comparing {} keys with {} is not supported", count, to_string(x.sizes())));
    return {};
  }
  Dims sizes = x.sizes();
  sizes.push_back(1);
  const Tensor column = c.reshape(x, sizes, ":column");
  const Tensor same = c.op(Op::Equal, {column, ml_table(c, x.dtype(), {count}, keys, ":keys")}, ":same");
  std::vector<int64_t> nan;
  for (const double key : keys) nan.push_back(nan_too && std::isnan(key) ? 1 : 0);
  if (std::find(nan.begin(), nan.end(), 1) == nan.end()) return same;
  HostArray array = HostArray::make(DType::Bool, {count});
  array.ints = std::move(nan);
  const Tensor both = c.op(
      Op::And, {c.op(Op::IsNan, {column}, ":missing"), c.constant(std::move(array), ":missing_keys")}, ":missing_key");
  return c.op(Op::Or, {same, both}, ":found");
}

void one_hot_encoder(OpCall& c) {
  Tensor x = c.in(0);
  if (!x) return;
  if (const auto* a = c.attr("cats_strings"); a && !a->strings.empty()) return c.fail("its categories are strings");
  const auto whole = c.attr_ints("cats_int64s");
  if (whole.empty()) return c.fail("it has no categories");
  x = c.cast(x, DType::I64, ":whole");
  const Tensor found = matches(c, x, {whole.begin(), whole.end()}, false);
  if (found) c.out(0, c.cast(found, DType::F32));
}

// ZipMap: probabilities with the names of their classes, represented by the probabilities.
void zip_map(OpCall& c) {
  const Tensor x = c.in(0);
  if (x) c.out(0, c.op(Op::Copy, {x}));
}

constexpr HandlerEntry kLearnedHandlers[] = {
    {"ai.onnx.ml::ArrayFeatureExtractor", array_feature_extractor},
    {"ai.onnx.ml::Binarizer", binarizer},
    {"ai.onnx.ml::FeatureVectorizer", feature_vectorizer},
    {"ai.onnx.ml::Imputer", imputer},
    {"ai.onnx.ml::Normalizer", normalizer},
    {"ai.onnx.ml::OneHotEncoder", one_hot_encoder},
    {"ai.onnx.ml::Scaler", scaler},
    {"ai.onnx.ml::ZipMap", zip_map},
};

}  // namespace

std::span<const HandlerEntry> ml_preprocessing_handlers() { return kLearnedHandlers; }

}  // namespace arenascope::models
