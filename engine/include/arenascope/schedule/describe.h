// SPDX-License-Identifier: MIT
// Tells the trace what there is: graphs, plans and object arenas in its own words.
#pragma once
#include <arenascope/memory/execution_context.h>
#include <arenascope/schedule/execution_plan.h>
#include <arenascope/trace/info.h>
#include <arenascope/trace/recorder.h>

namespace arenascope {

trace::GraphInfo describe_graph(const ExecutionPlan& plan);
// Also for a graph that was only planned: no tasks, no work bytes.
trace::GraphInfo describe_graph(const Graph& graph);
trace::PlanInfo describe_plan(const MemoryPlan& plan);  // `graph` is left for the caller
trace::ContextInfo describe_context(const Context& context);

// Is told whose memory is, once it was handed out.
class OwnerObserver {
 public:
  virtual ~OwnerObserver() = default;
  // `tensor` none: it is the arena of the graph's plan. `bytes`: what of the block it needs.
  virtual void on_own(const MemoryBlock& block, trace::GraphId graph, trace::TensorRef tensor, Bytes bytes) = 0;
  // A run has ended: how the context's allocators stand now.
  virtual void on_states(const ExecutionContext&) {}
};

// Writes a context's allocations to a recorder's track of their own, and whose they are behind them.
class AllocationRecorder : public AllocationObserver, public OwnerObserver {};
// `main_memory`: a device beside the host whose memory is the process's own, or the host again.
std::shared_ptr<AllocationRecorder> make_allocation_recorder(trace::Recorder& recorder, Device main_memory = {});

}  // namespace arenascope
