// SPDX-License-Identifier: MIT
// The CPU's kernels, one line an op.
#include <array>

#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"

namespace arenascope::cpu {
namespace {

// Nanoseconds a floating-point operation, as op_list.h counts them.
constexpr double kProduct = 0.03, kWindow = 0.2, kLight = 0.15, kFunction = 1, kWalk = 3;

Kernel find(Op op) {
  switch (op) {
    case Op::Cont:
    case Op::Copy: return {copy};
    case Op::Cast: return {copy, cast_supports};
    case Op::Concat: return {concat, plain_sources};
    case Op::Pad: return {pad, plain_sources};
    case Op::Gather: return {gather};
    case Op::GatherElements: return {gather_elements, plain_sources};
    case Op::Fill:
    case Op::Arange: return {fill, plain_sources};
    case Op::Resize: return {resize, plain_sources, resize_work, kWalk};
    case Op::DepthToSpace: return {depth_to_space, plain_sources};
    case Op::Tril: return {tril, plain_sources};
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Min:
    case Op::Max:
    case Op::Mod: return {binary, plain_sources, nullptr, kLight};
    case Op::Pow: return {pow, plain_sources, nullptr, kFunction};
    case Op::Equal:
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::And:
    case Op::Or:
    case Op::Xor: return {compare, plain_sources, nullptr, kLight};
    case Op::Where: return {where, plain_sources, nullptr, kLight};
    case Op::Neg:
    case Op::Abs:
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Sqrt:
    case Op::Reciprocal:
    case Op::Relu:
    case Op::LeakyRelu:
    case Op::Clamp:
    case Op::Scale:
    case Op::Not:
    case Op::IsNan: return {unary, plain_sources, nullptr, kLight};
    case Op::Exp:
    case Op::Log:
    case Op::Erf:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Sigmoid:
    case Op::Elu:
    case Op::Softplus:
    case Op::Softsign:
    case Op::Gelu:
    case Op::GeluTanh:
    case Op::Silu:
    case Op::Mish:
    case Op::HardSigmoid:
    case Op::HardSwish: return {unary, plain_sources, nullptr, kFunction};
    case Op::MulMat: return {mul_mat, nullptr, mul_mat_work, kProduct, true, true};
    case Op::Conv: return {conv, plain_sources, conv_work, kProduct, true, true};
    case Op::ConvTranspose: return {conv_transpose, plain_sources, conv_transpose_work, kProduct, true};
    case Op::Attention: return {attention, plain_sources, attention_work, kProduct, true};
    case Op::Lstm: return {lstm, plain_sources, lstm_work, kProduct, true};
    case Op::MaxPool:
    case Op::AvgPool: return {pool, plain_sources, pool_work, kWindow};
    case Op::Lrn: return {lrn, plain_sources, nullptr, kWindow};
    case Op::BatchNorm: return {batch_norm, floating_sources, nullptr, kLight};
    case Op::Norm:
    case Op::RmsNorm: return {norm, floating_sources, norm_work, kLight, false, true};
    case Op::GroupNorm: return {group_norm, floating_sources, group_norm_work, kLight};
    case Op::SoftMax:
    case Op::LogSoftMax: return {soft_max, floating_sources, soft_max_work, kWindow};
    case Op::ReduceSum:
    case Op::ReduceMean:
    case Op::ReduceMax:
    case Op::ReduceMin:
    case Op::ReduceProd:
    case Op::ReduceL2: return {reduce, plain_sources, nullptr, kLight};
    case Op::ArgMax:
    case Op::ArgMin: return {arg_extreme, plain_sources, nullptr, kFunction};
    case Op::TopKValues:
    case Op::TopKIndices: return {top_k, plain_sources, top_k_work, kWalk};
    case Op::CumSum: return {cum_sum, plain_sources, nullptr, kWalk};
    case Op::Rope: return {rope, floating_sources, rope_work, kLight};
    case Op::Fused: return {steps_alone, plain_sources, nullptr, kLight};
    case Op::None:
    case Op::Reshape:
    case Op::View:
    case Op::Permute:
    case Op::Transpose:
    case Op::Expand:
    case Op::Opaque: break;
  }
  return {};
}

}  // namespace

const Kernel& kernel(Op op) {
  static const auto table = [] {
    std::array<Kernel, kOpCount> all;
    for (int i = 0; i < kOpCount; ++i) all[static_cast<size_t>(i)] = find(static_cast<Op>(i));
    return all;
  }();
  return table[static_cast<size_t>(op)];
}

Error refuse(const TensorImpl& node, const std::string& text) {
  return Error{fmt::format("{} '{}' on the cpu: {}", name(node.op), node.name, text)};
}

Status plain_sources(const TensorImpl& node) {
  if (info(node.dtype).quantised) return refuse(node, fmt::format("it cannot make {}", name(node.dtype)));
  for (const TensorImpl* source : node.sources)
    if (info(source->dtype).quantised)
      return refuse(node,
                    fmt::format("its source '{}' is {} and must be cast first", source->name, name(source->dtype)));
  return {};
}

Status floating_sources(const TensorImpl& node) {
  for (const TensorImpl* source : node.sources)
    if (source == node.sources[0] && !info(source->dtype).floating)
      return refuse(node, fmt::format("its source '{}' is {}, not floating point", source->name, name(source->dtype)));
  return plain_sources(node);
}

}  // namespace arenascope::cpu
