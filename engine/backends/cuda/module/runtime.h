// SPDX-License-Identifier: MIT
// The CUDA runtime as this module meets it: errors as sentences, the current device for the time of a scope, libraries
// that may be missing. The runtime is linked in and looks for the driver itself when it is first called.
#pragma once
#include <arenascope/base/result.h>
#include <cuda_runtime_api.h>

#include <string>

namespace arenascope::cuda {

// "cuda:0 could not ACTION: WHY"
Error cuda_error(int device, const char* action, cudaError_t code);
// ": WHY" where the runtime knows more of what a library could not do, a lost device for one; else "".
std::string and_why();
// Whether the driver has gone, at the end of the process.
bool is_end(cudaError_t code);
// Whether the device does nothing more for this process: a kernel broke its memory, or the hardware failed. Every later
// call says the same.
bool is_loss(cudaError_t code);

// Makes a device current and the earlier one again at the end.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = -1;
    if (before_ != device) status_ = cudaSetDevice(device);
    changed_ = before_ != device;
  }
  ~DeviceGuard() {
    if (changed_ && before_ >= 0) cudaSetDevice(before_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  cudaError_t status() const { return status_; }

 private:
  int before_ = -1;
  bool changed_ = false;
  cudaError_t status_ = cudaSuccess;
};

// A shared library that is looked for at run time.
class Library {
 public:
  // By its file's name: where the system looks, beside the toolkit of the build, and in the toolkit's usual places.
  explicit Library(const std::string& name);
  // The function of that name, or null; then `missing()` is not empty.
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(symbol(name));
  }
  const std::string& missing() const { return missing_; }

 private:
  void* symbol(const char* name);
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace arenascope::cuda
