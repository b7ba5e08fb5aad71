// SPDX-License-Identifier: MIT
// One kernel call: set the arguments in order, then run. The run function returns the first error.
#pragma once
#include <arenascope/runtime/backend.h>
#include "engine/backends/opencl/layout.h"
#include "engine/backends/opencl/runtime.h"
#include "engine/backends/opencl/tuner.h"

namespace arenascope::opencl {

// Implementation of integer dot products of packed bytes: none, the device's built-in, or emulated.
enum class IntegerDot : uint8_t { None, Device, Emulated };

// State of the backend that is needed to compute a node.
struct KernelContext {
  Runtime& runtime;
  Tuner& tuner;
  Bytes alignment = 64;      // alignment of sub-buffers
  cl_mem problem = nullptr;  // two longs: whether an index was out of range, and which one
  bool blocked = true;       // fast kernels may be used
  IntegerDot integer_dot =
      IntegerDot::None;   // for matmuls with quantised weights, whose activations are then quantised to 8 bits
  bool winograd = false;  // convolutions may use more memory to be faster
};

// A tensor operand of a kernel: a buffer and the offset of its first element.
struct Operand {
  cl_mem buffer = nullptr;
  int64_t offset = 0;  // in elements
};
Result<Operand> operand(KernelContext& ctx, const TensorImpl& tensor);

class Call {
 public:
  Call(KernelContext& ctx, const char* program, const std::string& options, const char* kernel);

  // Passes the buffer, then the layout with its offset set.
  Call& tensor(const TensorImpl& tensor, Layout layout);
  // Passes the buffer, then the offset as an int: for kernels on contiguous tensors.
  Call& flat(const TensorImpl& tensor);
  Call& buffer(cl_mem buffer);
  // Passes the image that holds the tensor or the storage.
  Call& image(const TensorImpl& tensor) { return image(tensor.storage); }
  Call& image(const Storage& storage);
  // Passes a scratch range that starts at `place` in a backend allocation.
  Call& scratch(const std::byte* place, Bytes bytes);
  Call& local(size_t bytes);  // local memory
  template <class T>
  Call& arg(const T& value) {
    set(sizeof value, &value);
    return *this;
  }

  // Runs `count` work items, padded to full groups: the kernel must check its id. 0: the default group size.
  Status items(int64_t count, size_t group = 0);
  // Runs `count` groups of that size.
  Status groups(int64_t count, size_t group);
  // Runs over two or three dimensions, padded; the group size is tuned.
  Status grid(std::initializer_list<int64_t> counts, std::initializer_list<size_t> group = {});

 private:
  void set(size_t bytes, const void* value);
  KernelContext& ctx_;
  std::string name_;
  const char* kernel_name_;
  cl_kernel kernel_ = nullptr;
  cl_uint next_ = 0;
  Status status_;
};

// Default group size of simple kernels.
size_t default_group(const DeviceFacts& facts);

}  // namespace arenascope::opencl
