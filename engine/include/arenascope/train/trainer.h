// SPDX-License-Identifier: MIT
// Trains a model on labelled pictures: one prepared graph for a step, another one for measuring, both over the same
// parameters.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arenascope/run/runner.h>
#include <arenascope/train/image_data.h>
#include <arenascope/train/training_step.h>

namespace arenascope::train {

struct TrainerOptions {
  RunnerOptions run;  // how graphs are compiled and run
  OptimizerOptions optimizer;
  int64_t batch = 50;
  uint64_t seed = 0;             // of the order of the pictures
  std::filesystem::path resume;  // a checkpoint of the same model: it goes on where that one was saved
};

struct Measure {
  double loss = 0;      // mean over the pictures
  double accuracy = 0;  // share of the pictures whose class was the likeliest
};

class Trainer {
 public:
  // `spec` as models::open_model() takes it; a dimension "batch" is the options'. Errors: a model that cannot be read or
  // trained, whose first input takes other pictures than `data` has, labels outside its classes, numbers that make no
  // sense, a checkpoint that is not of this training.
  static Result<std::unique_ptr<Trainer>> open(const std::string& spec, const ImageData& data,
                                               const TrainerOptions& options);
  ~Trainer();

  const std::string& name() const { return name_; }
  int64_t steps() const { return steps_; }
  int64_t epochs() const { return epochs_; }                     // done, those before a checkpoint too
  const std::vector<double>& losses() const { return losses_; }  // of each step

  // All pictures once, in an order of its own; the last batch may be smaller. `told` is called behind each step, and
  // ends it with false. Error: a loss that is not finite; the sentence names the first node whose result is not, and
  // the parameters stay as they were.
  Result<Measure> epoch(const ImageData& data, double learning_rate, const std::function<bool(double loss)>& told = {});
  // Errors: pictures of another size, labels outside the classes.
  Result<Measure> measure(const ImageData& data);
  // All weights, and what the optimiser remembers, as safetensors that open_model() opens as this model. Errors: as
  // write_checkpoint()'s.
  Status save(const std::filesystem::path& path);
  // Of the step's run, by kind.
  std::map<MemoryKind, Bytes> peak_bytes();

 private:
  Trainer() = default;
  Status fits(const ImageData& data) const;
  Status resume(const std::filesystem::path& path);
  Status put_batch(Runner& runner, const ImageData& data, std::span<const int64_t> which);
  Result<double> number(Runner& runner, size_t output);
  Error explain(double loss);

  std::string spec_, name_, images_;
  TrainerOptions options_;
  int64_t classes_ = 0, pixels_ = 0, steps_ = 0, epochs_ = 0;
  std::unique_ptr<Runner> step_, measure_;
  std::vector<double> losses_;
  std::vector<float> pixels_of_batch_;
};

}  // namespace arenascope::train
