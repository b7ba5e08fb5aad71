// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/replay.h"

#include <utility>

namespace arenascope::opencl {

Replay::Replay(Runtime& runtime, bool enabled) : runtime_(runtime) {
  if (!enabled || !runtime.facts().command_buffer) return;
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
  out.replays = replays_;
  if (!recorded_) return out;
  for (const Segment& segment : segments_) {
    out.segments += segment.kernels > 0;
    out.kernels += segment.kernels;
  }
  return out;
}

void Replay::drop() {
  leave(State::Direct);
  for (const Segment& segment : segments_)
    if (segment.commands) release_(segment.commands);
  segments_.clear();
  kernels_.clear();
  recorded_ = false;
}

void Replay::leave(State to) {
  state_ = to;
  runtime_.set_recorder(to == State::Direct ? nullptr : this);
}

void Replay::begin_inspected() {
  if (state_ == State::Recording) drop();  // it was aborted
  leave(State::Direct);
  warm_ = true;
}

void Replay::begin(uint64_t fingerprint) {
  if (state_ == State::Recording || (recorded_ && fingerprint != fingerprint_)) drop();
  leave(State::Direct);
  if (!usable_) return;
  if (!std::exchange(warm_, true)) return;
  fingerprint_ = fingerprint;
  next_ = 0;
  if (!recorded_) segments_.emplace_back();
  leave(recorded_ ? State::Replaying : State::Recording);
}

void Replay::abort_run() {
  if (state_ == State::Recording) {
    (void)runtime_.finish();  // the segments that are queued already
    drop();
  }
  leave(State::Direct);
}

cl_int Replay::add_kernel(cl_kernel kernel, int dims, const size_t* global, const size_t* local) {
  Segment& open = segments_.back();
  cl_int code = CL_SUCCESS;
  if (!open.commands) {
    cl_command_queue queue = runtime_.queue();
    open.commands = create_(1, &queue, nullptr, &code);
    if (code != CL_SUCCESS) {
      open.commands = nullptr;
      return code;
    }
  }
  KernelHandle own(clCloneKernel(kernel, &code));
  if (code == CL_SUCCESS)
    code = kernel_(open.commands, nullptr, nullptr, own.get(), static_cast<cl_uint>(dims), nullptr, global, local, 0,
                   nullptr, nullptr, nullptr);
  if (code != CL_SUCCESS) return code;
  kernels_.push_back(std::move(own));
  ++open.kernels;
  return code;
}

cl_int Replay::record(cl_kernel kernel, int dims, const size_t* global, const size_t* local) {
  const cl_int code = add_kernel(kernel, dims, global, local);
  if (code == CL_SUCCESS) return code;
  runtime_.log("the device's command buffers are not usable (" + error_name(code) + "); kernels are queued one by one");
  usable_ = false, failed_ = true;
  const cl_int queued = cut();
  leave(State::Direct);  // queued work must be kept until it has finished: the next run drops it
  if (queued != CL_SUCCESS) return queued;
  return clEnqueueNDRangeKernel(runtime_.queue(), kernel, static_cast<cl_uint>(dims), nullptr, global, local, 0,
                                nullptr, nullptr);
}

cl_int Replay::queue(const Segment& segment) {
  if (segment.kernels == 0) return CL_SUCCESS;
  return runtime_.keep_launch(
      "command buffer", [&](cl_event* event) { return enqueue_(0, nullptr, segment.commands, 0, nullptr, event); });
}

cl_int Replay::cut() {
  if (state_ == State::Replaying) return next_ < segments_.size() ? queue(segments_[next_++]) : CL_INVALID_OPERATION;
  Segment& open = segments_.back();
  if (open.kernels > 0)
    if (const cl_int code = finalize_(open.commands); code != CL_SUCCESS) return code;
  const cl_int code = queue(open);
  segments_.emplace_back();
  return code;
}

Status Replay::end() {
  if (state_ == State::Direct) return {};
  const cl_int code = cut();
  if (state_ == State::Replaying) {
    ++replays_;
  } else {
    segments_.pop_back();  // opened by cut()
    recorded_ = code == CL_SUCCESS;
  }
  leave(State::Direct);
  return code == CL_SUCCESS ? Status() : runtime_.lost("replaying a run", code);
}

}  // namespace arenascope::opencl
