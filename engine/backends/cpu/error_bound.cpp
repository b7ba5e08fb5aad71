// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/error_bound.h"

namespace arenascope::cpu {
namespace {

constexpr double kSmallestNormal = 0x1p-126;
// Denormals that many small terms lose where each is rounded to a multiple of 2^-149.
constexpr double kManyRoundings = 0x1p-139;
constexpr double kFewRoundings = 0x1p-113;  // and where denormals count as 0

ErrorBound product_bound(DType weights) {
  if (info(weights).quantised)
    return {0, 0x1p16, 0, kFewRoundings,
            "the other side is rounded to 8 bits a block; blocks below 2^-117 may count as 0"};
  if (weights == DType::BF16)
    return {0, 0x1p15, 0, kFewRoundings, "both sides are bf16; numbers below 2^-126 may count as 0"};
  return {0, 16, 0, kManyRoundings, ""};
}

}  // namespace

ErrorBound error_bound(Op op, DType first_source) {
  const bool wide = first_source == DType::F64;
  switch (op) {
    case Op::Pow: return {1, 0, 0, 0, ""};
    case Op::Exp: return {2, 0, 0, 0, ""};
    case Op::Log: return {4, 0, 0, 0, ""};
    case Op::Erf: return {4, 0, 0, 0, ""};
    case Op::Sin:
    case Op::Cos: return {1, 0, 0, 0, ""};
    case Op::Tanh: return {4, 0, 0, 0, ""};
    case Op::Sigmoid: return {5, 0, 0, kSmallestNormal, "results below 2^-126 may be 0"};
    case Op::Silu: return {5, 0x1p-103, 0, 0, "below -88 it may be 0"};
    case Op::LeakyRelu: return {1, 0, 0, 0, ""};
    case Op::Elu: return {5, 0, 0, 0, ""};
    case Op::Softplus: return {5, 0, 0, 0, ""};
    case Op::Softsign: return {2, 0, 0, 0, ""};
    case Op::Gelu:
    case Op::GeluTanh: return {0, 2, 0, 0, ""};
    case Op::Mish: return {8, 0x1p-124, 0, 0, "below -87 an error of |x|·2^-147"};
    case Op::HardSigmoid: return {0, 1, 0, 1.2e-7, ""};
    case Op::HardSwish: return {1, 1, 0, 0, ""};
    case Op::Scale: return {1, 1, 0, 0, ""};
    case Op::MulMat: return product_bound(first_source);
    case Op::Conv:
    case Op::ConvTranspose: return {0, 16, 0, kManyRoundings, ""};
    case Op::Attention: return {0, 0, 16, 0, ""};
    case Op::Lstm: return {0, 0, 16, 0, ""};
    case Op::AvgPool: return {1, 4, 0, kManyRoundings, ""};
    case Op::Lrn: return {0, 0, 16, 0, ""};
    case Op::BatchNorm: return {0, 0, 8, 0, "one factor and one shift a channel, which must be finite"};
    case Op::Norm:
    case Op::RmsNorm:
    case Op::GroupNorm: return {0, 0, 16, 0, ""};
    case Op::SoftMax:
    case Op::LogSoftMax: return {0, 0, 32, 0, ""};
    case Op::ReduceSum:
    case Op::ReduceMean:
    case Op::CumSum: return {0, 8, 0, 0, ""};
    case Op::ReduceProd: return {wide ? 64.0 : 1.0, 0, 0, 0, wide ? "half a unit a factor" : "multiplied in double"};
    case Op::ReduceL2: return {8, 0, 0, wide ? 0x1p-500 : 0, wide ? "squares below 2^-1022 may count as 0" : ""};
    case Op::Rope:
      return {0, 0, wide ? 1024.0 : 8.0, 0, wide ? "the angle's own rounding, for positions up to 1000" : ""};
    case Op::Resize: return {0, 0, 16, 0, ""};
    default: return {};
  }
}

ErrorBound error_bound(const TensorImpl& node) {
  return error_bound(node.op, node.sources.empty() ? node.dtype : node.sources[0]->dtype);
}

}  // namespace arenascope::cpu
