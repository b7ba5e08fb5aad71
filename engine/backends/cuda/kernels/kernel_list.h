// SPDX-License-Identifier: MIT
// The list of all kernels, one line each: name, parameters, and whether its threads use barriers or shuffles. One list
// per file that nvcc compiles.
#pragma once
#include <cstdint>

// clang-format off
#define ARENASCOPE_CUDA_POINTWISE(X)                           \
  X(pointwise_f32,              PointwiseWork,   false)        \
  X(pointwise_flat,             FlatWork,        false)        \
  X(pointwise_flat_f32,         FlatWork,        false)        \
  X(pointwise_flat_f16,         FlatWork,        false)        \
  X(unary_f32,                  FlatWork,        false)        \
  X(unary_f16,                  FlatWork,        false)        \
  X(pointwise_f64,              PointwiseWork,   false)        \
  X(pointwise_int,            PointwiseWork,   false)        \
  X(transpose,                  TransposeWork,   true)         \
  X(transpose_two,              TransposeWork,   true)         \
  X(transpose_four,             TransposeWork,   true)         \
  X(copy,                       CopyWork,        false)        \
  X(gather,                     GatherWork,      false)        \
  X(set_rows,                   SetRowsWork,     false)        \
  X(gather_back,                GatherBackWork,  false)        \
  X(optimizer_step,             OptimizerWork,   false)        \
  X(dropout,                    DropoutWork,     false)        \
  X(mul_mat_id,              MulMatIdWork, false)        \
  X(pad,                        PadWork,         false)        \
  X(fill,                       FillWork,        false)        \
  X(tril,                       TrilWork,        false)        \
  X(resize,                     ResizeWork,      false)        \
  X(unpack,                     UnpackWork,      false)        \
  X(pool_f32,                   WindowWork,      false)        \
  X(pool_f64,                   WindowWork,      false)        \
  X(pool_full,                 WindowWork,      false)        \
  X(pool_back_f32,              PoolBackWork,    false)        \
  X(pool_back_f64,              PoolBackWork,    false)        \
  X(pool_back_apart_f32,        PoolBackWork,    false)        \
  X(pool_back_apart_f64,        PoolBackWork,    false)        \
  X(local_response_f32,         WindowWork,      false)        \
  X(local_response_f64,         WindowWork,      false)        \
  X(convolution_f32,            WindowWork,      false)        \
  X(convolution_f64,            WindowWork,      false)        \
  X(convolution_transposed_f32, WindowWork,      false)        \
  X(convolution_transposed_f64, WindowWork,      false)        \
  X(grid_sample_f32,            GridSampleWork,  false)        \
  X(grid_sample_f64,            GridSampleWork,  false)        \
  X(round_small_f32,            RoundSmallWork,  false)        \
  X(round_small_f64,            RoundSmallWork,  false)
#define ARENASCOPE_CUDA_ROW_OPS(X)                               \
  X(reduce_f32,                 RowWork,        true)         \
  X(reduce_f64,                 RowWork,        true)         \
  X(reduce_int,               RowWork,        true)         \
  X(arg_f32,                    RowWork,        true)         \
  X(arg_f64,                    RowWork,        true)         \
  X(arg_int,                  RowWork,        true)         \
  X(top_k_f32,                  RowWork,        true)         \
  X(top_k_f64,                  RowWork,        true)         \
  X(top_k_int,                RowWork,        true)         \
  X(cum_sum_f32,                RowWork,        true)         \
  X(cum_sum_f64,                RowWork,        true)         \
  X(cum_sum_int,              RowWork,        true)         \
  X(cum_prod_f32,               RowWork,        true)         \
  X(cum_prod_f64,               RowWork,        true)         \
  X(cum_prod_int,             RowWork,        true)         \
  X(norm_f32,                   RowWork,        true)         \
  X(norm_f64,                   RowWork,        true)         \
  X(norm_kept,                  RowWork,        true)         \
  X(norm_dense_f32,              RowWork,        true)         \
  X(norm_dense_f16,              RowWork,        true)         \
  X(soft_max_f32,               RowWork,        true)         \
  X(soft_max_f64,               RowWork,        true)         \
  X(soft_max_kept,              RowWork,        true)         \
  X(soft_max_dense_f32,          RowWork,        true)         \
  X(soft_max_dense_f16,          RowWork,        true)
#define ARENASCOPE_CUDA_MATMUL(X)                            \
  X(matmul,                     MatmulWork,     true)         \
  X(thin_matmul,               MatmulWork,     true)         \
  X(attention,                  AttentionWork,   true)         \
  X(attention_64,               AttentionWork,   true)         \
  X(attention_128,              AttentionWork,   true)         \
  X(rope_f32,                   RopeWork,        false)        \
  X(rope_f64,                   RopeWork,        false)        \
  X(lstm,                       LstmWork,        true)
#define ARENASCOPE_CUDA_KERNELS(X) ARENASCOPE_CUDA_POINTWISE(X) ARENASCOPE_CUDA_ROW_OPS(X) ARENASCOPE_CUDA_MATMUL(X)
// clang-format on

namespace arenascope::cuda {

enum class KernelId : uint16_t {
#define X(id, params, meets) id,
  ARENASCOPE_CUDA_KERNELS(X)
#undef X
};

inline constexpr int kKernelCount = 0
#define X(id, params, meets) +1
    ARENASCOPE_CUDA_KERNELS(X)
#undef X
    ;

const char* name(KernelId id);

}  // namespace arenascope::cuda
