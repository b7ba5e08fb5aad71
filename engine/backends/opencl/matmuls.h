// SPDX-License-Identifier: MIT
// Matmuls by the blocked kernels of gemm.cl, and convolutions as such: what is multiplied, and by which way.
#pragma once
#include <string>

#include "engine/backends/opencl/call.h"

namespace arenascope::opencl {

// As gemm.cl has it.
struct Product {
  cl_int m, n, k;
  cl_int channels, height, width, out_height, out_width;
  cl_int kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_y, pad_x;
  cl_int biased;
  cl_int row_parts;
  cl_int depth;
  cl_float scale;
};

// `outer` matmuls one behind the other; strides in elements. What has no bias names its rows as such.
struct Products {
  Product p{};
  Operand columns, rows, bias, out;
  int64_t outer = 1, columns_stride = 0, rows_stride = 0, out_stride = 0;
  int rows_repeat = 1;
  bool half = false;   // float16 in memory
  std::string option;  // " -DMUL_MAT" or " -DCONV", with " -DHALF" where `half`
};

enum class MatmulWay : uint8_t { Panels, Tiles };

// Whether the device has room for it.
bool has_way(const Station& station, const Products& products, MatmulWay way);
// The one that suits the device without measuring, of those that it has room for.
MatmulWay usual_way(const Station& station, const Products& products);
Status run_matmuls(Station& station, const Products& products, MatmulWay way);

}  // namespace arenascope::opencl
