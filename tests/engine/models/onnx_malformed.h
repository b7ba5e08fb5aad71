// SPDX-License-Identifier: MIT
// Models of one operator generated from its schema, and malformed variants: invalid attributes, inputs, sizes and types.
// The same seed gives the same models.
#pragma once
#include "engine/models/onnx/onnx_schema.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "mutants.h"

namespace arenascope::models::test {

// Inputs of small sizes, attributes that may fit; it may well be one that is refused.
std::vector<std::byte> model_of_schema(const ir::Schema& schema, const std::string& domain, int64_t opset,
                                       Mutator& random);

// One to four changes. `values`: TensorProtos of the first inputs, which become constants where they are few integers.
std::vector<std::byte> make_hostile(std::span<const std::byte> model, std::span<const std::string> values,
                                    Mutator& random);

}  // namespace arenascope::models::test
