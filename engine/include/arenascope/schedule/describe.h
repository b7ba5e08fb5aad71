// SPDX-License-Identifier: MIT
// Converts graphs, plans, contexts and allocations to the types of a recording.
#pragma once
#include <arenascope/memory/execution_context.h>
#include <arenascope/schedule/execution_plan.h>
#include <arenascope/trace/info.h>
#include <arenascope/trace/recorder.h>

namespace arenascope {

trace::GraphInfo describe_graph(const ExecutionPlan& plan);
// Also for a graph that was only planned: no tasks, no work bytes.
trace::GraphInfo describe_graph(const Graph& graph);
trace::PlanInfo describe_plan(const MemoryPlan& plan);  // the caller sets `graph`
trace::ContextInfo describe_context(const Context& context);
trace::MemoryKind trace_kind(MemoryKind kind);

// Is notified of the binding of tensors to allocated blocks.
class BindingObserver {
 public:
  virtual ~BindingObserver() = default;
  // `tensor`: none for the arena of the graph's plan. `bytes`: the bytes of the block that the tensor needs.
  virtual void on_bind_tensor(const MemoryBlock& block, trace::GraphId graph, trace::TensorRef tensor, Bytes bytes) = 0;
  // Called after a run, to record the state of the context's allocators.
  virtual void on_states(const ExecutionContext&) {}
};

// Records a context's allocations, each followed by its tensor binding, on a separate track.
class AllocationRecorder : public AllocationObserver, public BindingObserver {};
// `main_memory`: another device that uses the memory of this process, or the host.
std::shared_ptr<AllocationRecorder> make_allocation_recorder(trace::Recorder& recorder, Device main_memory = {});

}  // namespace arenascope
