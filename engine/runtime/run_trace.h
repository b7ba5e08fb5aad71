// SPDX-License-Identifier: MIT
// What an executor tells a recorder: its threads' and its device's rows, what it runs, and each run; before a run and
// behind it, never on the way.
#pragma once
#include <span>
#include <vector>

#include <arenascope/runtime/executor.h>

#include "engine/runtime/step_list.h"

namespace arenascope {

// Without a recorder it does nothing and all rings are null.
class RunTrace {
 public:
  // What the options refer to outlives it.
  RunTrace(Backend& backend, const ExecutorOptions& options);

  bool on() const { return options_.recorder != nullptr; }
  // Threads' rows, then a device's.
  const std::vector<trace::ThreadRing*>& rings() const { return rings_; }
  trace::GraphId graph() const { return run_info_.graph; }
  trace::PlanId plan() const { return run_info_.plan; }

  // Graph, plan and what all runs have in common. Where the tensors lie is read from what was bound.
  void describe(const ExecutionPlan& plan, const StepList& steps, const Storage& arena);
  trace::RunId begin(int threads, bool stepped);
  void end(const trace::RunEnd& end, std::span<const DeviceSpan> spans, const Graph& graph);

 private:
  void add_device_rows(Backend& backend);
  void record_spans(trace::RunId run, std::span<const DeviceSpan> spans, const Graph& graph);
  void record_notes(trace::RunId run);

  Backend& backend_;
  const ExecutorOptions& options_;
  std::vector<trace::ThreadRing*> rings_;
  trace::DeviceId device_;
  trace::RunInfo run_info_;                        // what all runs have in common
  Nanoseconds load_known_ = 0;                     // when the machine's load was read
  std::vector<trace::PoolBlockInfo> pool_blocks_;  // as they were told last
};

}  // namespace arenascope
