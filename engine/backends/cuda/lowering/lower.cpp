// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/lowering/families.h"

#include <fmt/format.h>

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::cuda {
namespace {

constexpr int64_t kMaxHidden = 2048;  // hidden size of an LSTM: six floats per unit in 48 KiB of shared memory

// Rejects quantised types, except for the inputs in the bit mask `takes_blocks`.
Status plain(const TensorImpl& node, unsigned takes_blocks = 0) {
  if (info(node.dtype).quantised) return refuse(node, fmt::format("result type {} is not supported", name(node.dtype)));
  for (size_t i = 0; i < node.sources.size(); ++i)
    if (const TensorImpl& source = *node.sources[i]; info(source.dtype).quantised && !(takes_blocks >> i & 1))
      return refuse(node,
                    fmt::format("input '{}' has type {}, which must be cast first", source.name, name(source.dtype)));
  return {};
}

Status movement_supports(const TensorImpl& node) {
  switch (static_cast<MovementOp>(node.op)) {
    case MovementOp::Cont:
    case MovementOp::Copy: return {};
    case MovementOp::Cast:
      if (info(node.dtype).quantised && node.dtype != node.sources[0]->dtype)
        return refuse(node, fmt::format("result type {} is not supported", name(node.dtype)));
      return {};
    case MovementOp::Gather:
      if (info(node.dtype).quantised)
        return refuse(node, fmt::format("result type {} is not supported", name(node.dtype)));
      if (info(node.sources[0]->dtype).quantised && node.params.get<AxisParams>().axis == node.sources[0]->rank() - 1)
        return refuse(node, "cannot select single elements of quantised blocks");
      return {};
    case MovementOp::Concat:
    case MovementOp::Pad:
    case MovementOp::GatherElements:
    case MovementOp::Fill:
    case MovementOp::Arange:
    case MovementOp::Resize:
    case MovementOp::DepthToSpace:
    case MovementOp::Tril: return plain(node);
  }
  return refuse(node, "no kernel supports this node");
}

Status product_supports(const TensorImpl& node) {
  if (node.op == Op::MulMat) return {};
  if (node.op == Op::Attention) return plain(node, 0b110);  // K and V
  if (node.op == Op::Lstm && node.params.get<LstmParams>().quantised_state)
    return refuse(node, "no kernel rounds the state to 8 bits");
  if (node.op == Op::Lstm && node.params.get<LstmParams>().hidden > kMaxHidden)
    return refuse(node, fmt::format("the state of {} units exceeds a block's shared memory",
                                    node.params.get<LstmParams>().hidden));
  return plain(node);
}

Status lower_movement(const LaunchRequest& request) {
  switch (static_cast<MovementOp>(request.node.op)) {
    case MovementOp::Cont:
    case MovementOp::Copy: return lower_copy(request);
    case MovementOp::Cast: return lower_cast(request);
    case MovementOp::Concat: return lower_concat(request);
    case MovementOp::Pad: return lower_pad(request);
    case MovementOp::Gather:
    case MovementOp::GatherElements: return lower_gather(request);
    case MovementOp::Fill:
    case MovementOp::Arange: return lower_fill(request);
    case MovementOp::Resize: return lower_resize(request);
    case MovementOp::DepthToSpace: return lower_depth_to_space(request);
    case MovementOp::Tril: return lower_tril(request);
  }
  return refuse(request.node, "no kernel supports this node");
}

Status lower_matmul(const LaunchRequest& request) {
  switch (static_cast<ContractionOp>(request.node.op)) {
    case ContractionOp::MulMat: return lower_mul_mat(request);
    case ContractionOp::Conv:
    case ContractionOp::ConvTranspose: return lower_convolution(request);
    case ContractionOp::Attention: return lower_attention(request);
    case ContractionOp::Lstm: return lower_lstm(request);
  }
  return refuse(request.node, "no kernel supports this node");
}

// Ops of OpFamily::Host, which a backend may lack.
Status lower_host_op(const LaunchRequest& request) {
  switch (static_cast<HostOp>(request.node.op)) {
    case HostOp::BitCast: return lower_copy(request);
    case HostOp::RoundSmall: return lower_round_small(request);
    case HostOp::GridSample: return lower_grid_sample(request);
    case HostOp::SetRows: return lower_set_rows(request);
    case HostOp::MaxPoolBack: return lower_pool_back(request);
    case HostOp::GatherBack: return lower_gather_back(request);
    case HostOp::OptimizerStep: return lower_optimizer_step(request);
    case HostOp::Dropout: return lower_dropout(request);
    case HostOp::MulMatId: return lower_mul_mat_id(request);
    case HostOp::Gru:
    case HostOp::Rnn: break;
  }
  return refuse(request.node, "no kernel supports this node");
}

Status lower_window(const LaunchRequest& request) {
  switch (static_cast<WindowOp>(request.node.op)) {
    case WindowOp::MaxPool:
    case WindowOp::AvgPool: return lower_pool(request);
    case WindowOp::Lrn: return lower_local_response(request);
  }
  return refuse(request.node, "no kernel supports this node");
}

}  // namespace

const char* name(KernelId id) {
  static constexpr const char* names[] = {
#define X(id, params, meets) #id,
      ARENASCOPE_CUDA_KERNELS(X)
#undef X
  };
  return names[static_cast<size_t>(id)];
}

Error refuse(const TensorImpl& node, const std::string& text) {
  return Error{fmt::format("{} '{}' on cuda: {}", name(node.op), node.name, text)};
}

Error fault_error(const TensorImpl& node, const IndexFault& fault) {
  if (node.op == Op::SetRows)
    return refuse(node, fmt::format("row index {} is out of range for {} rows", fault.index, fault.entries));
  return refuse(node, fmt::format("index {} is out of range for a table of {} rows", fault.index, fault.entries));
}

Status supports(const TensorImpl& node) {
  switch (info(node.op).family) {
    case OpFamily::Given:
    case OpFamily::View: return {};
    case OpFamily::Unknown: return refuse(node, fmt::format("unknown op {}", static_cast<int>(node.op)));
    case OpFamily::Opaque:
    case OpFamily::Fused: return refuse(node, "no kernel supports this node");
    case OpFamily::Movement: return movement_supports(node);
    case OpFamily::Contraction: return product_supports(node);
    case OpFamily::Binary:
    case OpFamily::Comparison:
    case OpFamily::Choice:
    case OpFamily::Unary:
    case OpFamily::Window:
    case OpFamily::Norm:
    case OpFamily::Reduction:
    case OpFamily::Line: return plain(node);
    case OpFamily::Host:
      if (node.op == Op::Gru || node.op == Op::Rnn) return refuse(node, "no kernel supports this node");
      if (node.op == Op::MaxPoolBack && !info(node.dtype).floating)
        return refuse(node, "gradients must be floating point");
      if (node.op == Op::GatherBack && node.sources.size() > 2 && !node.sources[2]->contiguous())
        return refuse(node, "the base must be contiguous; insert a CONT");
      return plain(node, node.op == Op::MulMatId ? 1 : 0);
  }
  return refuse(node, "no kernel supports this node");
}

Bytes scratch_bytes(const TensorImpl& node, Queue& queue) {
  if (!has_work(node)) return 0;
  if (node.op == Op::MulMat) return mul_mat_scratch(node, queue);
  if (node.op == Op::Conv || node.op == Op::ConvTranspose) return convolution_scratch(node, queue);
  return node.op == Op::Lstm ? lstm_scratch(node) : 0;
}

Status lower(const LaunchRequest& request) {
  const TensorImpl& node = request.node;
  if (!has_work(node)) return {};
  if (auto ok = supports(node); !ok) return ok;
  switch (info(node.op).family) {
    case OpFamily::Movement: return lower_movement(request);
    case OpFamily::Binary:
    case OpFamily::Comparison:
    case OpFamily::Choice:
    case OpFamily::Unary: return lower_pointwise(request);
    case OpFamily::Contraction: return lower_matmul(request);
    case OpFamily::Window: return lower_window(request);
    case OpFamily::Norm: return lower_norms(request);
    case OpFamily::Reduction: return lower_reduction(request);
    case OpFamily::Line: return lower_row_ops(request);
    case OpFamily::Host: return lower_host_op(request);
    case OpFamily::Unknown:
    case OpFamily::Given:
    case OpFamily::View:
    case OpFamily::Opaque:
    case OpFamily::Fused: break;
  }
  return refuse(node, "no kernel supports this node");
}

}  // namespace arenascope::cuda
