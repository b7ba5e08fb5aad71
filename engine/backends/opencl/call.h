// SPDX-License-Identifier: MIT
// One kernel call: arguments in order, then run. The first thing that goes wrong is what run() returns.
#pragma once
#include <arenascope/runtime/backend.h>
#include "engine/backends/opencl/layout.h"
#include "engine/backends/opencl/runtime.h"
#include "engine/backends/opencl/tuner.h"

namespace arenascope::opencl {

// How integer dot products of packed bytes are computed: not at all, by the device's own, or written out.
enum class IntegerDot : uint8_t { None, Device, Written };

// What computing a node needs beside the node.
struct Station {
  Runtime& runtime;
  Tuner& tuner;
  Bytes alignment = 64;                       // of sub-buffers
  cl_mem problem = nullptr;                   // two longs: whether an index was outside its table, and which
  bool blocked = true;                        // fast kernels may be used
  IntegerDot integer_dot = IntegerDot::None;  // in matmuls with quantised weights, whose rows are then rounded to bytes
  bool winograd = false;                      // convolutions may take more memory to be sooner
};

// A tensor as kernels see it: a buffer and the elements' places from its start.
struct Operand {
  cl_mem buffer = nullptr;
  int64_t offset = 0;  // elements, of the tensor's first one
};
Result<Operand> operand(Station& station, const TensorImpl& tensor);

class Call {
 public:
  Call(Station& station, const char* program, const std::string& options, const char* kernel);

  // The buffer, then the layout with its offset set.
  Call& tensor(const TensorImpl& tensor, Layout layout);
  // The buffer, then the offset as an int: for the kernels of contiguous tensors.
  Call& flat(const TensorImpl& tensor);
  Call& buffer(cl_mem buffer);
  // The image that a packed tensor, or the storage, lies in.
  Call& image(const TensorImpl& tensor) { return image(tensor.storage); }
  Call& image(const Storage& storage);
  // Scratch of a backend allocation, from `offset` bytes on.
  Call& scratch(const std::byte* place, Bytes bytes);
  Call& local(size_t bytes);  // local memory
  template <class T>
  Call& arg(const T& value) {
    set(sizeof value, &value);
    return *this;
  }

  // Over `count` work items, padded to whole groups: the kernel has to look at its id. 0: the usual group size.
  Status items(int64_t count, size_t group = 0);
  // `groups` groups of that size.
  Status groups(int64_t count, size_t group);
  // Over two or three dimensions, padded; the group size is tuned.
  Status grid(std::initializer_list<int64_t> counts, std::initializer_list<size_t> group = {});

 private:
  void set(size_t bytes, const void* value);
  Station& station_;
  std::string name_;
  const char* kernel_name_;
  cl_kernel kernel_ = nullptr;
  cl_uint next_ = 0;
  Status status_;
};

// The usual number of work items in a group of simple kernels.
size_t usual_group(const DeviceFacts& facts);

}  // namespace arenascope::opencl
