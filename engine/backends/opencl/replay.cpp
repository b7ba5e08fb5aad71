// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/replay.h"

namespace arenascope::opencl {

Replay::Replay(Runtime& runtime, bool wanted) : runtime_(runtime) {
  if (!wanted || !runtime.facts().command_buffer) return;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        clGetExtensionFunctionAddressForPlatform(runtime.facts().platform, name));
    return function != nullptr;
  };
  usable_ = find("clCreateCommandBufferKHR", create_) && find("clReleaseCommandBufferKHR", release_) &&
            find("clFinalizeCommandBufferKHR", finalize_) && find("clEnqueueCommandBufferKHR", enqueue_) &&
            find("clCommandNDRangeKernelKHR", kernel_);
}

trace::ReplayInfo Replay::info() const {
  trace::ReplayInfo out;
  out.state = failed_     ? trace::ReplayState::Failed
              : recorded_ ? trace::ReplayState::Recorded
              : usable_   ? trace::ReplayState::Direct
                          : trace::ReplayState::Unavailable;
  out.segments = recorded_ ? 1 : 0;
  out.kernels = recorded_ ? recorded_kernels_ : 0;
  out.replays = replays_;
  return out;
}

void Replay::drop() {
  runtime_.set_recorder({});
  if (commands_) release_(commands_);
  commands_ = nullptr;
  kernels_.clear();
  warm_ = recorded_ = false;
  state_ = State::Direct;
}

void Replay::begin(bool as_one) {
  // A recording that no end() closed was broken off: the next run records anew.
  if (state_ == State::Recording) {
    drop();
    warm_ = true;
  }
  state_ = State::Direct;
  if (!usable_ || !as_one) return;
  if (recorded_) {
    state_ = State::Replaying;
    return;
  }
  if (!warm_) {
    warm_ = true;
    return;
  }
  cl_command_queue queue = runtime_.queue();
  cl_int code = CL_SUCCESS;
  commands_ = create_(1, &queue, nullptr, &code);
  if (code != CL_SUCCESS) {
    commands_ = nullptr;
    usable_ = false, failed_ = true;
    runtime_.log("the device's command buffers cannot be used (" + error_name(code) +
                 "); kernels are queued one by one");
    return;
  }
  recorded_kernels_ = 0;
  state_ = State::Recording;
  runtime_.set_recorder([this](cl_kernel kernel, int dims, const size_t* global, const size_t* local) {
    return record(kernel, dims, global, local);
  });
}

cl_int Replay::record(cl_kernel kernel, int dims, const size_t* global, const size_t* local) {
  if (usable_) {
    cl_int code = CL_SUCCESS;
    KernelHandle own(clCloneKernel(kernel, &code));
    if (code == CL_SUCCESS)
      code = kernel_(commands_, nullptr, nullptr, own.get(), static_cast<cl_uint>(dims), nullptr, global, local, 0,
                     nullptr, nullptr, nullptr);
    if (code == CL_SUCCESS) {
      kernels_.push_back(std::move(own));
      ++recorded_kernels_;
      return code;
    }
    runtime_.log("a kernel cannot be recorded (" + error_name(code) + "); kernels are queued one by one");
    usable_ = false, failed_ = true;
    if (const cl_int closed = close(); closed != CL_SUCCESS) return closed;
  }
  return clEnqueueNDRangeKernel(runtime_.queue(), kernel, static_cast<cl_uint>(dims), nullptr, global, local, 0,
                                nullptr, nullptr);
}

cl_int Replay::close() {
  if (recorded_kernels_ == 0) return CL_SUCCESS;
  if (const cl_int code = finalize_(commands_); code != CL_SUCCESS) return code;
  return enqueue_(0, nullptr, commands_, 0, nullptr, nullptr);
}

Status Replay::end() {
  if (state_ == State::Direct) return {};
  cl_int code = CL_SUCCESS;
  if (state_ == State::Replaying) {
    code = recorded_kernels_ > 0 ? enqueue_(0, nullptr, commands_, 0, nullptr, nullptr) : CL_SUCCESS;
    ++replays_;
  } else {
    runtime_.set_recorder({});
    if (usable_) {
      code = close();
      recorded_ = code == CL_SUCCESS;
    }
  }
  state_ = State::Direct;
  return code == CL_SUCCESS ? Status() : runtime_.lost("replaying a run", code);
}

}  // namespace arenascope::opencl
