// SPDX-License-Identifier: MIT
// Everything that is decided before a run: graph, order, memory plan, which backend computes each node in how many tasks,
// behind which nodes the threads meet, and the work buffers (the largest need, not the sum).
#pragma once
#include <vector>

#include <arenascope/base/limits.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

// Who computes a step.
enum class StepKind : uint8_t {
  Main,      // the backend that the graph was planned for
  Host,      // of a partitioned graph: the host's
  Transfer,  // a COPY between a device's memory and the host's, or of what is given on one of them: the first thread's
};

// What the threads do behind a step. Only Barrier lets another thread go on.
enum class Behind : uint8_t {
  Barrier,      // all meet
  Row,          // no barrier: the first thread alone computes this step and the next one with work
  Independent,  // no barrier: the next step with work needs nothing of this one's group and writes nothing that it uses
};

struct PlannedStep {
  NodeId node;
  int tasks = 0;  // threads that take part; 0: no work, the executor passes over it
  int parts = 0;  // pieces of work: `tasks`, or more, which threads that are done take over from others
  Behind behind = Behind::Barrier;
  Bytes work_bytes = 0;  // scratch that the node needs
  bool joined = false;   // where memory is planned, its result is there already: nothing to do
  StepKind kind = StepKind::Main;
};

struct ExecutionPlanOptions {
  bool rows = true;          // nodes that one thread computes, one behind the other, meet at no barrier
  bool stealing = true;      // long nodes are cut into more parts than threads
  bool independent = false;  // no barrier either between nodes that have nothing to do with each other
};

struct ExecutionPlan {
  Graph graph;
  MemoryPlan memory;
  std::vector<PlannedStep> steps;  // memory.order, with tasks
  int threads = 1;                 // of the host, that take part
  Bytes work_bytes = 0;            // the largest need of a step, plus a cache line a thread
  Bytes host_work_bytes = 0;       // the same of StepKind::Host

  // `host`: computes the nodes with Placement::Host of a graph that is partitioned between a device and the host.
  // Errors: a node that its backend cannot compute (the sentence names it), fewer than 1 thread.
  static Result<ExecutionPlan> make(const Graph& graph, MemoryPlan memory, const Capabilities& backend, int threads,
                                    const ExecutionPlanOptions& options = {}, const Capabilities* host = nullptr);
};

}  // namespace arenascope
