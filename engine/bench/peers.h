// SPDX-License-Identifier: MIT
// What the kernels are compared with: libraries called directly, each on this thread alone, with everything that they
// can prepare prepared; and plain loops that tell what the machine can do. A function that the library cannot do, or
// whose library is missing, is empty.
#pragma once
#include "engine/bench/kit.h"

namespace arenascope::cpu_bench {

// dst[m, n] = src[m, k]·weightsᵀ[n, k]. src and dst are made by the peer; the weights are packed as it likes.
enum class Number { F32, BF16, I8 };
Peer dnnl_product(Number type, int64_t m, int64_t n, int64_t k);
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
// With plain images as a graph has them (conversions to and from the library's layout are part of the work), or with
// images in the layout that the library likes best.
Peer dnnl_conv(const ConvShape& shape, bool plain_images);
// Of u8 with weights of i8 to f32; and the transposed one of images of that height and width; both with channels last.
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

// Loops over arrays of n floats of their own. Write: n floats written, and as many read from each source.
Peer read_loop(int64_t n);
Peer copy_loop(int64_t n);     // the processor's widest loads, and stores past the caches where the array is large
Peer combine_loop(int64_t n);  // a[i] + b[i], likewise
Peer multiply_add_loop(double flops);  // at least that many a call

}  // namespace arenascope::cpu_bench
