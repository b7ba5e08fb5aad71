// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/error_bound.h"

namespace arenascope::cpu {
namespace {

constexpr double kFewRoundings = 0x1p-113;  // denormals may be flushed to 0

}  // namespace

ErrorBound error_bound(Op op, DType first_source) {
  const bool wide = first_source == DType::F64;
  if (op == Op::MulMat && info(first_source).quantised)
    return {0, 0x1p16, 0, kFewRoundings,
            "activations are rounded to 8 bits per block; blocks below 2^-117 may be flushed to 0"};
  if (op == Op::MulMat && first_source == DType::BF16)
    return {0, 0x1p15, 0, kFewRoundings, "both sides are bf16; values below 2^-126 may be flushed to 0"};
  if ((op == Op::ReduceProd || op == Op::CumProd) && !wide) return {1, 0, 0, 0, "multiplied in double"};
  if (op == Op::ReduceL2 && wide) return {8, 0, 0, 0x1p-500, "squares below 2^-1022 may be flushed to 0"};
  if (op == Op::Rope && wide) return {0, 0, 1024, 0, "rounding of the angle, for positions up to 1000"};
  return info(op).bound;
}

ErrorBound error_bound(const TensorImpl& node) {
  return error_bound(node.op, node.sources.empty() ? node.dtype : node.sources[0]->dtype);
}

}  // namespace arenascope::cpu
