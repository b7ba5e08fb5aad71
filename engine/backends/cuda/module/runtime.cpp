// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/module/runtime.h"
#include <dlfcn.h>
#include <fmt/format.h>

namespace arenascope::cuda {

Error cuda_error(int device, const char* action, cudaError_t code) {
  cudaGetLastError();  // clears a non-sticky error, which the next call would report
  return Error{fmt::format("cuda:{} could not {}: {}{}", device, action, cudaGetErrorString(code),
                           is_loss(code) ? "; the device is unusable for this process" : "")};
}

std::string and_why() {
  const cudaError_t code = cudaGetLastError();
  return code == cudaSuccess ? "" : fmt::format(": {}", cudaGetErrorString(code));
}

bool is_end(cudaError_t code) { return code == cudaErrorCudartUnloading || code == cudaErrorContextIsDestroyed; }

bool is_loss(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice: return true;
    default: return false;
  }
}

// Libraries are never closed: their own cleanup may run after ours.
Library::Library(const std::string& name) {
  for (const char* folder : {"", ARENASCOPE_CUDA_LIBRARIES "/", ARENASCOPE_CUDA_LIBRARIES "/../extras/CUPTI/lib64/",
                             "/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"})
    if ((handle_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL))) return;
  missing_ = name + " not found";
}

void* Library::symbol(const char* name) {
  if (!handle_) return nullptr;
  void* found = dlsym(handle_, name);
  if (!found && missing_.empty()) missing_ = fmt::format("missing symbol {}", name);
  return found;
}

}  // namespace arenascope::cuda
