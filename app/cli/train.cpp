// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli train: trains a model on labelled images or texts.
#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include <arenascope/train/dataset.h>
#include <arenascope/train/trainer.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/model_options.h"
#include "app/cli/recorded_file.h"
#include "app/common/format.h"
#include "app/common/train_options.h"

namespace arenascope::cli {
namespace {

struct TrainArguments {
  std::string model, data, test, save, record;
  app::OptionValues values;
  app::TrainChoices choices;
  int threads = 0;
  int64_t save_every = 0, capacity = 0;
};

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

struct Outcome {
  double seconds = 0;
  std::vector<double> steps;  // seconds of each
  train::Measure learned;
  std::optional<train::Measure> test;
};

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

void print_outcome(train::Trainer& trainer, const Outcome& out, const Context& context) {
  if (!context.json) {
    cli::print("\n{} steps in {:.1f} s, training accuracy {}", trainer.steps(), out.seconds,
               percent(out.learned.accuracy));
    if (out.test) cli::print(", test accuracy {}", percent(out.test->accuracy));
    cli::print("; training loss {:.5f}", out.learned.loss);
    if (out.test) cli::print(", test loss {:.5f}", out.test->loss);
    cli::print("\n");
    for (const auto& [memory, bytes] : trainer.peak_bytes())
      if (bytes > 0) cli::print("{:<14} {:>12}\n", name(memory), app::format_bytes(bytes));
    return;
  }
  Json peaks = Json::object();
  for (const auto& [memory, bytes] : trainer.peak_bytes()) peaks[std::string(name(memory))] = bytes;
  print_json(context, {{"model", trainer.name()},
                       {"steps", trainer.steps()},
                       {"seconds", out.seconds},
                       {"step_seconds", median(out.steps)},
                       {"loss", trainer.losses()},
                       {"accuracy", trainer.accuracies()},
                       {"train_loss", out.learned.loss},
                       {"train_accuracy", out.learned.accuracy},
                       {"test_loss", out.test ? Json(out.test->loss) : Json()},
                       {"test_accuracy", out.test ? Json(out.test->accuracy) : Json()},
                       {"peak_bytes", peaks}});
}

struct Data {
  std::unique_ptr<train::Dataset> learned, test;  // test: may be null
};

Result<Data> open_data(const TrainArguments& a) {
  auto shape = train::sequence_shape(a.model, a.choices.trainer.tokens);
  if (!shape) return shape.error();
  Data out;
  auto learned = train::open_dataset(a.data, *shape);
  if (!learned) return learned.error();
  out.learned = std::move(*learned);
  if (a.test.empty()) return out;
  auto test = train::open_dataset(a.test, *shape);
  if (!test) return test.error();
  out.test = std::move(*test);
  return out;
}

// All epochs, with a checkpoint after each and after every --save-every steps.
Status run_epochs(train::Trainer& trainer, const train::Dataset& data, const TrainArguments& a, bool quiet,
                  std::vector<double>& steps) {
  using Clock = std::chrono::steady_clock;
  Progress progress;
  Status saved;
  const train::LearningRate rate = a.choices.learning_rate(data.count());
  auto before = Clock::now();
  const auto on_step = [&](double) {
    const auto now = Clock::now();
    steps.push_back(std::chrono::duration<double>(now - before).count());
    before = now;
    if (a.save_every > 0 && !a.save.empty() && trainer.steps() % a.save_every == 0) saved = trainer.save(a.save);
    return saved.ok();
  };
  const int64_t epochs = a.choices.epochs;
  for (int64_t epoch = std::min(trainer.epochs(), epochs); epoch < epochs; ++epoch) {
    progress.phase(fmt::format("epoch {}", epoch + 1), static_cast<double>(epoch) / static_cast<double>(epochs));
    auto measured = trainer.epoch(data, rate, on_step);
    if (!measured) return Error{fmt::format("{}: {}", a.model, measured.error().message)};
    if (!saved) return saved;
    if (!quiet)
      cli::print("epoch {:>3}  loss {:.5f}  accuracy {}\n", epoch + 1, measured->loss, percent(measured->accuracy));
    if (!a.save.empty())
      if (auto ok = trainer.save(a.save); !ok) return ok;
  }
  return {};
}

std::vector<std::filesystem::path> input_files(const TrainArguments& a) {
  std::vector<std::filesystem::path> files{a.model};
  for (const std::string& pair : {a.data, a.test}) {  // IMAGES,LABELS or one file
    const size_t comma = pair.find(',');
    files.emplace_back(pair.substr(0, comma));
    if (comma != std::string::npos) files.emplace_back(pair.substr(comma + 1));
  }
  return files;
}

int train_model(const Context& context, TrainArguments& a) {
  if (auto ok = app::set_options(app::train_options(), a.choices, a.values, "--"); !ok)
    return fail(kUsage, ok.error().message);
  auto data = open_data(a);
  if (!data) return fail(kUsage, data.error().message);
  train::TrainerOptions& options = a.choices.trainer;
  options.run.threads = a.threads;
  options.run.fuse = true;
  if (a.capacity > 0) options.run.capacity = a.capacity;
  // A checkpoint may replace the one that training resumes from, but no other input.
  const std::vector<std::filesystem::path> inputs = input_files(a);
  if (!a.save.empty())
    if (auto ok = OutputFile::check(a.save, inputs); !ok) return fail(kFailed, ok.error().message);
  RecordedFile recorded;
  if (auto ok = recorded.open(a.record, options.run, inputs); !ok) return fail(kFailed, ok.error().message);
  auto opened = train::Trainer::open(a.model, *data->learned, options);
  if (!opened) return fail(kUsage, opened.error().message);
  train::Trainer& trainer = **opened;
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> steps;
  if (auto ok = run_epochs(trainer, *data->learned, a, context.json, steps); !ok)
    return fail(kFailed, ok.error().message);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (auto ok = recorded.close(); !ok) return fail(kFailed, ok.error().message);
  Outcome out{seconds, std::move(steps), {}, {}};
  auto measured = trainer.measure(*data->learned);
  if (!measured) return fail(kFailed, measured.error().message);
  out.learned = *measured;
  if (data->test) {
    auto test = trainer.measure(*data->test);
    if (!test) return fail(kUsage, fmt::format("{}: {}", a.test, test.error().message));
    out.test = *test;
  }
  print_outcome(trainer, out, context);
  return kDone;
}

}  // namespace

void add_train(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("train", "Train a model on labelled images or texts");
  auto a = std::make_shared<TrainArguments>();
  command->add_option("model", a->model, "Model file (.onnx, .gguf), checkpoint, or zoo:NAME")->required();
  command
      ->add_option(
          "--data", a->data,
          "IMAGES,LABELS in the idx format, gzip or not; of language models a file of tokens (16 bits each), or "
          "sort:SEED")
      ->required();
  command->add_option("--test", a->test, "Held-out data in the same format; accuracy is reported at the end");
  for (const app::TrainOption& option : app::train_options())
    add_option(*command, a->values, option.descriptor(), option.text(app::TrainChoices()));
  command->add_option("--save", a->save,
                      "Checkpoint file (.safetensors), written after each epoch; `run` opens it as this model");
  command->add_option("--resume", a->choices.trainer.resume,
                      "Checkpoint of --save to resume after its last step; bit-exact on one thread");
  command->add_option("--save-every", a->save_every, "Number of steps between additional checkpoints")
      ->check(CLI::Range(1, 1 << 30));
  command
      ->add_option("--capacity", a->capacity,
                   "Maximum arena size of a step in bytes; activations that do not fit are recomputed")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()));
  command->add_option("--record", a->record, "Recording file of the steps");
  command->add_option("--threads", a->threads, "Number of threads; 0: one per CPU")->check(CLI::Range(0, 1024));
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&, a] { body = [&, a] { return train_model(context, *a); }; });
}

}  // namespace arenascope::cli
