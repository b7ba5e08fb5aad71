// SPDX-License-Identifier: MIT
// Runs a model: compiles it, loads weights, binds inputs and prepares an executor. Used by the command line and the window.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arenascope/memory/cpu_allocators.h>
#include <arenascope/models/weight_store.h>
#include <arenascope/run/compile.h>
#include <arenascope/run/inputs.h>

namespace arenascope {

class AllocationRecorder;  // schedule/describe.h
class Runner;
class SegmentCache;
struct Segment;
struct SegmentContext;
struct SegmentOptions;

struct RunnerOptions : CompileOptions {
  std::string backend = "cpu";                             // "NAME" or "NAME:DEVICE"
  BackendOptions backend_options;                          // see the documentation of the backend
  std::optional<Devices> devices;                          // open devices to be used instead of `backend`
  CpuAllocatorKind allocator = CpuAllocatorKind::Caching;  // allocator of host memory
  ThreadPoolOptions pool;                                  // affinity and priority of the threads
  int spin_percent = 50;                                   // see ExecutorOptions
  bool force_multithreaded = false;                        // see ExecutorOptions
  models::OpenOptions open;
  InputFiles inputs;  // also determine free dimensions
  // Memory of the model's states by name, to continue from another runner; other states start with their initial value.
  std::map<std::string, Storage> states;
  // Progress of a loop whose trip count is known only at run time: its title and the next iteration. Rate-limited.
  std::function<void(const std::string& loop, int64_t iteration)> on_iteration;
  // Called before each run of a deferred subgraph, and of a loop body in each iteration; may set callbacks in `options`.
  std::function<void(Runner& part, RunOptions& options)> before_part;
  trace::Recorder* recorder = nullptr;  // must outlive the runner; memory of the runner may be freed later
};

// The devices of the options: `devices`, or else `backend` is opened. With Prefer::Memory the CPU backend keeps no packed copies
// of weights unless the option "weights" is given. Errors: those of open_devices().
Result<Devices> devices_of(const RunnerOptions& options);

// open_with_inputs() with the inputs of the options.
Result<models::Model> open_for_run(const std::string& spec, RunnerOptions& options);

// An output of the model file and the runner that computed it.
struct RunResult {
  const models::ValueInfo* value;
  Runner* runner;
  size_t index;  // argument of Runner::output()
  Result<std::vector<std::byte>> read() const;
};

// The state of a loop whose trip count is known only at run time.
struct LoopState {
  std::string title;
  int64_t iterations = 0;  // number of body executions
  int64_t graphs = 0;      // number of graphs that were executed: another one when sizes or strings change
  Runner* body = nullptr;  // the last of them
};

class Runner {
 public:
  // Opens the model (`spec` as in models::open_model()) and the devices, compiles and prepares. Errors: any of these fails.
  // `previous`: a runner of the same model, destroyed before memory is bound; its weights and packed weights are reused.
  static Result<std::unique_ptr<Runner>> open(const std::string& spec, const RunnerOptions& options,
                                              std::unique_ptr<Runner> previous = nullptr);
  static Result<std::unique_ptr<Runner>> open(models::Model model, const RunnerOptions& options,
                                              std::unique_ptr<Runner> previous = nullptr);
  // Prepares a program that was compiled from this model. Compilation options are ignored until replan(). Errors: out of memory,
  // weights or inputs cannot be read.
  static Result<std::unique_ptr<Runner>> create(models::Model model, Program program, const RunnerOptions& options);
  ~Runner();

  const models::Model& model() const { return model_; }  // graph and outputs are those of the program
  const RunnerOptions& options() const { return options_; }
  const Program& program() const { return program_; }
  const models::WeightStore& weights() const { return weights_; }
  Executor& executor() { return *executor_; }
  ExecutionContext& context() { return *context_; }
  const ExecutionPlan& plan() const { return executor_->plan(); }
  // Measures taken to meet options().capacity; empty if none were needed.
  const std::vector<MemorySaving>& savings() const { return program_.savings; }

  // Replaces the contiguous bytes of an input. Errors: no such input, wrong size.
  Status set_input(const std::string& name, std::span<const std::byte> bytes);
  // Runs the model. A deferred subgraph is compiled with the values of this run and executed afterwards, as its own run in the
  // recording; time and barriers of the report include it. It is kept for later runs with the same types and shapes, which
  // compile nothing (RunReport::compilations). Errors: those of Executor::run() and of compiling the deferred
  // subgraph; a weight file has changed since it was opened.
  Result<RunReport> run(const RunOptions& options = {});
  // Packs weights now instead of in the first run.
  Status warm_up() { return executor_->warm_up(); }
  // The runner of the deferred subgraph. Null: there is none, or it has not been compiled in the current run.
  Runner* continuation() { return continuation_; }
  // The loop executed between this graph and continuation(); null: none.
  const LoopState* loop() const { return loop_.get(); }
  // While a run is paused (RunControl): the runner whose nodes are being executed, this one or a deferred subgraph.
  Runner& active_runner();
  // The outputs of the model file. Outputs of the deferred subgraph are available after a run, until the next one.
  std::vector<RunResult> results();
  // The elements of an output, contiguous, on the host; available after a run.
  Result<std::vector<std::byte>> output(size_t index);
  // The elements of any tensor of the graph that has data now, contiguous, on the host.
  Result<std::vector<std::byte>> read(const TensorImpl& tensor);
  // Plans memory again and keeps the loaded weights. `threads` and `budget_seconds`: 0 keeps the current value. Errors: planning
  // fails or is cancelled by `stop`; the runner is then unchanged.
  Status replan(const std::string& planner, const std::string& order, MemoryStrategy strategy, int threads = 0,
                double budget_seconds = 0, std::stop_token stop = {});

 private:
  Runner(models::Model model, Program program, RunnerOptions options, const SegmentContext& segment);
  Status set_up(std::unique_ptr<Runner> previous, const Runner* similar = nullptr);
  static Result<std::unique_ptr<Runner>> open(models::Model model, const RunnerOptions& options,
                                              std::unique_ptr<Runner> previous, const Runner* similar,
                                              const SegmentContext& segment);
  Status check_memory(bool shares) const;
  Status share_file_weights(const Runner& other);
  void adopt_folded_constants();
  Status bind_inputs();
  Status bind_states();
  Status upload_leafs();
  Status prepare(PreparedSteps previous, const Runner* similar = nullptr);
  void report(const char* phase) const;
  // run() without the check for changed weight files.
  Result<RunReport> run_all_parts(const RunOptions& options);
  Status resample_random_inputs();
  Result<models::GivenInputs> read_deferred_inputs();
  SegmentOptions continuation_options() const;
  Status run_continuation(const RunOptions& options, RunReport& report);
  Status open_continuation(const models::GivenInputs& values, SegmentOptions& own, RunReport& report);
  Result<Segment*> open_segment(models::Model model, const models::GivenInputs& inputs, SegmentOptions& own,
                                SegmentCache& segments);
  Status set_inputs(const models::GivenInputs& values, const SegmentOptions& own);
  void forget_segments();

  friend class LoopRunner;
  models::Model model_;
  RunnerOptions options_;
  std::unique_ptr<SegmentContext> segment_;
  Program program_;
  models::WeightStore weights_;
  std::shared_ptr<ExecutionContext> context_;
  std::shared_ptr<AllocationRecorder> allocations_;  // null: nothing is recorded
  std::vector<trace::ThreadRing*> rings_;  // rings of the largest number of threads so far, reused by the next executor
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<LoopState> loop_;
  Runner* continuation_ = nullptr;
  std::unique_ptr<SegmentCache> continuations_, loop_bodies_;  // compiled in earlier runs, and in this one
};

}  // namespace arenascope
