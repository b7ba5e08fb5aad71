// SPDX-License-Identifier: MIT
// Where lowered work goes: kernels of our own, and products and convolutions of a library. The device's queue is a CUDA
// stream; the emulated one runs the same kernels on the host, and a plain stand-in for the libraries.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>
#include "engine/backends/cuda/kernels/kernel_list.h"
#include "engine/backends/cuda/kernels/portable.h"

#include <string>
#include <vector>

namespace arenascope::cuda {

// out[i][m][n] = scale · Σ a[i][n][k]·b[i][m][k] + bias[n] for `count` products, all f32 in the result.
struct LibraryProduct {
  void* out = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;  // f32, its elements neighbours; null: none
  DType type = DType::F32;     // of a and b
  int64_t n = 0, m = 0, k = 0;
  int64_t a_row = 0, b_row = 0;             // elements between rows, whose elements are neighbours, or with
  bool a_turned = false, b_turned = false;  // these between columns: the rows' elements lie that far apart
  int64_t count = 1, out_batch = 0, a_batch = 0, b_batch = 0;
  float scale = 1;
};

// A convolution of contiguous tensors of one type, without its bias.
struct LibraryConvolution {
  void* out = nullptr;
  const void* x = nullptr;
  const void* w = nullptr;
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

// What a library takes, and how much scratch it needs. A library that is not there takes nothing. One that finds out
// only in run() that it cannot has queued at most some of the result, and from then on does not take the problem.
class Libraries {
 public:
  virtual ~Libraries() = default;
  virtual bool takes(const LibraryProduct& product) = 0;
  virtual bool takes(const LibraryConvolution& convolution) = 0;
  virtual bool takes(const LibraryPool& pool) = 0;
  virtual Bytes scratch(const LibraryProduct& product) = 0;
  virtual Bytes scratch(const LibraryConvolution& convolution) = 0;
  virtual Status run(const LibraryProduct& product, void* scratch, Bytes bytes) = 0;
  virtual Status run(const LibraryConvolution& convolution, void* scratch, Bytes bytes) = 0;
  virtual Status run(const LibraryPool& pool) = 0;
};

class Queue {
 public:
  virtual ~Queue() = default;
  virtual Status launch(KernelId kernel, const Grid& grid, const void* params, size_t bytes) = 0;
  virtual Libraries& libraries() = 0;
  virtual int multiprocessors() const = 0;
  // What its user may want to know, one sentence each: which library is not used, and why.
  virtual std::vector<std::string> notes() const { return {}; }

  template <class Work>
  Status launch(KernelId kernel, const Grid& grid, const Work& work) {
    return launch(kernel, grid, &work, sizeof work);
  }
};

}  // namespace arenascope::cuda
