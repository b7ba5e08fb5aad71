// SPDX-License-Identifier: MIT
// What a backend tells of what it did: when its device did what, what it decided, what it measured. A backend on the host
// has nothing to tell; its threads are watched by who runs them.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/tensor/tensor_impl.h>
#include <arenascope/trace/info.h>

namespace arenascope {

// What a device did for a node, in nanoseconds of the clock that take_spans() was given.
struct DeviceSpan {
  const TensorImpl* node = nullptr;  // null: a copy at the caller's wish
  std::string_view what;             // the kernel, or the copy
  Nanoseconds queued = 0, submitted = 0, begin = 0, end = 0;
  Bytes copied = 0;  // > 0: it moved bytes between host and device
  bool to_device = false;
};

// What tuning found on a device, or took without measuring.
struct TuningResult {
  std::string kernel;   // the program and its kernel, with build options
  std::string sizes;    // work items in each dimension, or a matmul's sizes
  std::string choice;   // the group size, or which way of computing
  std::string level;    // how hard it tried
  double seconds = -1;  // of what was chosen; negative: not measured
  int tried = 0;        // candidates
};

// What a backend has to say about a run; whoever takes the notes fills in run and time.
struct BackendNotes {
  std::vector<trace::TuningInfo> tunings;
  std::optional<trace::ReplayInfo> replay;  // of a device that queues work
  std::vector<trace::Problem> problems;
  std::optional<Nanoseconds> clock_error;  // how far the times of its spans may be off the host's, either way
};

// A block of a device's pool.
using PoolBlock = trace::PoolBlockInfo;

class Telemetry {
 public:
  virtual ~Telemetry() = default;

  // Whether to keep the times of what is queued, and those kept since the last call. Waits for the device; `now` is the
  // host's clock.
  virtual void keep_spans(bool) {}
  virtual std::vector<DeviceSpan> take_spans(const std::function<Nanoseconds()>& /*now*/) { return {}; }
  // Copies that are asked for from now on are this node's; null: nobody's.
  virtual void attribute_copies(const TensorImpl* /*node*/) {}
  // What it decided since the last call and a user may want to know.
  virtual BackendNotes take_notes() { return {}; }
  // The tuning results that it keeps, of all levels, and the blocks of its pools, by address. May be called by any
  // thread.
  virtual std::vector<TuningResult> tuning_results() const { return {}; }
  virtual std::vector<PoolBlock> pool_blocks() const { return {}; }
};

}  // namespace arenascope
