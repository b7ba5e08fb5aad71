// SPDX-License-Identifier: MIT
// Trains a model on examples: one prepared graph for a step (two where gradients are added up), another one for
// measuring, all over the same parameters.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arenascope/run/runner.h>
#include <arenascope/train/dataset.h>
#include <arenascope/train/schedule.h>
#include <arenascope/train/training_step.h>

namespace arenascope::train {

// How graphs of a training are run unless on_step: with as few bytes at once as a quick order finds.
inline RunnerOptions training_run() {
  RunnerOptions run;
  run.order = "least-peak-late";
  run.in_place = true;
  return run;
}

struct TrainerOptions {
  RunnerOptions run = training_run();  // how graphs are compiled and run
  OptimizerOptions optimizer;
  Loss loss = Loss::CrossEntropy;
  ActivationPrecision precision = ActivationPrecision::F32;
  int64_t batch = 50;             // examples of a step
  int64_t accumulate = 1;         // parts that a batch goes through the graph in; divides it
  int64_t tokens = 0;             // of a sequence, of language models; 0: all that the model can see, at most 512
  std::optional<double> dropout;  // the share that is dropped at random instead of the model's own
  bool norms = false;             // gradient_norms() is available
  uint64_t seed = 0;              // of the order of the examples, and of what is dropped
  std::filesystem::path resume;   // a checkpoint of the same model, to continue from
};

// Kind of examples of a model: sequences of a language model, or images. Errors: it cannot be read, or sees
// fewer tokens than that.
Result<SequenceShape> sequence_shape(const std::string& spec, int64_t tokens);

// The graph of a step, before it is compiled. Errors: as Trainer::open()'s of the model.
Result<models::Model> make_step_model(const std::string& spec, const TrainerOptions& options);

struct Measure {
  double loss = 0;      // mean over the rows that count
  double accuracy = 0;  // share of these whose class was the likeliest
};

class Trainer {
 public:
  // `spec` as models::open_model() takes it; a dimension "batch" is the options'. Errors: a model that cannot be read or
  // trained, whose first input takes other examples than `data` has, labels outside its classes, numbers that make no
  // sense, a checkpoint that is not of this training.
  static Result<std::unique_ptr<Trainer>> open(const std::string& spec, const Dataset& data,
                                               const TrainerOptions& options);
  ~Trainer();

  const std::string& name() const { return name_; }
  int64_t steps() const { return steps_; }
  int64_t epochs() const { return epochs_; }                     // done, those before a checkpoint too
  const std::vector<double>& losses() const { return losses_; }  // of each step
  const std::vector<double>& accuracies() const { return accuracies_; }
  // Parameters that have a gradient, and with TrainerOptions::norms the L2 norms of the last step's.
  const std::vector<std::string>& trained() const { return trained_; }
  const std::vector<float>& gradient_norms() const { return norms_; }
  // The graph of a step, or of its gradients.
  Runner& step() { return *step_; }

  // Finishes an epoch: all examples once, in a random order; the last batch may be smaller. `on_step` is called
  // after each step, may save(), and ends the call by returning false: the next call continues there. Error: a loss that is
  // not finite; the message names the first node whose result is not, and the parameters are unchanged.
  Result<Measure> epoch(const Dataset& data, const LearningRate& learning_rate,
                        const std::function<bool(double loss)>& on_step = {});
  // Errors: other examples, labels outside the classes.
  Result<Measure> measure(const Dataset& data);
  // All weights, the optimizer's state and the position in the data, as safetensors that open_model() opens as this
  // model. Errors: as write_checkpoint()'s.
  Status save(const std::filesystem::path& path);
  // Peak bytes of the step's runs, by kind.
  std::map<MemoryKind, Bytes> peak_bytes();

 private:
  Trainer() = default;
  Result<models::Model> make_graph(const StepOptions& options) const;
  Result<std::unique_ptr<Runner>> make_runner(models::Model model, bool recorded);
  Status open_graphs(const Dataset& data);
  Status find_examples(const models::Model& model, const std::string& title);
  Status fits(const Dataset& data) const;
  Status resume(const std::filesystem::path& path);
  // Loads the examples and classes of a batch; put_part() copies a part of it into the graph, counted() has its valid rows.
  void gather(const Dataset& data, std::span<const int64_t> which);
  int64_t counted(int64_t part) const;
  Status put_part(Runner& runner, int64_t part);
  struct Sums {
    double loss = 0, correct = 0;
    int64_t counted = 0;
  };
  Result<Sums> run_step(const LearningRate& learning_rate);
  Result<Sums> run_part(Runner& runner, int64_t part);
  Result<double> number(Runner& runner, size_t output);
  Status keep_norms(Runner& runner);
  Error explain(double loss);

  std::string spec_, name_, numbers_;
  TrainerOptions options_;
  int64_t at_once_ = 1, classes_ = 0, numbers_each_ = 0, targets_each_ = 1;
  int64_t steps_ = 0, epochs_ = 0, place_ = 0;  // examples of the epoch that are done
  DType dtype_ = DType::F32;
  bool drops_ = false;
  std::unique_ptr<Runner> step_, update_, measure_;  // update_: where gradients are added up
  std::vector<double> losses_, accuracies_;
  std::vector<std::string> trained_;
  std::vector<float> norms_;
  std::vector<std::byte> batch_;
  std::vector<int64_t> targets_;
};

}  // namespace arenascope::train
