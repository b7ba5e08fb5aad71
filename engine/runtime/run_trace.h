// SPDX-License-Identifier: MIT
// Recording of an executor: tracks of its threads and its device, graph, plan, and each run. It writes before and after a
// run, never during it.
#pragma once
#include <span>
#include <vector>

#include <arenascope/runtime/executor.h>

#include "engine/runtime/step_list.h"

namespace arenascope {

// Does nothing without a recorder; all rings are then null.
class RunTrace {
 public:
  // Everything the options refer to must outlive this object.
  RunTrace(Backend& backend, const ExecutorOptions& options);

  bool on() const { return options_.recorder != nullptr; }
  // Rings of the threads' tracks, then of the device's.
  const std::vector<trace::ThreadRing*>& rings() const { return rings_; }
  trace::GraphId graph() const { return run_info_.graph; }
  trace::PlanId plan() const { return run_info_.plan; }

  // Records graph, plan and what all runs have in common. Addresses are those of the bound memory.
  void describe(const ExecutionPlan& plan, const StepList& steps, const Storage& arena);
  trace::RunId begin(int threads, bool stepped);
  void end(const trace::RunEnd& end, std::span<const DeviceSpan> spans, const Graph& graph);

 private:
  void add_device_rows(Backend& backend);
  void record_spans(trace::RunId run, std::span<const DeviceSpan> spans, const Graph& graph);
  void record_diagnostics(trace::RunId run);

  Backend& backend_;
  const ExecutorOptions& options_;
  std::vector<trace::ThreadRing*> rings_;
  trace::DeviceId device_;
  trace::RunInfo run_info_;                        // common to all runs
  Nanoseconds load_known_ = 0;                     // when the load of the machine was read
  std::vector<trace::PoolBlockInfo> pool_blocks_;  // as recorded last
};

}  // namespace arenascope
