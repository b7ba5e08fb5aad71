// SPDX-License-Identifier: MIT
// Baselines for the kernels: libraries called directly on one thread, with all preparation done in advance, and plain
// loops that show the machine's limits. A function that the library does not support, or whose library is missing, is
// empty.
#pragma once
#include <arenascope/peaks/loops.h>
#include "engine/bench/bench_harness.h"

namespace arenascope::cpu_bench {

// dst[m, n] = src[m, k]·weightsᵀ[n, k]. The peer creates src and dst; the weights are packed in the library's own
// format.
enum class Number { F32, BF16, I8 };
Peer onednn_gemm(Number type, int64_t m, int64_t n, int64_t k);
Peer dnnl_sgemm_product(int64_t m, int64_t n, int64_t k, const float* weights, const float* src);
Peer blas_product(int64_t m, int64_t n, int64_t k, const float* weights, const float* src);

struct ConvShape {
  int64_t channels, height, width, out_channels, kernel, stride, pad, groups;
  int64_t out_height() const { return (height + 2 * pad - kernel) / stride + 1; }
  int64_t out_width() const { return (width + 2 * pad - kernel) / stride + 1; }
  double flops() const {
    return 2.0 * static_cast<double>(out_channels * out_height() * out_width() * channels / groups * kernel * kernel);
  }
};
// With images in the graph's layout (conversions to and from the library's layout are included), or in the library's
// preferred layout.
Peer dnnl_conv(const ConvShape& shape, bool plain_images);
// u8 images with i8 weights to f32; and the transposed convolution of images with this height and width. Both
// channels-last.
Peer dnnl_byte_conv(const ConvShape& shape);
Peer dnnl_conv_transpose(const ConvShape& shape);
Peer dnnl_pool(const ConvShape& shape, bool maximum);

// Over rows × columns floats.
Peer dnnl_soft_max(int64_t rows, int64_t columns);
Peer dnnl_layer_norm(int64_t rows, int64_t columns);
Peer dnnl_row_sums(int64_t rows, int64_t columns);
Peer dnnl_transpose(int64_t rows, int64_t columns);
enum class Function { Relu, Exp, Gelu, Silu };
Peer dnnl_function(Function function, int64_t n);

// Loops of <arenascope/peaks/loops.h>.
inline Peer read_loop(int64_t n) { return {"read loop", loops::read(n)}; }
inline Peer copy_loop(int64_t n) { return {"copy loop", loops::copy(n)}; }
inline Peer combine_loop(int64_t n) { return {"loop over three arrays", loops::combine(n)}; }
inline Peer multiply_add_loop(double flops) { return {"multiply-add loop", loops::multiply_add(flops)}; }

}  // namespace arenascope::cpu_bench
