// SPDX-License-Identifier: MIT
// The decisions taken before a run: graph, execution order, memory plan, the backend and the number of tasks of each node,
// barrier placement, and the size of the work buffers (the largest need of a step, not the sum).
#pragma once
#include <vector>

#include <arenascope/base/limits.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

// The executor of a step.
enum class StepKind : uint8_t {
  Main,      // the backend that the graph was planned for
  Host,      // the host backend of a partitioned graph
  Transfer,  // a COPY between device and host memory, performed by the first thread
};

// Synchronisation after a step. Only Barrier lets a later step read results that other threads computed.
enum class SyncAfter : uint8_t {
  Barrier,     // all threads wait for each other
  SameThread,  // no barrier: the first thread alone computes this step and the next one with work
  None,  // no barrier: the next step with work is independent of all steps since the last barrier (no shared bytes written)
};

struct PlannedStep {
  NodeId node;
  int tasks = 0;  // threads that take part; 0: no work, the executor skips the step
  int parts = 0;  // chunks of work: `tasks`, or more where idle threads steal chunks
  SyncAfter sync_after = SyncAfter::Barrier;
  Bytes work_bytes = 0;  // scratch memory of the node
  bool joined =
      false;  // a concatenation whose inputs are aliased into its result: nothing to compute where memory is planned
  StepKind kind = StepKind::Main;
};

struct ExecutionPlanOptions {
  bool rows = true;          // no barrier between consecutive nodes that one thread computes
  bool stealing = true;      // work stealing: long nodes are split into more chunks than threads
  bool independent = false;  // no barrier between independent nodes
};

struct ExecutionPlan {
  Graph graph;
  MemoryPlan memory;
  std::vector<PlannedStep> steps;  // in the order of memory.order
  int threads = 1;                 // host threads
  Bytes work_bytes = 0;            // the largest need of a step, plus one cache line per thread
  Bytes host_work_bytes = 0;       // the same for steps of StepKind::Host

  // `host`: computes the nodes with Placement::Host of a graph that is partitioned between a device and the host.
  // Errors: a node that its backend cannot compute (the message names it), fewer than 1 thread.
  static Result<ExecutionPlan> make(const Graph& graph, MemoryPlan memory, const Capabilities& backend, int threads,
                                    const ExecutionPlanOptions& options = {}, const Capabilities* host = nullptr);
};

}  // namespace arenascope
