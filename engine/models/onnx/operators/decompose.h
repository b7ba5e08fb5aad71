// SPDX-License-Identifier: MIT
// Operators composed of others: each part is a node that its own handler lowers.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <map>
#include <string>
#include <vector>

namespace arenascope::models {

using PartAttributes = std::map<std::string, ir::Attribute>;

struct Part {
  const char* op;  // operator of ONNX's own domain
  std::vector<ValuePtr> sources;
  PartAttributes attributes = {};
  std::string suffix = {};  // suffix of its first result's name; empty: it is the call's own result
  size_t results = 1;
  int64_t opset = 23;
};

// The part's results; none, with an error of the call, if it cannot be lowered.
std::vector<ValuePtr> lower_parts(OpCall& c, const Part& part);
// The first of them as a tensor; undefined if there is none.
Tensor lower_part(OpCall& c, const Part& part);
// Input i unchanged; null if it is omitted.
ValuePtr source_of(const OpCall& c, size_t i);
// A tensor as a part's input; null if it is undefined.
ValuePtr as_source(OpCall& c, const Tensor& x);

// A convolution of input 0 with the bias, addend and activation that an optimiser fused into it; `last`: the input, the
// addend and the result are channels-last.
void fused_conv(OpCall& c, const ValuePtr& weight, bool last);

ir::Attribute int_attribute(int64_t value);
ir::Attribute float_attribute(float value);
ir::Attribute string_attribute(std::string value);
ir::Attribute ints_attribute(std::vector<int64_t> values);
// The call's attributes without the listed ones.
PartAttributes attributes_without(const OpCall& c, std::initializer_list<const char*> left_out);

// Between [N, spatial…, C] and [N, C, spatial…].
Tensor channels_second(OpCall& c, const Tensor& x, const char* suffix);
Tensor channels_last(OpCall& c, const Tensor& x, const char* suffix);

}  // namespace arenascope::models
