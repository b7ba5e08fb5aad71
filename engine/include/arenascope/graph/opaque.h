// SPDX-License-Identifier: MIT
// OPAQUE nodes: operators of a file that the engine cannot compute, so that the graph can be shown and planned.
#pragma once
#include <string>
#include <string_view>

#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

// FILL's parameters, which give the shape of the result, then the node's operator in its file.
struct OpaqueParams {
  FillParams result{};
  bool unknown_size = false;  // `result` then has the shape [0]
  char op[63] = {};           // cut off if it is longer

  static OpaqueParams of(std::string_view op, const Dims& sizes, DType dtype);
  static OpaqueParams of_unknown_size(std::string_view op);
};

// "com.acme::FlashThing"; "" if the node is not OPAQUE or its operator is not known.
std::string opaque_op(const TensorImpl& node);
// True if the file does not declare the shape of the node's result: its bytes are not 0 but unknown.
bool has_unknown_size(const TensorImpl& node);

}  // namespace arenascope
