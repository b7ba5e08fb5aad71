// SPDX-License-Identifier: MIT
// Runs an ExecutionPlan: all threads work on one node, meet at a barrier, then the next node. What happens between
// two nodes (pausing, callbacks, allocating) is done by the first thread, before anybody leaves. Of a graph that is
// partitioned between a device and the host, the first thread queues the device's nodes and has copies done, and all
// threads compute the host's.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/runtime/thread_pool.h>
#include <arenascope/schedule/execution_plan.h>
#include <arenascope/trace/recorder.h>

namespace arenascope {

class OwnerObserver;  // schedule/describe.h

// Where activations live.
enum class MemoryStrategy : uint8_t {
  Planned,  // slices of one Workspace block at the plan's offsets
  Eager,    // each from the Workspace allocator, given back at its last use
  None,     // each its own, none given back before the end
};
const char* name(MemoryStrategy strategy);
std::optional<MemoryStrategy> parse_memory_strategy(std::string_view name);

struct ExecutorOptions {
  int threads = 1;  // of the host; must be the plan's
  MemoryStrategy strategy = MemoryStrategy::Planned;
  trace::Recorder* recorder = nullptr;    // null: nothing is recorded; it outlives the executor
  std::string model;                      // the name under which the graph is described
  std::vector<trace::ThreadRing*> rings;  // of an earlier executor, so that its threads keep their rows; or none
  ThreadPoolOptions pool;                 // where its threads run, and how important they are
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

class Barrier;
class SingleThreadFallback;

class Executor {
 public:
  // Errors: no memory, the system refuses threads.
  static Result<std::unique_ptr<Executor>> create(Backend& backend, std::shared_ptr<ExecutionContext> context,
                                                  ExecutorOptions options);
  ~Executor();

  // Takes the plan and binds memory to its graph's tensors: the arena and the work buffer, or as the strategy has it.
  // Weights and inputs are bound by the caller. Of `previous`, which an executor of the same backends gave up, and of what
  // this one prepared before, packed weights are taken over. Errors: a leaf without memory, no memory left.
  Status prepare(ExecutionPlan plan, PreparedSteps previous = {});
  // Gives up what was prepared: it cannot run until prepare().
  PreparedSteps release_prepared();

  // Runs it once. Outputs stay valid until the next run. Errors: a kernel's, no memory (eager), not prepared.
  Result<RunReport> run(const RunOptions& options = {});

  const ExecutionPlan& plan() const { return plan_; }
  // The ids under which graph and plan were described to the recorder; none without one.
  trace::GraphId trace_graph() const { return trace_graph_; }
  trace::PlanId trace_plan() const { return trace_plan_; }
  Bytes arena_bytes() const { return arena_.bytes(); }
  const std::byte* arena() const { return arena_.data(); }  // where planned tensors lie; null without any
  // Rows of a device in a recording: its queue, what waits, copies.
  static constexpr size_t kDeviceRows = 3;
  // Threads' rows, then a device's; null when nothing is recorded.
  const std::vector<trace::ThreadRing*>& rings() const { return rings_; }

 private:
  struct Shared;  // what the threads of one run share
  Executor(Backend& backend, std::shared_ptr<ExecutionContext> context, ExecutorOptions options);
  Status bind_spilled();
  void find_packed();
  Status bind_planned();
  Status bind_each();
  void forget_places();
  void bind_views();
  void work(int ith, Shared& shared);
  void work_by_itself(Shared& shared);
  Status begin_run(const Shared& shared);
  // What a thread computes without a barrier: up to which item, when it began with that one, and when it was done.
  struct Stretch {
    size_t last;
    Nanoseconds begin, arrive;
  };
  Stretch compute_stretch(size_t item, int ith, Shared& shared);
  void meet(size_t done, int ith, Shared& shared);
  // What was done between two items: behind how many, from when to when, and what (trace::BetweenFlags).
  struct Section {
    size_t done = SIZE_MAX;
    Nanoseconds begin = 0, end = 0;
    uint32_t flags = 0;
  };
  Section between_items(size_t done, Shared& shared);
  void record(const Section& section, const Shared& shared);
  void advance(size_t from, size_t to, Shared& shared);
  bool between(size_t next, Shared& shared);
  bool looked_at(size_t step, Shared& shared);
  uint32_t step_of(size_t item) const;
  void compute(size_t item, int ith, Shared& shared);
  void compute_parts(size_t item, int ith, Shared& shared);
  void compute_part(size_t item, int part, int ith, Shared& shared);
  Status allocate_output(size_t step);
  Status allocate_packed(size_t step);
  void release_after(size_t step);
  void leave_out_joined();
  void settle_transfers();
  Status prepare_steps(PreparedSteps previous);
  void find_items();
  const Backend& backend_of(const TensorImpl& node) const;
  void describe();
  void note_owners() const;
  void note_owner(const TensorImpl& tensor, trace::TensorRef ref) const;
  void begin_recording(Shared& shared);
  void end_recording(Shared& shared, std::span<const DeviceSpan> spans, Nanoseconds end);
  void fill_times(const Shared& shared, std::span<const DeviceSpan> spans, RunReport& report) const;
  void add_device_rows();
  void trace_device(trace::RunId run, std::span<const DeviceSpan> spans);

  // A step with work.
  struct Item {
    uint32_t step;
    int32_t tasks, parts;
    Behind behind;
    bool swapped;      // which set of counters says what was taken of its parts
    uint32_t row_end;  // the item that ends the row which begins here, or itself
    PreparedNode* prepared;
    const Storage* work;  // the buffer of its backend
  };
  // Planned tensors by step.
  class ByStep {
   public:
    template <class StepOf>
    void assign(size_t steps, const std::vector<PlannedTensor>& tensors, StepOf&& step_of) {
      first_.assign(steps + 1, 0);
      for (const PlannedTensor& tensor : tensors) ++first_[step_of(tensor) + 1];
      for (size_t i = 0; i < steps; ++i) first_[i + 1] += first_[i];
      list_.resize(tensors.size());
      std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
      for (uint32_t i = 0; i < tensors.size(); ++i) list_[next[step_of(tensors[i])]++] = i;
    }
    std::span<const uint32_t> operator[](size_t step) const {
      return {list_.data() + first_[step], first_[step + 1] - first_[step]};
    }

   private:
    std::vector<uint32_t> first_, list_;
  };
  // How many of a thread's own parts were taken, by itself or by others.
  struct alignas(64) Taken {
    std::atomic<int32_t> count{0};
  };

  Backend& backend_;
  Backend* const host_;
  std::shared_ptr<ExecutionContext> context_;
  const ExecutorOptions options_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Barrier> barrier_;
  ExecutionPlan plan_;
  bool prepared_ = false;
  Storage arena_;
  Storage work_, host_work_;
  PreparedSteps steps_;
  std::vector<std::unique_ptr<PreparedNode>> transfers_;
  std::vector<PreparedNode*> by_step_;  // null: no work
  trace::DeviceId trace_device_;
  std::vector<std::vector<NodeId>> packed_begins_, packed_ends_;  // by step
  bool any_packed_ = false;
  std::vector<Item> items_;
  std::unique_ptr<Taken[]> taken_;  // two sets, by thread
  bool alone_ = false;              // no step needs a second thread
  std::unique_ptr<SingleThreadFallback> fallback_;
  std::vector<std::vector<TensorImpl*>> views_of_;  // unless planned: by node: the views that share its bytes
  ByStep begins_, ends_;                            // planned tensors whose life begins with a step, or ends behind it
  std::vector<trace::ThreadRing*> rings_;           // by thread; null when nothing is recorded
  trace::GraphId trace_graph_;
  trace::PlanId trace_plan_;
  trace::RunInfo run_info_;     // what all its runs have in common
  Nanoseconds load_known_ = 0;  // when the machine's load was read
};

}  // namespace arenascope
