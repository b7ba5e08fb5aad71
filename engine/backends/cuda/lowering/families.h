// SPDX-License-Identifier: MIT
// What lower() is made of: a function for each kind of op.
#pragma once
#include "engine/backends/cuda/lowering/lower.h"

namespace arenascope::cuda {

// "CONV on cuda: TEXT"
Error refuse(const TensorImpl& node, const std::string& text);

// Each queues the node's launches, and says why where it cannot.
Status lower_pointwise(const Job& job);
Status lower_copy(const Job& job);
Status lower_cast(const Job& job);
Status lower_concat(const Job& job);
Status lower_pad(const Job& job);
Status lower_gather(const Job& job);
Status lower_set_rows(const Job& job);
Status lower_gather_back(const Job& job);
Status lower_optimizer_step(const Job& job);
Status lower_dropout(const Job& job);
Status lower_product_by_id(const Job& job);
Status lower_fill(const Job& job);
Status lower_tril(const Job& job);
Status lower_resize(const Job& job);
Status lower_depth_to_space(const Job& job);
Status lower_grid_sample(const Job& job);
Status lower_round_small(const Job& job);
Status lower_norms(const Job& job);
Status lower_reduction(const Job& job);
Status lower_lines(const Job& job);
Status lower_pool(const Job& job);
Status lower_pool_back(const Job& job);
Status lower_local_response(const Job& job);
Status lower_convolution(const Job& job);
// The same but for a bias that is still to be added, if `bias` names one afterwards.
Status lower_convolution(const Job& job, const TensorImpl*& bias);
Status lower_mul_mat(const Job& job);
Status lower_attention(const Job& job);
Status lower_rope(const Job& job);
Status lower_lstm(const Job& job);

Bytes mul_mat_scratch(const TensorImpl& node, Queue& queue);
Bytes convolution_scratch(const TensorImpl& node, Queue& queue);
Bytes lstm_scratch(const TensorImpl& node);

}  // namespace arenascope::cuda
