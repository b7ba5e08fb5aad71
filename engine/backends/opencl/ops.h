// SPDX-License-Identifier: MIT
// Op families: each function queues the kernels of one node.
#pragma once
#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include "engine/backends/opencl/call.h"

namespace arenascope::opencl {

struct NodeWeights;

// The error for a node without a kernel.
Status no_kernel(const TensorImpl& node);

// True if there is a kernel for the op, for some types; other ops run on the host.
bool has_kernel(Op op);

// "-DDOMAIN=0": float, 1: double, 2: integers; by the element type.
int domain_of(DType type);
std::string domain_option(int domain);

// True if the programs specialised for one op (fast_pointwise.cl, image.cl) compute it.
bool has_fast(Op op);

Status run_unary(KernelContext& ctx, const TensorImpl& node);
Status run_binary(KernelContext& ctx, const TensorImpl& node);
Status run_choice(KernelContext& ctx, const TensorImpl& node);
Status run_movement(KernelContext& ctx, const TensorImpl& node);
Status run_windows(KernelContext& ctx, const TensorImpl& node);
Status run_host_op(KernelContext& ctx, const TensorImpl& node);  // dispatches OpFamily::Host to these:
Status run_sampling(KernelContext& ctx, const TensorImpl& node);
Status run_set_rows(KernelContext& ctx, const TensorImpl& node);
Status run_pool_back(KernelContext& ctx, const TensorImpl& node);
Status run_training(KernelContext& ctx, const TensorImpl& node);  // GATHER_BACK, DROPOUT, OPTIMIZER_STEP, MUL_MAT_ID
Status run_norms(KernelContext& ctx, const TensorImpl& node);
Status run_reduction(KernelContext& ctx, const TensorImpl& node);
Status run_row_ops(KernelContext& ctx, const TensorImpl& node);
Status run_matmul(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params);
Bytes matmul_work_bytes(const KernelContext& ctx, const TensorImpl& node);

// Fast float32 kernels: return whether they support the node, and if so queue it.
bool fast_pointwise(KernelContext& ctx, const TensorImpl& node, Status& status);
bool fast_windows(KernelContext& ctx, const TensorImpl& node, Status& status);
// `weights`: the node's prepared weights; null: none.
bool fast_matmul(KernelContext& ctx, const TensorImpl& node, const NodeWeights* weights, const ComputeParams& params,
                 Status& status);
// Matmuls with Q8_0 or Q4_0 weights, and their scratch.
bool fast_quantised(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params, Status& status);
Bytes quantised_work_bytes(const KernelContext& ctx, const TensorImpl& node);

}  // namespace arenascope::opencl
