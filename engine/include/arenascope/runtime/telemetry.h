// SPDX-License-Identifier: MIT
// Profiling data that a device backend reports: device spans, tuning results, diagnostics. A host backend reports none; the
// executor records its threads.
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

// Work of a device for one node, in nanoseconds of the clock passed to drain_spans().
struct DeviceSpan {
  const TensorImpl* node = nullptr;  // null: a copy requested by the caller
  std::string_view what;             // name of the kernel or the copy
  Nanoseconds queued = 0, submitted = 0, begin = 0, end = 0;
  Bytes copied = 0;  // > 0: bytes copied between host and device
  bool to_device = false;
};

// A result of tuning on a device: a measured choice, or a default.
struct TuningResult {
  std::string kernel;   // program and kernel, with build options
  std::string sizes;    // work items per dimension, or the sizes of a matmul
  std::string choice;   // work-group size or algorithm
  std::string level;    // tuning level
  double seconds = -1;  // time of the chosen candidate; negative: not measured
  int tried = 0;        // number of candidates
};

// Diagnostics of a backend about a run. The caller fills in run and time.
struct BackendDiagnostics {
  std::vector<trace::TuningInfo> tunings;
  std::optional<trace::ReplayInfo> replay;  // of a device that replays recorded work
  std::vector<trace::Problem> problems;
  std::optional<Nanoseconds> clock_error;  // bound on the error of span times relative to the host's clock
};

// A block of a device's pool.
using PoolBlock = trace::PoolBlockInfo;

class Telemetry {
 public:
  virtual ~Telemetry() = default;

  // Turns the collection of device spans on or off.
  virtual void enable_profiling(bool) {}
  // Returns the spans collected since the last call. Waits for the device; `now` is the host's clock.
  virtual std::vector<DeviceSpan> drain_spans(const std::function<Nanoseconds()>& /*now*/) { return {}; }
  // Attributes subsequent copies to this node; null: to none.
  virtual void attribute_copies(const TensorImpl* /*node*/) {}
  // Returns the diagnostics since the last call.
  virtual BackendDiagnostics drain_diagnostics() { return {}; }
  // All cached tuning results, and the blocks of the memory pools by address. Thread-safe.
  virtual std::vector<TuningResult> tuning_results() const { return {}; }
  virtual std::vector<PoolBlock> pool_blocks() const { return {}; }
};

}  // namespace arenascope
