// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/queue_node.h"

#include <fmt/format.h>

#pragma GCC diagnostic error "-Wswitch-enum"  // a family that is missing here is a compile error

namespace arenascope::opencl {

bool has_kernel(Op op) {
  const OpFamily family = info(op).family;
  return family != OpFamily::Opaque && family != OpFamily::Fused;
}

Status queue_node(Station& station, const TensorImpl& node, const ComputeParams& params, const NodeWeights* weights) {
  if (node.placement == Placement::Packed || (node.op == Op::Copy && node.sources[0]->placement == Placement::Packed))
    return run_on_images(station, node, weights);
  Status status;
  switch (info(node.op).family) {
    case OpFamily::Unary: return fast_pointwise(station, node, status) ? status : run_unary(station, node);
    case OpFamily::Binary:
    case OpFamily::Comparison: return fast_pointwise(station, node, status) ? status : run_binary(station, node);
    case OpFamily::Choice: return run_choice(station, node);
    case OpFamily::Movement: return run_movement(station, node);
    case OpFamily::Window: return fast_windows(station, node, status) ? status : run_windows(station, node);
    case OpFamily::Norm:
      return node.op == Op::BatchNorm && fast_pointwise(station, node, status) ? status : run_norms(station, node);
    case OpFamily::Reduction: return run_reduction(station, node);
    case OpFamily::Line: return run_lines(station, node);
    case OpFamily::Contraction:
      if (fast_products(station, node, weights, params, status)) return status;
      return fast_quantised(station, node, params, status) ? status : run_products(station, node, params);
    case OpFamily::Host: return run_host_op(station, node);
    case OpFamily::Unknown:
    case OpFamily::Given:
    case OpFamily::View:
    case OpFamily::Opaque:
    case OpFamily::Fused: break;
  }
  return Error{fmt::format("{} has no OpenCL kernel", arenascope::name(node.op))};
}

}  // namespace arenascope::opencl
