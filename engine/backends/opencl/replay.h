// SPDX-License-Identifier: MIT
// Replay: a run's kernels recorded once (cl_khr_command_buffer) and queued as one from then on. The first run is queued
// kernel by kernel, as tuning may measure in it; the second is recorded; the third and later ones are replayed.
#pragma once
#include <arenascope/trace/info.h>
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

class Replay {
 public:
  // Does nothing but let runs through where the device has no command buffers or `wanted` is false.
  Replay(Runtime& runtime, bool wanted);
  ~Replay() { drop(); }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Another graph or other memory: what was recorded is of no use.
  void drop();
  void begin(bool as_one);
  // Whether what is computed now has been recorded before.
  bool replaying() const { return state_ == State::Replaying; }
  int64_t replays() const { return replays_; }
  // How it stands, for people; run and time are left for whoever tells it.
  trace::ReplayInfo info() const;
  // Queues what was recorded. Errors: what the driver says.
  Status end();

 private:
  enum class State { Direct, Recording, Replaying };
  cl_int record(cl_kernel kernel, int dims, const size_t* global, const size_t* local);
  cl_int close();  // ends recording and queues what there is

  Runtime& runtime_;
  bool usable_ = false, failed_ = false;
  bool warm_ = false;      // one run has gone by
  bool recorded_ = false;  // commands_ holds a whole run
  State state_ = State::Direct;
  int64_t replays_ = 0, recorded_kernels_ = 0;
  std::vector<KernelHandle> kernels_;  // with their arguments: some drivers read these when a recording is queued
  cl_command_buffer_khr commands_ = nullptr;
  clCreateCommandBufferKHR_fn create_ = nullptr;
  clReleaseCommandBufferKHR_fn release_ = nullptr;
  clFinalizeCommandBufferKHR_fn finalize_ = nullptr;
  clEnqueueCommandBufferKHR_fn enqueue_ = nullptr;
  clCommandNDRangeKernelKHR_fn kernel_ = nullptr;
};

}  // namespace arenascope::opencl
