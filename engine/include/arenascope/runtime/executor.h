// SPDX-License-Identifier: MIT
// Runs an ExecutionPlan: all threads compute one node, wait at a barrier, and continue with the next node. Between two
// nodes the first thread pauses, calls callbacks and allocates before the barrier opens. In a graph that is partitioned between a
// device and the host, the first thread queues device nodes and performs copies; all threads compute host nodes.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/memory_strategy.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/runtime/thread_pool.h>
#include <arenascope/schedule/execution_plan.h>
#include <arenascope/trace/recorder.h>

namespace arenascope {

class BindingObserver;  // schedule/describe.h

struct ExecutorOptions {
  int threads = 1;  // host threads; must equal the plan's
  MemoryStrategy strategy = MemoryStrategy::Planned;
  trace::Recorder* recorder = nullptr;    // null: nothing is recorded; must outlive the executor
  std::string model;                      // name of the graph in the recording
  trace::GraphId previous_graph;          // the graph whose values this one was compiled for; see GraphInfo
  int64_t deferred_nodes = 0;             // operators of the deferred subgraph; see GraphInfo
  std::vector<trace::ThreadRing*> rings;  // of an earlier executor, to continue its tracks; may be empty
  ThreadPoolOptions pool;                 // affinity and priority of the threads
  // A pool that several executors use one after another; `pool` is then ignored. Null: the executor creates its own.
  std::shared_ptr<ThreadPool> shared_pool = nullptr;
  int spin_percent = 50;  // spin time of waiting threads; 0: park at once, 50: default, 100: twice the default
  bool force_multithreaded = false;  // use all threads even where a loaded machine makes one thread faster
  Backend* host = nullptr;           // host backend of a partitioned graph; must outlive the executor
  std::shared_ptr<BindingObserver> binding_observer = nullptr;  // notified which tensor each memory block is bound to
  // Called when nodes are prepared, with the weights that they read as they are. It decides how weights are stored, and
  // may replace their storages and those of their views. Null: weights stay as they were bound.
  std::function<Status(const Graph& graph, std::span<TensorImpl* const> unpacked)> settle_weights = nullptr;
};

// The prepared nodes of an executor.
struct PreparedSteps {
  std::unique_ptr<PreparedGraph> main, host;
};

struct NodeTime {
  // From the start of the first thread to the end of the last. None: a device computed the node together with others and
  // does not report its own time.
  std::optional<Nanoseconds> nanoseconds = 0;
  Nanoseconds barrier_wait_nanoseconds = 0;  // summed over the threads
};

struct RunReport {
  Nanoseconds nanoseconds = 0;
  std::vector<NodeTime> nodes;       // by step; empty unless timed
  int threads = 1;                   // threads used
  bool ran_single_threaded = false;  // one thread computed everything because the machine was loaded
  int64_t barriers = 0;              // barriers passed
  bool stepped = false;              // had a barrier after every node, for inspection between nodes
  int64_t compilations = 0;          // deferred subgraphs and loop bodies that were compiled during the run
  bool aborted = false;
};

struct RunOptions {
  bool timed = false;             // fill RunReport::nodes
  RunControl* control = nullptr;  // pause, step and abort from another thread; without requests it has no effect
  // Called with a node's result before the next node starts; false aborts the run. This callback or the next one makes the
  // run stepped: it has a barrier after every node.
  std::function<bool(NodeId node, Step step)> after_node;
  // Breakpoints: called before a node with work starts; true pauses the run (needs `control`).
  std::function<bool(NodeId node, Step step)> break_before;
};

class Executor {
 public:
  // Errors: out of memory, threads cannot be created, the shared pool has a different number of threads.
  static Result<std::unique_ptr<Executor>> create(Backend& backend, std::shared_ptr<ExecutionContext> context,
                                                  ExecutorOptions options);
  ~Executor();

  // Takes the plan and binds memory to the tensors of its graph: arena and work buffer, or as the strategy requires. The
  // caller binds weights and inputs. Packed weights of `previous` (released by an executor of the same backends) or of this
  // executor's previous plan are reused. Errors: a leaf tensor without memory, out of memory.
  Status prepare(ExecutionPlan plan, PreparedSteps previous = {});
  // The same, but shares the packed weights of `similar`, an executor of the same backends that stays prepared.
  Status prepare(ExecutionPlan plan, const Executor& similar);
  // Packs weights now, on all threads, instead of in the first run.
  Status warm_up();
  // Releases the prepared nodes; run() fails until the next prepare().
  PreparedSteps release_prepared();

  // Runs the plan once. Outputs stay valid until the next run. Errors: a kernel fails, out of memory (eager strategy), not
  // prepared.
  Result<RunReport> run(const RunOptions& options = {});

  const ExecutionPlan& plan() const;
  const std::shared_ptr<ThreadPool>& pool() const;  // to be shared by ExecutorOptions::shared_pool
  // Ids of graph and plan in the recording; invalid without a recorder.
  trace::GraphId trace_graph() const;
  trace::PlanId trace_plan() const;
  PackedWeights packed_weights() const;  // of the prepared nodes
  Bytes arena_bytes() const;
  const std::byte* arena() const;  // start of the arena; null if no tensor is planned
  // Tracks of a device in a recording: queue, waiting work, copies.
  static constexpr size_t kDeviceRows = 3;
  // Rings of the threads' tracks, then of the device's tracks; null if nothing is recorded.
  const std::vector<trace::ThreadRing*>& rings() const;

 private:
  struct Parts;
  explicit Executor(std::unique_ptr<Parts> parts);
  Status check(const ExecutionPlan& plan) const;
  Status prepare_plan(ExecutionPlan plan, const PreparedSteps& previous);
  Result<RunReport> run_plan(const RunOptions& options);

  std::unique_ptr<Parts> parts_;
};

}  // namespace arenascope
