// SPDX-License-Identifier: MIT
// The parts of lower(): one function per kind of op.
#pragma once
#include "engine/backends/cuda/lowering/lower.h"

namespace arenascope::cuda {

// "CONV on cuda: TEXT"
Error refuse(const TensorImpl& node, const std::string& text);

// Each function queues the node's launches, or returns why it cannot.
Status lower_pointwise(const LaunchRequest& request);
Status lower_copy(const LaunchRequest& request);
Status lower_cast(const LaunchRequest& request);
Status lower_concat(const LaunchRequest& request);
Status lower_pad(const LaunchRequest& request);
Status lower_gather(const LaunchRequest& request);
Status lower_set_rows(const LaunchRequest& request);
Status lower_gather_back(const LaunchRequest& request);
Status lower_optimizer_step(const LaunchRequest& request);
Status lower_dropout(const LaunchRequest& request);
Status lower_mul_mat_id(const LaunchRequest& request);
Status lower_fill(const LaunchRequest& request);
Status lower_tril(const LaunchRequest& request);
Status lower_resize(const LaunchRequest& request);
Status lower_depth_to_space(const LaunchRequest& request);
Status lower_grid_sample(const LaunchRequest& request);
Status lower_round_small(const LaunchRequest& request);
Status lower_norms(const LaunchRequest& request);
Status lower_reduction(const LaunchRequest& request);
Status lower_row_ops(const LaunchRequest& request);
Status lower_pool(const LaunchRequest& request);
Status lower_pool_back(const LaunchRequest& request);
Status lower_local_response(const LaunchRequest& request);
Status lower_convolution(const LaunchRequest& request);
// Without the bias, if the library does not add it; then `bias` is set to the bias that the caller must add.
Status lower_convolution(const LaunchRequest& request, const TensorImpl*& bias);
// The chain's problem for a library: a convolution with a bias, an addition or none, and ReLU. False: it has another form.
bool fused_convolution(std::span<const TensorImpl* const> chain, LibraryConvolution& convolution);
Status lower_mul_mat(const LaunchRequest& request);
// True if `cast` only rounds the result of `matmul`, whose operands are float16, so that both can be one library call. No
// library computes the matmul of a few rows.
bool casts_matmul(const TensorImpl& matmul, const TensorImpl& cast);
// A matmul, `request.node`, and the cast of its result. If a library computes both, only the cast result is written.
Status lower_cast_matmul(const LaunchRequest& request, const TensorImpl& cast);
Status lower_attention(const LaunchRequest& request);
Status lower_rope(const LaunchRequest& request);
Status lower_lstm(const LaunchRequest& request);

Bytes mul_mat_scratch(const TensorImpl& node, Queue& queue);
Bytes convolution_scratch(const TensorImpl& node, Queue& queue);
Bytes lstm_scratch(const TensorImpl& node);

}  // namespace arenascope::cuda
