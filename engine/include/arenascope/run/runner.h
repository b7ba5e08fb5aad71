// SPDX-License-Identifier: MIT
// A model made ready to run: compiled, its weights loaded, its inputs bound, an executor prepared. The command line and
// the window both go this way.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arenascope/memory/cpu_allocators.h>
#include <arenascope/run/compile.h>
#include <arenascope/run/inputs.h>

namespace arenascope {

class AllocationRecorder;  // schedule/describe.h
class Runner;

struct RunnerOptions : CompileOptions {
  std::string backend = "cpu";                             // with `:N` its device N
  BackendOptions backend_options;                          // what the backend's documentation lists
  std::optional<Devices> devices;                          // that are open already, in place of `backend`
  CpuAllocatorKind allocator = CpuAllocatorKind::Caching;  // of the host's memory that comes and goes
  ThreadPoolOptions pool;                                  // of the threads
  int polling = 50;                                        // see ExecutorOptions
  bool hold_threads = false;                               // see ExecutorOptions
  models::OpenOptions open;
  InputFiles inputs;  // what they hold settles unknown sizes too
  // Memory of the model's states, by name, for a runner that goes on where another one was; others begin anew.
  std::map<std::string, Storage> states;
  // Of a runner that records on where another one is: rows of its threads, and the graph that it was opened behind.
  std::vector<trace::ThreadRing*> rings;
  trace::GraphId behind;
  const Runner* first = nullptr;  // of such a part: whose mapped weights it shares, and those of the parts behind that
  // Of a part that another runner opened: its threads, and how often numbers were drawn in its run so far.
  std::shared_ptr<ThreadPool> shared_pool = nullptr;
  std::shared_ptr<uint64_t> draws = nullptr;
  // Now and then while a loop goes round whose end only a run tells: its title, and the turn that comes.
  std::function<void(const std::string& loop, int64_t turn)> turn;
  // Before a part runs that was opened behind another one, in each turn of a loop too: what somebody looks at in it.
  std::function<void(Runner& part, RunOptions& options)> watch;
  trace::Recorder* recorder = nullptr;  // outlives the runner, and those that take over its weights
};

// What is run on: what is open, or the backend that is named; where memory is preferred it keeps no packed copies of weights,
// unless the options say otherwise. Errors: as open_devices()'s.
Result<Devices> devices_of(const RunnerOptions& options);

// As open_with_inputs() does, with the options' inputs.
Result<models::Model> open_for_run(const std::string& spec, RunnerOptions& options);

// One of a file's outputs, and who has it.
struct RunResult {
  const models::ValueInfo* value;
  Runner* runner;
  size_t index;  // for Runner::output()
  Result<std::vector<std::byte>> read() const;
};

// A loop that went round in a run (models::Turns).
struct LoopRun {
  std::string title;
  int64_t turns = 0, openings = 0;  // how often its body ran, and was opened: again where sizes or strings change
  std::unique_ptr<Runner> body;     // as it was opened last
};

class Runner {
 public:
  // Opens the model (`spec` as models::open_model() takes it) and the devices, compiles and prepares. Errors: whatever
  // of this fails, in one sentence.
  // `previous`, a runner of the same model, goes away before memory is bound: its weights and what it packed of them are
  // taken over.
  static Result<std::unique_ptr<Runner>> open(const std::string& spec, const RunnerOptions& options,
                                              std::unique_ptr<Runner> previous = nullptr);
  static Result<std::unique_ptr<Runner>> open(models::Model model, const RunnerOptions& options,
                                              std::unique_ptr<Runner> previous = nullptr);
  // Prepares a program that was compiled from this model: of the options, those of a compilation are not read again
  // until replan(). Errors: no memory, weights or inputs that cannot be read.
  static Result<std::unique_ptr<Runner>> create(models::Model model, Program program, const RunnerOptions& options);
  ~Runner();

  const models::Model& model() const { return model_; }  // its graph and outputs are the program's
  const RunnerOptions& options() const { return options_; }
  const Program& program() const { return program_; }
  Executor& executor() { return *executor_; }
  ExecutionContext& context() { return *context_; }
  const ExecutionPlan& plan() const { return executor_->plan(); }
  // What was done to meet options().capacity; empty where nothing had to be.
  const std::vector<MemorySaving>& savings() const { return program_.savings; }

  // Replaces an input's contiguous bytes. Errors: no such input, another size.
  Status set_input(const std::string& name, std::span<const std::byte> bytes);
  // What hangs on values that this run makes (models::Rest) is opened, planned and run behind it, a run of its own in the
  // recording; the report's time and barriers are of all. Errors: as the executor's, and those of opening the rest; a file of
  // weights has changed since it was opened.
  Result<RunReport> run(const RunOptions& options = {});
  // Does now what would otherwise be left to the first run: weights are packed.
  void make_ready() { executor_->make_ready(); }
  // Null: the graph is all of the file, or it has not run to its end yet.
  Runner* rest() { return rest_.get(); }
  // What went round behind the graph and before rest(); null: nothing.
  const LoopRun* loop() const { return loop_.get(); }
  // While a run waits between two nodes (RunControl): whose nodes they are, of all that is behind the graph.
  Runner& at_work();
  // The file's outputs; those of the rest are there after a run, until the next one.
  std::vector<RunResult> results();
  // An output's elements, contiguous, on the host; valid after a run.
  Result<std::vector<std::byte>> output(size_t index);
  // Any tensor of the graph that holds data now, contiguous, on the host.
  Result<std::vector<std::byte>> read(const TensorImpl& tensor);
  // Plans anew with the same model; what was loaded stays. `threads` and `budget_seconds` 0: as before. Error: that of
  // planning, or that it was stopped; what ran before then still runs.
  Status replan(const std::string& planner, const std::string& order, MemoryStrategy strategy, int threads = 0,
                double budget_seconds = 0, std::stop_token stop = {});

 private:
  Runner(models::Model model, Program program, RunnerOptions options);
  Status set_up(std::unique_ptr<Runner> previous);
  Status take_weights(const Runner& other);
  void use_constants();
  Status bind_inputs();
  Status bind_states();
  Status move_leafs();
  Status prepare(PreparedSteps previous = {});
  void give_files_back() const;
  void report(const char* phase) const;
  // As run(), of weights that somebody else watches.
  Result<RunReport> run_parts(const RunOptions& options);
  Status draw();
  Result<models::GivenInputs> needs();
  RunnerOptions options_behind() const;
  Status run_rest(const RunOptions& options, RunReport& report);

  friend class TurnLoop;
  models::Model model_;
  RunnerOptions options_;
  Program program_;
  std::vector<models::WeightSource> files_;  // one of each file that weights come from
  std::shared_ptr<ExecutionContext> context_;
  std::shared_ptr<AllocationRecorder> allocations_;  // null: nothing is recorded
  std::vector<trace::ThreadRing*> rings_;            // of the most threads so far: a new executor's keep their rows
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<LoopRun> loop_;
  std::unique_ptr<Runner> rest_;
};

}  // namespace arenascope
