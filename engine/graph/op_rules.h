// SPDX-License-Identifier: MIT
// The shape and flops rules named by op_list.h. Each shape rule validates inputs and parameters; its error describes
// the mismatch.
#pragma once
#include <arenascope/graph/op.h>

namespace arenascope::rules {

using Sources = std::span<TensorImpl* const>;

#define ARENASCOPE_RULE(id) Result<Inferred> id(Op op, Sources sources, const OpParams& params)
ARENASCOPE_RULE(no_rule);
// movement and views
ARENASCOPE_RULE(reshape_rule);
ARENASCOPE_RULE(view_rule);
ARENASCOPE_RULE(permute_rule);
ARENASCOPE_RULE(transpose_rule);
ARENASCOPE_RULE(expand_rule);
ARENASCOPE_RULE(cast_rule);
ARENASCOPE_RULE(concat_rule);
ARENASCOPE_RULE(pad_rule);
ARENASCOPE_RULE(gather_rule);
ARENASCOPE_RULE(set_rows_rule);
ARENASCOPE_RULE(gather_elements_rule);
ARENASCOPE_RULE(fill_rule);
ARENASCOPE_RULE(resize_rule);
ARENASCOPE_RULE(grid_sample_rule);
ARENASCOPE_RULE(bit_cast_rule);
ARENASCOPE_RULE(depth_to_space_rule);
// element by element
ARENASCOPE_RULE(same_rule);
ARENASCOPE_RULE(float_rule);
ARENASCOPE_RULE(predicate_rule);
ARENASCOPE_RULE(binary_rule);
ARENASCOPE_RULE(pow_rule);
ARENASCOPE_RULE(compare_rule);
ARENASCOPE_RULE(where_rule);
ARENASCOPE_RULE(bits_rule);   // one or two inputs of one integer type
ARENASCOPE_RULE(shift_rule);  // two of one unsigned type
// matmul, convolutions and windows
ARENASCOPE_RULE(mul_mat_rule);
ARENASCOPE_RULE(conv_rule);
ARENASCOPE_RULE(conv_transpose_rule);
ARENASCOPE_RULE(attention_rule);
ARENASCOPE_RULE(lstm_rule);
ARENASCOPE_RULE(recurrent_rule);  // GRU, RNN
ARENASCOPE_RULE(pool_rule);
ARENASCOPE_RULE(lrn_rule);
ARENASCOPE_RULE(max_pool_back_rule);
ARENASCOPE_RULE(gather_back_rule);
ARENASCOPE_RULE(optimizer_step_rule);
ARENASCOPE_RULE(dropout_rule);
ARENASCOPE_RULE(mul_mat_id_rule);
// normalisations and reductions
ARENASCOPE_RULE(batch_norm_rule);
ARENASCOPE_RULE(norm_rule);
ARENASCOPE_RULE(group_norm_rule);
ARENASCOPE_RULE(soft_max_rule);
ARENASCOPE_RULE(reduce_rule);
ARENASCOPE_RULE(arg_rule);
ARENASCOPE_RULE(top_k_rule);
ARENASCOPE_RULE(rope_rule);
ARENASCOPE_RULE(fused_rule);
#undef ARENASCOPE_RULE

int64_t no_flops(const TensorImpl& node);
int64_t element_flops(const TensorImpl& node);  // one per element of the result
int64_t source_flops(const TensorImpl& node);   // one per element of the first input
int64_t norm_flops(const TensorImpl& node);     // five per element, for statistics and scaling
int64_t mul_mat_flops(const TensorImpl& node);
int64_t conv_flops(const TensorImpl& node);
int64_t conv_transpose_flops(const TensorImpl& node);
int64_t attention_flops(const TensorImpl& node);
int64_t lstm_flops(const TensorImpl& node);
int64_t pool_flops(const TensorImpl& node);
int64_t lrn_flops(const TensorImpl& node);
int64_t fused_flops(const TensorImpl& node);

// An error if an input is quantised; only matmul, GATHER, CAST and copies support quantised inputs.
Status refuse_quantised(Op op, Sources sources);

// "CONV: TEXT", the format of the rules' errors.
Error refuse(Op op, const std::string& text);

}  // namespace arenascope::rules
