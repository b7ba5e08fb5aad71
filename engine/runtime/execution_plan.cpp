// SPDX-License-Identifier: MIT
#include <arenascope/runtime/execution_plan.h>

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/runtime/thread_pool.h>

namespace arenascope {

Result<ExecutionPlan> ExecutionPlan::make(const Graph& graph, MemoryPlan memory, const Backend& backend, int threads) {
  if (threads < 1 || threads > ThreadPool::kMaxThreads)
    return Error{fmt::format("{} threads are not between 1 and {}", threads, ThreadPool::kMaxThreads)};
  ExecutionPlan plan;
  plan.graph = graph;
  plan.threads = backend.runs_on_host_threads() ? threads : 1;
  plan.steps.reserve(memory.order.size());
  std::vector<uint8_t> joined(graph.nodes().size(), 0);
  for (NodeId id : memory.joined) joined[id.index()] = 1;
  for (NodeId id : memory.order) {
    const TensorImpl& node = graph.node(id);
    PlannedStep step{id, 0, 0, joined[id.index()] != 0};
    if (has_work(node)) {
      if (auto ok = backend.supports(node); !ok)
        return Error{fmt::format("node {} '{}' cannot run on {}: {}", id.value, node.name, backend.name(),
                                 ok.error().message)};
      step.tasks = std::clamp(backend.tasks(node, plan.threads), 1, plan.threads);
      step.work_bytes = backend.work_bytes(node, step.tasks);
      plan.work_bytes = std::max(plan.work_bytes, step.work_bytes);
    }
    plan.steps.push_back(step);
  }
  if (plan.work_bytes > 0) plan.work_bytes += 64 * plan.threads;
  plan.memory = std::move(memory);
  return plan;
}

}  // namespace arenascope
