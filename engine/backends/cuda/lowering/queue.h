// SPDX-License-Identifier: MIT
// Destination of lowered work: own kernels, and matmuls and convolutions of a library. The device's queue is a CUDA
// stream; the emulated one runs the same kernels on the host, with simple replacements of the libraries.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>
#include "engine/backends/cuda/kernels/kernel_list.h"
#include "engine/backends/cuda/kernels/portable.h"

#include <string>
#include <vector>

namespace arenascope::cuda {

// out[i][m][n] = scale · Σ a[i][n][k]·b[i][m][k] + bias[n] for `count` matmuls, with f32 sums.
struct LibraryMatmul {
  void* out = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;   // of the result's type, contiguous; null: none
  DType type = DType::F32;      // type of a and b
  DType out_type = DType::F32;  // f32, or the type of a and b
  int64_t n = 0, m = 0, k = 0;
  int64_t a_row = 0, b_row = 0;  // elements between rows with contiguous elements, or, if transposed,
  bool a_transposed = false, b_transposed = false;  // between columns with contiguous elements
  int64_t count = 1, out_batch = 0, a_batch = 0, b_batch = 0;
  float scale = 1;
};

// A convolution of contiguous tensors of one type, alone or with what follows it: out = relu(x * w + bias + added).
struct LibraryConvolution {
  void* out = nullptr;
  const void* x = nullptr;
  const void* w = nullptr;
  bool relu = false;            // false: neither bias nor sum
  const void* bias = nullptr;   // one value per channel
  const void* added = nullptr;  // of the result's shape; null: none
  DType type = DType::F32;
  bool transposed = false;
  int spatial = 2;
  int64_t x_sizes[5] = {}, w_sizes[5] = {}, out_sizes[5] = {};  // N C …, M C/groups …
  int strides[3] = {1, 1, 1}, dilations[3] = {1, 1, 1}, pads[3] = {};
  int64_t groups = 1;
};

struct LibraryPool {
  void* out = nullptr;
  const void* x = nullptr;
  DType type = DType::F32;
  bool largest = true, count_pads = false;
  int spatial = 2;
  int64_t x_sizes[5] = {}, out_sizes[5] = {};
  int kernel[3] = {1, 1, 1}, strides[3] = {1, 1, 1}, pads[3] = {};
};

// Library calls: supported problems and their scratch. A missing library supports nothing. If run() fails because the
// library cannot run the problem after all, at most part of the result is queued, and the problem is no longer
// supported.
class Libraries {
 public:
  virtual ~Libraries() = default;
  virtual bool takes(const LibraryMatmul& product) = 0;
  virtual bool takes(const LibraryConvolution& convolution) = 0;
  virtual bool takes(const LibraryPool& pool) = 0;
  virtual Bytes scratch(const LibraryMatmul& product) = 0;
  virtual Bytes scratch(const LibraryConvolution& convolution) = 0;
  virtual Status run(const LibraryMatmul& product, void* scratch, Bytes bytes) = 0;
  virtual Status run(const LibraryConvolution& convolution, void* scratch, Bytes bytes) = 0;
  virtual Status run(const LibraryPool& pool) = 0;
};

class Queue {
 public:
  virtual ~Queue() = default;
  virtual Status launch(KernelId kernel, const Grid& grid, const void* params, size_t bytes) = 0;
  virtual Libraries& libraries() = 0;
  virtual int multiprocessors() const = 0;
  // Notes for the user: libraries that are not used, and why.
  virtual std::vector<std::string> notes() const { return {}; }

  template <class Work>
  Status launch(KernelId kernel, const Grid& grid, const Work& work) {
    return launch(kernel, grid, &work, sizeof work);
  }
};

}  // namespace arenascope::cuda
