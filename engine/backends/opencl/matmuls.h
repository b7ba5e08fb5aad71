// SPDX-License-Identifier: MIT
// Matmuls, and convolutions as matmuls, by the blocked kernels of gemm.cl.
#pragma once
#include <string>

#include "engine/backends/opencl/call.h"

namespace arenascope::opencl {

// The same struct as in gemm.cl.
struct MatmulParams {
  cl_int m, n, k;
  cl_int channels, height, width, out_height, out_width;
  cl_int kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_y, pad_x;
  cl_int biased;
  cl_int row_parts;
  cl_int depth;
  cl_float scale;
};

// `outer` consecutive matmuls; strides in elements. Without a bias, `bias` repeats the rows operand and is not read.
struct MatmulBatch {
  MatmulParams p{};
  Operand columns, rows, bias, out;
  int64_t outer = 1, columns_stride = 0, rows_stride = 0, out_stride = 0;
  int rows_repeat = 1;
  bool half = false;   // stored as float16
  std::string option;  // " -DMUL_MAT" or " -DCONV", plus " -DHALF" if `half`
};

enum class MatmulKernel : uint8_t { Panels, Tiles };

// True if the device has enough local memory for the kernel.
bool supports_kernel(const KernelContext& ctx, const MatmulBatch& matmuls, MatmulKernel variant);
// The default of the supported kernels for this device, without measuring.
MatmulKernel default_kernel(const KernelContext& ctx, const MatmulBatch& matmuls);
Status run_matmuls(KernelContext& ctx, const MatmulBatch& matmuls, MatmulKernel variant);

}  // namespace arenascope::opencl
