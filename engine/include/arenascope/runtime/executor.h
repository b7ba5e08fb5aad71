// SPDX-License-Identifier: MIT
// Runs an ExecutionPlan: all threads work on one node, meet at a barrier, then the next node. What happens between
// two nodes (pausing, callbacks, allocating) is done by the first thread, before anybody leaves. Of a graph that is
// partitioned between a device and the host, the first thread queues the device's nodes and has copies done, and all
// threads compute the host's.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/memory_strategy.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/runtime/thread_pool.h>
#include <arenascope/schedule/execution_plan.h>
#include <arenascope/trace/recorder.h>

namespace arenascope {

class OwnerObserver;  // schedule/describe.h

struct ExecutorOptions {
  int threads = 1;  // of the host; must be the plan's
  MemoryStrategy strategy = MemoryStrategy::Planned;
  trace::Recorder* recorder = nullptr;    // null: nothing is recorded; it outlives the executor
  std::string model;                      // the name under which the graph is described
  trace::GraphId behind;                  // see GraphInfo
  int64_t waits = 0;                      // the same
  std::vector<trace::ThreadRing*> rings;  // of an earlier executor, so that its threads keep their rows; or none
  ThreadPoolOptions pool;                 // where its threads run, and how important they are
  // Threads that others use too, one after the other: none are made then, and `pool` is not read. Null: its own.
  std::shared_ptr<ThreadPool> shared_pool = nullptr;
  int polling = 50;           // 0: a thread that waits parks at once; 100: it looks for twice as long as usual
  bool hold_threads = false;  // all threads take part even beside other work, where one alone would be sooner
  Backend* host = nullptr;    // of a partitioned graph: computes what `backend` does not; it outlives the executor
  std::shared_ptr<OwnerObserver> owners = nullptr;  // is told whose the memory is that tensors lie in
};

// What backends prepared for an executor's steps.
struct PreparedSteps {
  std::unique_ptr<PreparedRun> main, host;
};

struct NodeTime {
  Nanoseconds nanoseconds = 0;               // from the first thread's start to the last one's end
  Nanoseconds barrier_wait_nanoseconds = 0;  // summed over the threads
};

struct RunReport {
  Nanoseconds nanoseconds = 0;
  std::vector<NodeTime> nodes;  // by step; empty unless timed
  int threads = 1;              // that took part
  bool fell_back = false;       // one alone did all, as that is sooner beside other work on the processors
  int64_t barriers = 0;         // at which they met
  bool stepped = false;         // it had other barriers than the plan's, for somebody to look between nodes
  bool aborted = false;
};

struct RunOptions {
  bool timed = false;             // fill RunReport::nodes
  RunControl* control = nullptr;  // pause, step, abort from elsewhere; unused it changes nothing
  // Looks at a node's result before the next node starts; false ends the run. With this or the next one the run is
  // stepped: it has a barrier behind every node.
  std::function<bool(NodeId node, Step step)> after_node;
  // Asked before a node with work starts: true pauses there (needs a control). Breakpoints.
  std::function<bool(NodeId node, Step step)> break_before;
};

class Executor {
 public:
  // Errors: no memory, the system refuses threads, a shared pool of another number of threads.
  static Result<std::unique_ptr<Executor>> create(Backend& backend, std::shared_ptr<ExecutionContext> context,
                                                  ExecutorOptions options);
  ~Executor();

  // Takes the plan and binds memory to its graph's tensors: the arena and the work buffer, or as the strategy has it.
  // Weights and inputs are bound by the caller. Of `previous`, which an executor of the same backends gave up, and of what
  // this one prepared before, packed weights are taken over. Errors: a leaf without memory, no memory left.
  Status prepare(ExecutionPlan plan, PreparedSteps previous = {});
  // Does on all threads what would otherwise be left to the first run: weights are packed.
  void make_ready();
  // Gives up what was prepared: it cannot run until prepare().
  PreparedSteps release_prepared();

  // Runs it once. Outputs stay valid until the next run. Errors: a kernel's, no memory (eager), not prepared.
  Result<RunReport> run(const RunOptions& options = {});

  const ExecutionPlan& plan() const;
  const std::shared_ptr<ThreadPool>& pool() const;  // its threads, for ExecutorOptions::shared_pool of another one
  // The ids under which graph and plan were described to the recorder; none without one.
  trace::GraphId trace_graph() const;
  trace::PlanId trace_plan() const;
  PackedWeights packed_weights() const;  // of what is prepared
  Bytes arena_bytes() const;
  const std::byte* arena() const;  // where planned tensors lie; null without any
  // Rows of a device in a recording: its queue, what waits, copies.
  static constexpr size_t kDeviceRows = 3;
  // Threads' rows, then a device's; null when nothing is recorded.
  const std::vector<trace::ThreadRing*>& rings() const;

 private:
  struct Parts;  // its threads, and what they are given to do
  explicit Executor(std::unique_ptr<Parts> parts);
  Status check(const ExecutionPlan& plan) const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace arenascope
