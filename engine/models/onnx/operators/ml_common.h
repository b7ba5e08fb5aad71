// SPDX-License-Identifier: MIT
// Shared parts of ONNX's classical machine learning operators: tables from attributes, class labels, and post transforms
// of scores.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <optional>
#include <string>
#include <vector>

namespace arenascope::models {

// Input i in the type of the computation: f64 stays, all other types become f32.
Tensor ml_source(OpCall& c, size_t i, const char* suffix);
// The same as rows: one dimension is one row. An error for more than two dimensions.
Tensor learned_rows(OpCall& c, size_t i);

Tensor ml_table(OpCall& c, DType dtype, const Dims& sizes, const std::vector<double>& values,
                const std::string& suffix);
Tensor ml_table(OpCall& c, const Dims& sizes, std::vector<int64_t> values, const std::string& suffix);

std::vector<double> attr_floats(OpCall& c, const char* name);
// The elements of an attribute that is a small tensor; empty if it is absent, and an error if it is not numeric.
std::vector<double> attr_tensor(OpCall& c, const char* name);

enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };
// By the attribute's text ("NONE", "LOGISTIC", …); an error if it is unknown.
PostTransform read_post_transform(OpCall& c);
// Applies a post transform to scores [N, E].
Tensor post_transformed(OpCall& c, const Tensor& scores, PostTransform how, const std::string& suffix);

// The labels of a classifier: numbers, or indices into a string table.
struct ClassLabels {
  std::vector<int64_t> numbers;
  StringTable strings;
  size_t size() const { return numbers.size(); }
};
// An error if there are none.
ClassLabels read_labels(OpCall& c, const char* ints, const char* strings);
// Result 0 is labels[index], for each row.
void out_labels(OpCall& c, const ClassLabels& labels, const Tensor& index);
// Result 0 is labels[1] if `positive` [N] is true, else labels[0].
void out_labels_by(OpCall& c, const ClassLabels& labels, const Tensor& positive);

}  // namespace arenascope::models
