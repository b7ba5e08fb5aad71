// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/queue_node.h"

#include <fmt/format.h>

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing family is a compile error

namespace arenascope::opencl {

bool has_kernel(Op op) {
  const OpFamily family = info(op).family;
  return family != OpFamily::Opaque && family != OpFamily::Fused && op != Op::Gru && op != Op::Rnn;
}

Status queue_node(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params, const NodeWeights* weights) {
  if (node.placement == Placement::Packed || (node.op == Op::Copy && node.sources[0]->placement == Placement::Packed))
    return run_on_images(ctx, node, weights);
  Status status;
  switch (info(node.op).family) {
    case OpFamily::Unary: return fast_pointwise(ctx, node, status) ? status : run_unary(ctx, node);
    case OpFamily::Binary:
    case OpFamily::Comparison: return fast_pointwise(ctx, node, status) ? status : run_binary(ctx, node);
    case OpFamily::Choice: return run_choice(ctx, node);
    case OpFamily::Movement: return run_movement(ctx, node);
    case OpFamily::Window: return fast_windows(ctx, node, status) ? status : run_windows(ctx, node);
    case OpFamily::Norm:
      return node.op == Op::BatchNorm && fast_pointwise(ctx, node, status) ? status : run_norms(ctx, node);
    case OpFamily::Reduction: return run_reduction(ctx, node);
    case OpFamily::Line: return run_row_ops(ctx, node);
    case OpFamily::Contraction:
      if (fast_matmul(ctx, node, weights, params, status)) return status;
      return fast_quantised(ctx, node, params, status) ? status : run_matmul(ctx, node, params);
    case OpFamily::Host: return run_host_op(ctx, node);
    case OpFamily::Unknown:
    case OpFamily::Given:
    case OpFamily::View:
    case OpFamily::Opaque:
    case OpFamily::Fused: break;
  }
  return Error{fmt::format("{} has no OpenCL kernel", arenascope::name(node.op))};
}

}  // namespace arenascope::opencl
