// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli train: an optimiser's steps over labelled pictures or texts.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include <arenascope/train/dataset.h>
#include <arenascope/train/trainer.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/recorded_file.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

struct TrainArguments {
  std::string model, data, test, optimizer = "adamw", schedule = "cosine", loss = "cross-entropy", save, record;
  std::vector<std::string> decays;
  train::TrainerOptions options;
  int epochs = 5, threads = 0;
  int64_t warmup = 0;
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

void print_outcome(train::Trainer& trainer, const Outcome& out, bool json) {
  if (!json) {
    fmt::print("\n{} steps in {:.1f} s, {} of what was learned right", trainer.steps(), out.seconds,
               percent(out.learned.accuracy));
    if (out.test) fmt::print(", {} of the test", percent(out.test->accuracy));
    fmt::print("; loss {:.5f}", out.learned.loss);
    if (out.test) fmt::print(", {:.5f}", out.test->loss);
    fmt::print("\n");
    for (const auto& [memory, bytes] : trainer.peak_bytes())
      if (bytes > 0) fmt::print("{:<14} {:>12}\n", name(memory), app::format_bytes(bytes));
    return;
  }
  Json peaks = Json::object();
  for (const auto& [memory, bytes] : trainer.peak_bytes()) peaks[std::string(name(memory))] = bytes;
  print_json({{"model", trainer.name()},
              {"steps", trainer.steps()},
              {"seconds", out.seconds},
              {"step_seconds", median(out.steps)},
              {"loss", trainer.losses()},
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
  auto shape = train::sequence_shape(a.model, a.options.tokens);
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

train::LearningRate learning_rate(const TrainArguments& a, int64_t examples) {
  train::Schedule schedule{train::parse_schedule(a.schedule).value_or(train::ScheduleKind::Constant), a.warmup, 1,
                           0.01};
  schedule.steps = (examples + a.options.batch - 1) / a.options.batch * a.epochs;
  return {a.options.optimizer.learning_rate, schedule};
}

// All epochs; a checkpoint behind each, and behind every so many steps.
Status run_epochs(train::Trainer& trainer, const train::Dataset& data, const TrainArguments& a, bool quiet,
                  std::vector<double>& steps) {
  using Clock = std::chrono::steady_clock;
  Progress progress;
  Status saved;
  const train::LearningRate rate = learning_rate(a, data.count());
  auto before = Clock::now();
  const auto told = [&](double) {
    const auto now = Clock::now();
    steps.push_back(std::chrono::duration<double>(now - before).count());
    before = now;
    if (a.save_every > 0 && !a.save.empty() && trainer.steps() % a.save_every == 0) saved = trainer.save(a.save);
    return saved.ok();
  };
  for (auto epoch = static_cast<int>(std::min<int64_t>(trainer.epochs(), a.epochs)); epoch < a.epochs; ++epoch) {
    progress.phase(fmt::format("epoch {}", epoch + 1), static_cast<double>(epoch) / a.epochs);
    auto measured = trainer.epoch(data, rate, told);
    if (!measured) return Error{fmt::format("{}: {}", a.model, measured.error().message)};
    if (!saved) return saved;
    if (!quiet)
      fmt::print("epoch {:>3}  loss {:.5f}  accuracy {}\n", epoch + 1, measured->loss, percent(measured->accuracy));
    if (!a.save.empty())
      if (auto ok = trainer.save(a.save); !ok) return ok;
  }
  return {};
}

// PATTERN=DECAY, as often as wanted.
Status read_decays(TrainArguments& a) {
  for (const std::string& text : a.decays) {
    const size_t equals = text.rfind('=');
    double decay = 0;
    const char* const end = text.data() + text.size();
    const char* const begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [rest, problem] = std::from_chars(begin, end, decay);
    if (equals == 0 || problem != std::errc() || rest != end)
      return Error{fmt::format("'--weight-decay-of {}' is not PATTERN=DECAY", text)};
    a.options.optimizer.decays.push_back({text.substr(0, equals), decay});
  }
  return {};
}

int train_model(const Context& context, TrainArguments& a) {
  const auto kind = train::parse_optimizer(a.optimizer);
  if (!kind) return fail(kUsage, fmt::format("there is no optimizer '{}'; there are sgd and adamw", a.optimizer));
  a.options.optimizer.kind = *kind;
  a.options.loss = train::parse_loss(a.loss).value_or(train::Loss::CrossEntropy);
  if (auto ok = read_decays(a); !ok) return fail(kUsage, ok.error().message);
  auto data = open_data(a);
  if (!data) return fail(kUsage, data.error().message);
  a.options.run.threads = a.threads;
  a.options.run.fuse = true;
  if (a.capacity > 0) a.options.run.capacity = a.capacity;
  RecordedFile recorded;
  if (auto ok = recorded.open(a.record, a.options.run); !ok) return fail(kFailed, ok.error().message);
  auto opened = train::Trainer::open(a.model, *data->learned, a.options);
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
  print_outcome(trainer, out, context.json);
  return kDone;
}

}  // namespace

void add_train(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("train", "Train a model on labelled pictures or texts");
  auto a = std::make_shared<TrainArguments>();
  train::OptimizerOptions& o = a->options.optimizer;
  command->add_option("model", a->model, "A .onnx or .gguf file, a checkpoint, or zoo:NAME")->required();
  command
      ->add_option(
          "--data", a->data,
          "IMAGES,LABELS in the idx format, gzip or not; of language models a file of tokens (16 bits each), or "
          "sort:SEED")
      ->required();
  command->add_option("--test", a->test, "The same, not trained on: its accuracy is told at the end");
  command->add_option("--epochs", a->epochs, "How often each example is seen")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--batch", a->options.batch, "Examples a step")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--accumulate", a->options.accumulate, "Parts in which a batch goes through the graph")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  command
      ->add_option("--tokens", a->options.tokens,
                   "Of a sequence, of language models; 0: what the model sees, at most 512")
      ->check(CLI::Range(0, 1 << 20));
  command->add_option("--optimizer", a->optimizer, "sgd or adamw")->capture_default_str();
  command->add_option("--lr", o.learning_rate, "Learning rate")->capture_default_str();
  command->add_option("--schedule", a->schedule, "How the learning rate falls: constant, cosine, linear or steps")
      ->capture_default_str()
      ->check(CLI::IsMember({"constant", "cosine", "linear", "steps"}));
  command->add_option("--warmup", a->warmup, "Steps over which the learning rate grows before")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 30));
  command->add_option("--loss", a->loss, "cross-entropy, squared-error or binary-cross-entropy")
      ->capture_default_str()
      ->check(CLI::IsMember({"cross-entropy", "squared-error", "binary-cross-entropy"}));
  command->add_option("--momentum", o.momentum, "Of sgd")->capture_default_str();
  command->add_option("--beta1", o.beta1, "Of adamw")->capture_default_str();
  command->add_option("--beta2", o.beta2, "Of adamw")->capture_default_str();
  command->add_option("--epsilon", o.epsilon, "Of adamw")->capture_default_str();
  command->add_option("--weight-decay", o.weight_decay, "Of all parameters")->capture_default_str();
  command->add_option(
      "--weight-decay-of", a->decays,
      "PATTERN=DECAY: of parameters with such names another one, as '*.bias=0'; the last that fits counts");
  command->add_option("--clip", o.clip, "The most that the norm of all gradients may be; 0: any")
      ->capture_default_str();
  command->add_option("--seed", a->options.seed, "Of the examples' order")->capture_default_str();
  command->add_option("--save", a->save, "A checkpoint behind each epoch: safetensors that run opens as this model");
  command->add_option("--resume", a->options.resume,
                      "A checkpoint of --save: goes on behind its last step, to the same bits on one thread");
  command->add_option("--save-every", a->save_every, "A checkpoint behind every so many steps too")
      ->check(CLI::Range(1, 1 << 30));
  command->add_option("--record", a->record, "Write a recording of the steps");
  command->add_option("--threads", a->threads, "0: as many as there are processors")->check(CLI::Range(0, 1024));
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&, a] { body = [&, a] { return train_model(context, *a); }; });
}

}  // namespace arenascope::cli
