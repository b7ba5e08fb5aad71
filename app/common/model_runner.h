// SPDX-License-Identifier: GPL-3.0-or-later
// A model made ready to run: opened, planned, its weights loaded, its inputs bound, an executor prepared.
// The command line and the window both go this way.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arenascope/models/model.h>
#include <arenascope/runtime/backend_module.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/what_if.h>
#include <arenascope/transform/partition.h>
#include <arenascope/transform/precision.h>

namespace arenascope::app {

struct RunnerOptions {
  std::string backend = "cpu";     // with `:N` its device N
  BackendOptions backend_options;  // what the backend's documentation lists
  int threads = 0;                 // 0: as many as there are processors
  std::string planner = "search";
  std::string order = "depth-first";
  double budget_seconds = 1.0;  // for planners and orders that search
  MemoryStrategy strategy = MemoryStrategy::Planned;
  bool in_place = false;
  bool fuse = false;          // chains of ops as one node where the backend can; host backends
  bool channels_last = true;  // if fused: images lie with their channels last where that is faster
  std::function<bool(const TensorImpl& node)> watched;  // results that must stay to be seen: not inside of a fused node
  ExecutionPlanOptions execution;                       // which barriers there are
  ThreadPoolOptions pool;                               // of the threads
  int polling = 50;                                     // see ExecutorOptions
  std::optional<Bytes> capacity;  // of the arena: where no plan meets it, tensors are computed again or moved away
  std::vector<Op> host_ops;       // with a device backend: ops that are to run on the host all the same
  models::OpenOptions open;
  std::map<std::string, std::string> inputs;  // name → .npy or .pb file; what they hold settles unknown sizes too
  trace::Recorder* recorder = nullptr;        // outlives the runner
  std::function<void(const std::string& phase)> progress;  // "opening", "planning", "loading weights", …
};

// Reads the input files into options.open.inputs and opens the model, so that their shapes settle its unknown ones.
// Without files the first data set beside an ONNX test case does. Errors: a file or the model cannot be read.
Result<models::Model> open_for_run(const std::string& spec, RunnerOptions& options);

// Error: a file of options.inputs is for an input that the model has not, or holds another type or shape than it takes.
Status check_given_inputs(const models::Model& model, const RunnerOptions& options);

class ModelRunner {
 public:
  // `spec` as open_model() takes it. Errors: whatever of this fails, in one sentence.
  static Result<std::unique_ptr<ModelRunner>> open(const std::string& spec, const RunnerOptions& options);
  static Result<std::unique_ptr<ModelRunner>> open(models::Model model, const RunnerOptions& options);
  ~ModelRunner();

  const models::Model& model() const { return model_; }
  const RunnerOptions& options() const { return options_; }
  Executor& executor() { return *executor_; }
  ExecutionContext& context() { return *context_; }
  const ExecutionPlan& plan() const { return executor_->plan(); }
  // What was done to meet options().capacity; empty where nothing had to be.
  const std::vector<RemedyStep>& remedies() const { return remedies_; }

  // Replaces an input's contiguous bytes. Errors: no such input, another size.
  Status set_input(const std::string& name, std::span<const std::byte> bytes);
  Result<RunReport> run(const RunOptions& options = {}) { return executor_->run(options); }
  // An output's elements, contiguous, on the host; valid after a run.
  Result<std::vector<std::byte>> output(size_t index);
  // Any tensor of the graph that holds data now, contiguous, on the host.
  Result<std::vector<std::byte>> read(const TensorImpl& tensor);
  // Plans anew with the same model; what was loaded stays. `threads` 0: as many as before.
  Status replan(const std::string& planner, const std::string& order, MemoryStrategy strategy, int threads = 0);

 private:
  ModelRunner(models::Model model, RunnerOptions options);
  Status set_up();
  Status bind_inputs();
  Status move_leafs();
  Status share_out_graph();
  Status fuse();
  Status convert_precision();
  Status pack_graph();
  void take_over(const Graph& graph, const std::vector<Tensor>& twins);
  Status plan_and_prepare(MemoryStrategy strategy);
  Result<MemoryPlan> fit(MemoryPlan plan, const MemoryPlanOptions& options);
  void say(const char* phase) const;

  models::Model model_;
  RunnerOptions options_;
  Graph given_;  // the model's graph as it was opened; model_.graph is what runs
  std::vector<Tensor> given_outputs_;
  std::vector<RemedyStep> remedies_;
  std::optional<PrecisionGraph> narrowed_;  // with a backend that stores half the bits: what the weights become
  bool shared_out_ = false;                 // the graph runs on the device and the host
  std::vector<TensorImpl*> device_leafs_;   // then: what the device reads
  std::shared_ptr<ExecutionContext> context_;
  std::unique_ptr<Backend> backend_;
  std::vector<trace::ThreadRing*> rings_;  // of the most threads so far: a new executor's keep their rows
  std::unique_ptr<Executor> executor_;
};

}  // namespace arenascope::app
