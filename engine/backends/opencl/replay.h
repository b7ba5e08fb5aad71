// SPDX-License-Identifier: MIT
// Replay: the kernels of a run are recorded once (cl_khr_command_buffer) and then queued as one command. Host copies
// between kernels, as in a graph that is partitioned with the host, split the run into segments, each recorded and
// queued separately. The first run queues kernel by kernel, because tuning may measure in it; the second is recorded;
// the third and later ones are replayed. A device reports the time of a segment as a whole, not of its kernels.
#pragma once
#include <arenascope/trace/info.h>
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

class Replay final : public LaunchRecorder {
 public:
  // Passes runs through unchanged if the device has no command buffers or `enabled` is false.
  Replay(Runtime& runtime, bool enabled);
  ~Replay() { drop(); }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Begins a run that cannot be recorded, because it is inspected between nodes or tensors change their addresses.
  void begin_inspected();
  // Begins a run that can be recorded. `fingerprint`: of all addresses; recordings with another fingerprint are
  // not replayed.
  void begin(uint64_t fingerprint);
  // True if the current run replays a recording.
  bool replaying() const { return state_ == State::Replaying; }
  // True if the current run queues kernel by kernel.
  bool direct() const { return state_ == State::Direct; }
  int64_t replays() const { return replays_; }
  // State of the replay for display; the caller fills in run and time.
  trace::ReplayInfo info() const;
  // Queues the recorded segments. Errors: driver errors.
  Status end();
  // The run ends before its last node.
  void abort_run();

  cl_int record(cl_kernel kernel, int dims, const size_t* global, const size_t* local) override;
  cl_int cut() override;

 private:
  enum class State { Direct, Recording, Replaying };
  struct Segment {
    cl_command_buffer_khr commands = nullptr;  // null: a segment without kernels
    int64_t kernels = 0;
  };
  void drop();
  void leave(State to);
  cl_int add_kernel(cl_kernel kernel, int dims, const size_t* global, const size_t* local);
  cl_int queue(const Segment& segment);

  Runtime& runtime_;
  bool usable_ = false, failed_ = false;
  bool warm_ = false;      // one run was completed
  bool recorded_ = false;  // segments_ hold a complete run
  State state_ = State::Direct;
  int64_t replays_ = 0;
  uint64_t fingerprint_ = 0;           // address fingerprint of the recording
  std::vector<Segment> segments_;      // the last one is open while a run is recorded
  size_t next_ = 0;                    // next segment to queue
  std::vector<KernelHandle> kernels_;  // keeps the arguments: some drivers read them when a recording is queued
  clCreateCommandBufferKHR_fn create_ = nullptr;
  clReleaseCommandBufferKHR_fn release_ = nullptr;
  clFinalizeCommandBufferKHR_fn finalize_ = nullptr;
  clEnqueueCommandBufferKHR_fn enqueue_ = nullptr;
  clCommandNDRangeKernelKHR_fn kernel_ = nullptr;
};

}  // namespace arenascope::opencl
