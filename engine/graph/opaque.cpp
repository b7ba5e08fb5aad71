// SPDX-License-Identifier: MIT
#include <arenascope/graph/opaque.h>

#include <algorithm>
#include <iterator>

#include <arenascope/graph/op.h>

namespace arenascope {

OpaqueParams OpaqueParams::of(std::string_view op, const Dims& sizes, DType dtype) {
  OpaqueParams out;
  out.result = {sizes, dtype, 0, 0};
  size_t length = std::min(op.size(), std::size(out.op) - 1);
  while (length < op.size() && length > 0 && (static_cast<unsigned char>(op[length]) & 0xC0) == 0x80)
    --length;  // not within a UTF-8 character
  std::copy_n(op.begin(), length, out.op);
  return out;
}

OpaqueParams OpaqueParams::of_unknown_size(std::string_view op) {
  OpaqueParams out = of(op, {0}, DType::U8);
  out.unknown_size = true;
  return out;
}

std::string opaque_op(const TensorImpl& node) {
  if (node.op != Op::Opaque) return {};
  const auto params = node.params.get<OpaqueParams>();
  return {params.op, std::find(std::begin(params.op), std::end(params.op), '\0')};
}

bool has_unknown_size(const TensorImpl& node) {
  return node.op == Op::Opaque && node.params.get<OpaqueParams>().unknown_size;
}

}  // namespace arenascope
