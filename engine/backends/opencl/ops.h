// SPDX-License-Identifier: MIT
// The families of ops: each function queues what computes one node.
#pragma once
#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include "engine/backends/opencl/call.h"

namespace arenascope::opencl {

struct NodeWeights;

// The error that no kernel computes the node.
Status no_kernel(const TensorImpl& node);

// Whether there is a kernel for the op, whatever its types: else the host computes it.
bool has_kernel(Op op);

// "-DDOMAIN=0": float, 1: double, 2: whole numbers; by the type of the elements.
int domain_of(DType type);
std::string domain_option(int domain);

// Whether the programs that are built for one operation (fast_pointwise.cl, image.cl) compute the op.
bool has_fast(Op op);

Status run_unary(Station& station, const TensorImpl& node);
Status run_binary(Station& station, const TensorImpl& node);
Status run_choice(Station& station, const TensorImpl& node);
Status run_movement(Station& station, const TensorImpl& node);
Status run_windows(Station& station, const TensorImpl& node);
Status run_host_op(Station& station, const TensorImpl& node);  // of OpFamily::Host, by these:
Status run_sampling(Station& station, const TensorImpl& node);
Status run_set_rows(Station& station, const TensorImpl& node);
Status run_pool_back(Station& station, const TensorImpl& node);
Status run_training(Station& station, const TensorImpl& node);  // rows given back, dropout, an optimiser, MUL_MAT_ID
Status run_norms(Station& station, const TensorImpl& node);
Status run_reduction(Station& station, const TensorImpl& node);
Status run_lines(Station& station, const TensorImpl& node);
Status run_products(Station& station, const TensorImpl& node, const ComputeParams& params);
Bytes product_work_bytes(const Station& station, const TensorImpl& node);

// The fast ones for float32: whether they serve the node, and if so queue it.
bool fast_pointwise(Station& station, const TensorImpl& node, Status& status);
bool fast_windows(Station& station, const TensorImpl& node, Status& status);
// `weights`: those that were made of the node's when it was prepared; null: none.
bool fast_products(Station& station, const TensorImpl& node, const NodeWeights* weights, const ComputeParams& params,
                   Status& status);
// Matmuls with weights of Q8_0 or Q4_0, and the scratch that they take.
bool fast_quantised(Station& station, const TensorImpl& node, const ComputeParams& params, Status& status);
Bytes quantised_work_bytes(const Station& station, const TensorImpl& node);

}  // namespace arenascope::opencl
