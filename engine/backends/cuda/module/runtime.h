// SPDX-License-Identifier: MIT
// Helpers for the CUDA runtime: error messages, a scope guard for the current device, optional libraries. The runtime
// is linked statically and loads the driver on its first call.
#pragma once
#include <arenascope/base/result.h>
#include <cuda_runtime_api.h>

#include <string>

namespace arenascope::cuda {

// "cuda:0 could not ACTION: WHY"
Error cuda_error(int device, const char* action, cudaError_t code);
// ": WHY" if the runtime has more information about a library failure, such as a lost device; else empty.
std::string and_why();
// True if the driver was unloaded, at process exit.
bool is_end(cudaError_t code);
// True if the device is unusable for this process: a kernel corrupted its memory, or the hardware failed. Every later
// call returns the same error.
bool is_loss(cudaError_t code);

// Makes a device current and restores the previous one at the end of the scope.
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

// A shared library that is loaded at run time.
class Library {
 public:
  // By file name: in the system's search path, next to the toolkit of the build, and in the toolkit's default
  // locations.
  explicit Library(const std::string& name);
  // Sets `function`, or null; then `missing()` is not empty.
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
