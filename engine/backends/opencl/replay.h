// SPDX-License-Identifier: MIT
// Replay: a run's kernels recorded once (cl_khr_command_buffer) and queued as one from then on. Where copies to or from the
// host lie between kernels, as in a graph that is partitioned with the host, each stretch between two copies is a segment that
// is recorded and queued by itself. The first run is queued kernel by kernel, as tuning may measure in it; the second is
// recorded; the third and later ones are replayed.
#pragma once
#include <arenascope/trace/info.h>
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

class Replay final : public LaunchRecorder {
 public:
  // Does nothing but let runs through where the device has no command buffers or `wanted` is false.
  Replay(Runtime& runtime, bool wanted);
  ~Replay() { drop(); }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // A run that cannot be recorded: somebody looks between nodes, or tensors change their places.
  void begin_watched();
  // One that can. `places`: a number for where everything lies; what was recorded for others is of no use.
  void begin(uint64_t places);
  // Whether what is computed now has been recorded before.
  bool replaying() const { return state_ == State::Replaying; }
  int64_t replays() const { return replays_; }
  // How it stands, for people; run and time are left for whoever tells it.
  trace::ReplayInfo info() const;
  // Queues what was recorded. Errors: what the driver says.
  Status end();
  // The run ends before its last node.
  void break_off();

  cl_int record(cl_kernel kernel, int dims, const size_t* global, const size_t* local) override;
  cl_int cut() override;

 private:
  enum class State { Direct, Recording, Replaying };
  struct Segment {
    cl_command_buffer_khr commands = nullptr;  // null: no kernel lies in it
    int64_t kernels = 0;
  };
  void drop();
  void leave(State to);
  cl_int add_kernel(cl_kernel kernel, int dims, const size_t* global, const size_t* local);
  cl_int queue(const Segment& segment) const;

  Runtime& runtime_;
  bool usable_ = false, failed_ = false;
  bool warm_ = false;      // one run has gone by
  bool recorded_ = false;  // segments_ hold a whole run
  State state_ = State::Direct;
  int64_t replays_ = 0;
  uint64_t places_ = 0;                // of what was recorded
  std::vector<Segment> segments_;      // the last one is open while a run is recorded
  size_t next_ = 0;                    // to be queued
  std::vector<KernelHandle> kernels_;  // with their arguments: some drivers read these when a recording is queued
  clCreateCommandBufferKHR_fn create_ = nullptr;
  clReleaseCommandBufferKHR_fn release_ = nullptr;
  clFinalizeCommandBufferKHR_fn finalize_ = nullptr;
  clEnqueueCommandBufferKHR_fn enqueue_ = nullptr;
  clCommandNDRangeKernelKHR_fn kernel_ = nullptr;
};

}  // namespace arenascope::opencl
