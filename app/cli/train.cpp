// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli train: an optimiser's steps over labelled pictures.
#include <chrono>
#include <cmath>

#include <arenascope/train/trainer.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/recorded_file.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

struct TrainArguments {
  std::string model, data, test, optimizer = "adamw", schedule = "cosine", save, record;
  train::TrainerOptions options;
  int epochs = 5, threads = 0;
};

// Of an epoch, from 0: as it is, or down to a hundredth along half a cosine (Loshchilov and Hutter 2017).
double rate_of(const TrainArguments& a, int epoch) {
  const double rate = a.options.optimizer.learning_rate;
  if (a.schedule == "constant" || a.epochs < 2) return rate;
  return rate * (0.01 + 0.99 * 0.5 * (1 + std::cos(M_PI * epoch / (a.epochs - 1))));
}

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

void print_outcome(train::Trainer& trainer, double seconds, double train_accuracy, const Json& test_accuracy,
                   bool json) {
  if (!json) {
    fmt::print("\n{} steps in {:.1f} s, {} of the training pictures right", trainer.steps(), seconds,
               percent(train_accuracy));
    if (!test_accuracy.is_null()) fmt::print(", {} of the test pictures", percent(test_accuracy.get<double>()));
    fmt::print("\n");
    for (const auto& [memory, bytes] : trainer.peak_bytes())
      if (bytes > 0) fmt::print("{:<14} {:>12}\n", name(memory), app::format_bytes(bytes));
    return;
  }
  Json peaks = Json::object();
  for (const auto& [memory, bytes] : trainer.peak_bytes()) peaks[std::string(name(memory))] = bytes;
  print_json({{"model", trainer.name()},
              {"steps", trainer.steps()},
              {"seconds", seconds},
              {"loss", trainer.losses()},
              {"train_accuracy", train_accuracy},
              {"test_accuracy", test_accuracy},
              {"peak_bytes", peaks}});
}

int train_model(const Context& context, TrainArguments& a) {
  const auto kind = train::parse_optimizer(a.optimizer);
  if (!kind) return fail(kUsage, fmt::format("there is no optimizer '{}'; there are sgd and adamw", a.optimizer));
  a.options.optimizer.kind = *kind;
  auto data = train::read_image_pair(a.data);
  if (!data) return fail(kUsage, data.error().message);
  auto test = a.test.empty() ? Result<train::ImageData>(train::ImageData()) : train::read_image_pair(a.test);
  if (!test) return fail(kUsage, test.error().message);
  a.options.run.threads = a.threads;
  a.options.run.fuse = true;
  RecordedFile recorded;
  if (auto ok = recorded.open(a.record, a.options.run); !ok) return fail(kFailed, ok.error().message);
  auto opened = train::Trainer::open(a.model, *data, a.options);
  if (!opened) return fail(kUsage, opened.error().message);
  train::Trainer& trainer = **opened;
  Progress progress;
  const auto start = std::chrono::steady_clock::now();
  for (auto epoch = static_cast<int>(std::min<int64_t>(trainer.epochs(), a.epochs)); epoch < a.epochs; ++epoch) {
    progress.phase(fmt::format("epoch {}", epoch + 1), static_cast<double>(epoch) / a.epochs);
    auto measured = trainer.epoch(*data, rate_of(a, epoch));
    if (!measured) return fail(kFailed, fmt::format("{}: {}", a.model, measured.error().message));
    if (!context.json)
      fmt::print("epoch {:>3}  loss {:.5f}  accuracy {}\n", epoch + 1, measured->loss, percent(measured->accuracy));
    if (!a.save.empty())
      if (auto ok = trainer.save(a.save); !ok) return fail(kFailed, ok.error().message);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (auto ok = recorded.close(); !ok) return fail(kFailed, ok.error().message);
  progress.phase("measuring");
  auto train_measure = trainer.measure(*data);
  if (!train_measure) return fail(kFailed, train_measure.error().message);
  Json test_accuracy = nullptr;
  if (!a.test.empty()) {
    auto test_measure = trainer.measure(*test);
    if (!test_measure) return fail(kUsage, fmt::format("{}: {}", a.test, test_measure.error().message));
    test_accuracy = test_measure->accuracy;
  }
  print_outcome(trainer, seconds, train_measure->accuracy, test_accuracy, context.json);
  return kDone;
}

}  // namespace

void add_train(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("train", "Train a model on labelled pictures");
  auto a = std::make_shared<TrainArguments>();
  train::OptimizerOptions& o = a->options.optimizer;
  command->add_option("model", a->model, "A .onnx or .gguf file, a checkpoint, or zoo:NAME")->required();
  command->add_option("--data", a->data, "IMAGES,LABELS in the idx format, gzip or not")->required();
  command->add_option("--test", a->test, "The same, not trained on: its accuracy is told at the end");
  command->add_option("--epochs", a->epochs, "How often each picture is seen")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--batch", a->options.batch, "Pictures a step")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--optimizer", a->optimizer, "sgd or adamw")->capture_default_str();
  command->add_option("--lr", o.learning_rate, "Learning rate")->capture_default_str();
  command->add_option("--schedule", a->schedule, "Of the learning rate: constant or cosine")
      ->capture_default_str()
      ->check(CLI::IsMember({"constant", "cosine"}));
  command->add_option("--momentum", o.momentum, "Of sgd")->capture_default_str();
  command->add_option("--beta1", o.beta1, "Of adamw")->capture_default_str();
  command->add_option("--beta2", o.beta2, "Of adamw")->capture_default_str();
  command->add_option("--epsilon", o.epsilon, "Of adamw")->capture_default_str();
  command->add_option("--weight-decay", o.weight_decay, "Of all parameters")->capture_default_str();
  command->add_option("--clip", o.clip, "The most that the norm of all gradients may be; 0: any")
      ->capture_default_str();
  command->add_option("--seed", a->options.seed, "Of the pictures' order")->capture_default_str();
  command->add_option("--save", a->save, "A checkpoint behind each epoch: safetensors that run opens as this model");
  command->add_option("--resume", a->options.resume,
                      "A checkpoint of --save: goes on behind its last epoch, to the same bits on one thread");
  command->add_option("--record", a->record, "Write a recording of the steps");
  command->add_option("--threads", a->threads, "0: as many as there are processors")->check(CLI::Range(0, 1024));
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&, a] { body = [&, a] { return train_model(context, *a); }; });
}

}  // namespace arenascope::cli
