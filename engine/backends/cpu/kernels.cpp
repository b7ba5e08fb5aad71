// SPDX-License-Identifier: MIT
// The table of CPU kernels, by op or by family.
#include <arenascope/backends/cpu/task_share.h>
#include <array>

#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::cpu {
namespace {

// Nanoseconds per floating-point operation as counted in op_list.h.
constexpr double kProduct = 0.03, kWindow = 0.2, kLight = 0.15, kFunctionCost = 1, kWalk = 3;

Kernel movement(MovementOp op) {
  switch (op) {
    case MovementOp::Cont:
    case MovementOp::Copy: return {copy};
    case MovementOp::Cast: return {copy, cast_supports};
    case MovementOp::Concat: return {concat, plain_sources};
    case MovementOp::Pad: return {pad, plain_sources};
    case MovementOp::Gather: return {gather};
    case MovementOp::GatherElements: return {gather_elements, plain_sources};
    case MovementOp::Fill:
    case MovementOp::Arange: return {fill, plain_sources};
    case MovementOp::Resize: return {resize, plain_sources, resize_work, kWalk};
    case MovementOp::DepthToSpace: return {depth_to_space, plain_sources};
    case MovementOp::Tril: return {tril, plain_sources};
  }
  return {};
}

Kernel product(ContractionOp op) {
  switch (op) {
    case ContractionOp::MulMat: return {mul_mat, nullptr, mul_mat_work, kProduct, true, true};
    case ContractionOp::Conv: return {conv, plain_sources, conv_work, kProduct, true, true};
    case ContractionOp::ConvTranspose: return {conv_transpose, plain_sources, conv_transpose_work, kProduct, true};
    case ContractionOp::Attention: return {attention, attention_supports, attention_work, kProduct, true};
    case ContractionOp::Lstm: return {lstm, plain_sources, lstm_work, kProduct, true};
  }
  return {};
}

Kernel window(WindowOp op) {
  switch (op) {
    case WindowOp::MaxPool:
    case WindowOp::AvgPool: return {pool, plain_sources, pool_work, kWindow};
    case WindowOp::Lrn: return {lrn, plain_sources, nullptr, kWindow};
  }
  return {};
}

Kernel normalisation(NormOp op) {
  switch (op) {
    case NormOp::BatchNorm: return {batch_norm, floating_sources, nullptr, kLight};
    case NormOp::Norm:
    case NormOp::RmsNorm: return {norm, floating_sources, norm_work, kLight, false, true};
    case NormOp::GroupNorm: return {group_norm, floating_sources, group_norm_work, kLight};
    case NormOp::SoftMax:
    case NormOp::LogSoftMax: return {soft_max, floating_sources, soft_max_work, kWindow};
  }
  return {};
}

Kernel line(LineOp op) {
  switch (op) {
    case LineOp::ArgMax:
    case LineOp::ArgMin: return {arg_extreme, plain_sources, nullptr, kFunctionCost};
    case LineOp::TopKValues:
    case LineOp::TopKIndices: return {top_k, plain_sources, top_k_work, kWalk};
    case LineOp::CumSum:
    case LineOp::CumProd: return {cum_sum, plain_sources, nullptr, kWalk};
    case LineOp::Rope: return {rope, floating_sources, rope_work, kLight};
  }
  return {};
}

Kernel host_op(HostOp op) {
  switch (op) {
    case HostOp::BitCast: return {bit_cast, plain_sources};
    case HostOp::RoundSmall: return {round_small, floating_sources, nullptr, kFunctionCost};
    case HostOp::GridSample: return {grid_sample, floating_sources, nullptr, kWalk};
    case HostOp::SetRows: return {set_rows, set_rows_supports};
    case HostOp::MaxPoolBack: return {max_pool_back, max_pool_back_supports, nullptr, kWalk};
    case HostOp::GatherBack: return {gather_back};
    case HostOp::OptimizerStep: return {optimizer_step, nullptr, nullptr, kWalk};
    case HostOp::Dropout: return {dropout, floating_sources, nullptr, kFunctionCost};
    case HostOp::MulMatId: return {mul_mat_id, nullptr, mul_mat_id_work, 10};
    case HostOp::Gru:
    case HostOp::Rnn: return {recurrent, plain_sources, recurrent_work, kProduct, true};
  }
  return {};
}

Kernel find(Op op) {
  const double each = info(op).takes_function() ? kFunctionCost : kLight;
  switch (info(op).family) {
    case OpFamily::Movement: return movement(static_cast<MovementOp>(op));
    case OpFamily::Binary: return {binary, plain_sources, nullptr, each};
    case OpFamily::Comparison: return {compare, plain_sources, nullptr, each};
    case OpFamily::Choice: return {where, plain_sources, nullptr, each};
    case OpFamily::Unary: return {unary, plain_sources, nullptr, each};
    case OpFamily::Contraction: return product(static_cast<ContractionOp>(op));
    case OpFamily::Window: return window(static_cast<WindowOp>(op));
    case OpFamily::Norm: return normalisation(static_cast<NormOp>(op));
    case OpFamily::Reduction: return {reduce, plain_sources, nullptr, kLight};
    case OpFamily::Line: return line(static_cast<LineOp>(op));
    case OpFamily::Host: return host_op(static_cast<HostOp>(op));
    case OpFamily::Fused: return {epilogue_only, plain_sources, nullptr, kLight};
    case OpFamily::Unknown:
    case OpFamily::Given:
    case OpFamily::View:
    case OpFamily::Opaque: break;
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
  static const Kernel none;
  return static_cast<size_t>(op) < table.size() ? table[static_cast<size_t>(op)] : none;
}

Error refuse(const TensorImpl& node, const std::string& text) {
  return Error{fmt::format("{} '{}' on the cpu: {}", name(node.op), node.name, text)};
}

Status plain_sources(const TensorImpl& node) {
  if (info(node.dtype).quantised) return refuse(node, fmt::format("result type {} is not supported", name(node.dtype)));
  for (const TensorImpl* source : node.sources)
    if (info(source->dtype).quantised)
      return refuse(node,
                    fmt::format("input '{}' has type {}, which must be cast first", source->name, name(source->dtype)));
  return {};
}

Status floating_sources(const TensorImpl& node) {
  for (const TensorImpl* source : node.sources)
    if (source == node.sources[0] && !info(source->dtype).floating)
      return refuse(node, fmt::format("input '{}' has type {}, expected a floating-point type", source->name,
                                      name(source->dtype)));
  return plain_sources(node);
}

TaskShare task_share(int64_t rows, int ith, int nth, int64_t unit, Bytes scratch) {
  const Range range = split(rows, ith, nth, unit);
  const Bytes bytes = round_to_line(scratch);
  return {range.begin, range.end, ith * bytes, bytes};
}

}  // namespace arenascope::cpu
