// SPDX-License-Identifier: MIT
// Everything that is decided before a run: graph, order, memory plan, the tasks of each node, and the one work
// buffer (the largest need, not the sum).
#pragma once
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/memory_plan.h>

namespace arenascope {

struct PlannedStep {
  NodeId node;
  int tasks = 0;         // 0: no work, the executor passes over it
  Bytes work_bytes = 0;  // scratch that the node needs
  bool joined = false;   // where memory is planned, its result is there already: nothing to do
};

struct ExecutionPlan {
  Graph graph;
  MemoryPlan memory;
  std::vector<PlannedStep> steps;  // memory.order, with tasks
  int threads = 1;
  Bytes work_bytes = 0;  // the largest need of a step, plus a cache line a thread

  // Errors: a node that the backend cannot compute (the sentence names it), fewer than 1 thread.
  static Result<ExecutionPlan> make(const Graph& graph, MemoryPlan memory, const Backend& backend, int threads);
};

}  // namespace arenascope
