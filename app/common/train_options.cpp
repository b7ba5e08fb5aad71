// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/train_options.h"

#include <charconv>

#ifndef QT_TRANSLATE_NOOP  // there is no Qt here: only lupdate reads it
#define QT_TRANSLATE_NOOP(context, text) text
#endif

namespace arenascope::app {

train::LearningRate TrainChoices::learning_rate(int64_t examples) const {
  train::Schedule falling{schedule, warmup, 1, 0.01};
  falling.steps = (examples + trainer.batch - 1) / trainer.batch * epochs;
  return {trainer.optimizer.learning_rate, falling};
}

namespace {

constexpr double kMost = 1e9;

// --- whole numbers and others, which differ in their limits

template <auto member>
std::string trainer_whole_text(const TrainChoices& c) {
  return std::to_string(c.trainer.*member);
}
template <auto member>
std::string choice_whole_text(const TrainChoices& c) {
  return std::to_string(c.*member);
}
template <auto member>
std::string optimizer_number_text(const TrainChoices& c) {
  return fmt::format("{:g}", c.trainer.optimizer.*member);
}
template <auto member>
Status set_optimizer_number(TrainChoices& c, const char* id, const std::string& value, double most) {
  const auto read = number(id, value, 0, most);
  if (!read) return read.error();
  c.trainer.optimizer.*member = *read;
  return {};
}
Status set_whole(const char* id, const std::string& value, int64_t least, int64_t most, int64_t& to) {
  const auto read = whole(id, value, least, most);
  if (!read) return read.error();
  to = *read;
  return {};
}

// --- choices by name

template <class Kind>
std::vector<std::string> names_of(std::initializer_list<Kind> kinds) {
  std::vector<std::string> out;
  for (const Kind kind : kinds) out.emplace_back(name(kind));
  return out;
}
std::vector<std::string> optimizers() { return names_of({train::OptimizerKind::AdamW, train::OptimizerKind::Sgd}); }
std::vector<std::string> losses() {
  return names_of({train::Loss::CrossEntropy, train::Loss::SquaredError, train::Loss::BinaryCrossEntropy});
}
std::vector<std::string> schedules() {
  using K = train::ScheduleKind;
  return names_of({K::Constant, K::Cosine, K::Linear, K::Steps});
}
std::vector<std::string> precisions() {
  return names_of({train::ActivationPrecision::F32, train::ActivationPrecision::BF16});
}
template <class Kind>
Status set_kind(const char* id, const std::string& value, const std::optional<Kind>& parsed,
                std::vector<std::string> (*names)(), Kind& to) {
  if (parsed) {
    to = *parsed;
    return {};
  }
  std::string all;
  for (const std::string& known : names()) all += " " + known;
  return Error{fmt::format("--{}: there is no '{}'; there are:{}", id, value, all)};
}

// --- the others

std::string dropout_text(const TrainChoices& c) {
  return c.trainer.dropout ? fmt::format("{:g}", *c.trainer.dropout) : "";
}
Status set_dropout(TrainChoices& c, const std::string& value) {
  c.trainer.dropout.reset();
  if (value.empty()) return {};
  const auto share = number("dropout", value, 0, 0.99);
  if (!share) return share.error();
  c.trainer.dropout = *share;
  return {};
}

std::string decays_text(const TrainChoices& c) {
  return joined(c.trainer.optimizer.decays,
                [](const train::DecayGroup& group) { return fmt::format("{}={:g}", group.pattern, group.decay); });
}
Status set_decays(TrainChoices& c, const std::string& value) {
  c.trainer.optimizer.decays.clear();
  for (const std::string& line : lines_of(value, false)) {
    const size_t equals = line.rfind('=');
    double decay = 0;
    const char* const end = line.data() + line.size();
    const char* const begin = equals == std::string::npos ? end : line.data() + equals + 1;
    const auto [rest, problem] = std::from_chars(begin, end, decay);
    if (equals == 0 || problem != std::errc() || rest != end)
      return Error{fmt::format("'--weight-decay-of {}' is not PATTERN=DECAY", line)};
    c.trainer.optimizer.decays.push_back({line.substr(0, equals), decay});
  }
  return {};
}

std::string seed_text(const TrainChoices& c) { return std::to_string(c.trainer.seed); }
Status set_seed(TrainChoices& c, const std::string& value) {
  const auto read = whole("seed", value, 0, INT64_MAX);
  if (!read) return read.error();
  c.trainer.seed = static_cast<uint64_t>(*read);
  return {};
}

using T = OptionType;
using C = TrainChoices;
using V = const std::string&;
using Trainer = train::TrainerOptions;
using Optimizer = train::OptimizerOptions;

// What most trainings are told.
std::vector<TrainOption> common_options() {
  return {
      {"optimizer", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Optimiser"),
       QT_TRANSLATE_NOOP("RunOptions", "What steps the parameters: adamw or sgd"),
       [](const C& c) { return std::string(name(c.trainer.optimizer.kind)); },
       [](C& c, V v) {
         return set_kind("optimizer", v, train::parse_optimizer(v), optimizers, c.trainer.optimizer.kind);
       },
       optimizers},
      {"lr", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Learning rate"),
       QT_TRANSLATE_NOOP("RunOptions", "The highest learning rate, before a schedule lowers it"),
       optimizer_number_text<&Optimizer::learning_rate>,
       [](C& c, V v) { return set_optimizer_number<&Optimizer::learning_rate>(c, "lr", v, kMost); }},
      {"epochs", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Epochs"),
       QT_TRANSLATE_NOOP("RunOptions", "How often each example is seen"), choice_whole_text<&C::epochs>,
       [](C& c, V v) { return set_whole("epochs", v, 1, 1 << 20, c.epochs); }},
      {"batch", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Batch"),
       QT_TRANSLATE_NOOP("RunOptions", "Examples of a step"), trainer_whole_text<&Trainer::batch>,
       [](C& c, V v) { return set_whole("batch", v, 1, 1 << 20, c.trainer.batch); }},
  };
}

std::vector<TrainOption> step_options() {
  return {
      {"loss", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Loss"),
       QT_TRANSLATE_NOOP("RunOptions", "cross-entropy, squared-error or binary-cross-entropy"),
       [](const C& c) { return std::string(name(c.trainer.loss)); },
       [](C& c, V v) { return set_kind("loss", v, train::parse_loss(v), losses, c.trainer.loss); }, losses},
      {"schedule", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Schedule"),
       QT_TRANSLATE_NOOP("RunOptions", "How the learning rate falls: constant, cosine, linear or steps"),
       [](const C& c) { return std::string(name(c.schedule)); },
       [](C& c, V v) { return set_kind("schedule", v, train::parse_schedule(v), schedules, c.schedule); }, schedules},
      {"warmup", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Warm-up"),
       QT_TRANSLATE_NOOP("RunOptions", "Steps over which the learning rate grows before"),
       choice_whole_text<&C::warmup>, [](C& c, V v) { return set_whole("warmup", v, 0, 1 << 30, c.warmup); }},
      {"clip", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Gradient clipping"),
       QT_TRANSLATE_NOOP("RunOptions", "The most that the norm of all gradients together may be; 0: any"),
       optimizer_number_text<&Optimizer::clip>,
       [](C& c, V v) { return set_optimizer_number<&Optimizer::clip>(c, "clip", v, kMost); }},
      {"precision", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Precision"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "f32, or bf16: what is kept for the backward pass takes half the bytes; weights stay f32"),
       [](const C& c) { return std::string(name(c.trainer.precision)); },
       [](C& c, V v) {
         return set_kind("precision", v, train::parse_activation_precision(v), precisions, c.trainer.precision);
       },
       precisions},
      {"accumulate", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Micro-batches"),
       QT_TRANSLATE_NOOP("RunOptions", "Parts in which a batch goes through the graph, their gradients added up"),
       trainer_whole_text<&Trainer::accumulate>,
       [](C& c, V v) { return set_whole("accumulate", v, 1, 1 << 20, c.trainer.accumulate); }},
      {"dropout", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Dropout"),
       QT_TRANSLATE_NOOP(
           "RunOptions",
           "The share that each dropout of the model drops instead of its own; of gpt2 and nano_gpt behind "
           "embeddings, attention and feed-forward parts"),
       dropout_text, set_dropout},
      {"tokens", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Tokens of a sequence"),
       QT_TRANSLATE_NOOP("RunOptions", "Of language models; 0: what the model sees, at most 512"),
       trainer_whole_text<&Trainer::tokens>,
       [](C& c, V v) { return set_whole("tokens", v, 0, 1 << 20, c.trainer.tokens); }},
      {"seed", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Seed"),
       QT_TRANSLATE_NOOP("RunOptions", "Of the examples' order, and of what is dropped"), seed_text, set_seed},
  };
}

std::vector<TrainOption> optimizer_options() {
  return {
      {"weight-decay", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Weight decay"),
       QT_TRANSLATE_NOOP("RunOptions", "Of all parameters that no group names"),
       optimizer_number_text<&Optimizer::weight_decay>,
       [](C& c, V v) { return set_optimizer_number<&Optimizer::weight_decay>(c, "weight-decay", v, kMost); }},
      {"weight-decay-of", T::List, QT_TRANSLATE_NOOP("RunOptions", "Weight decay of groups"),
       QT_TRANSLATE_NOOP(
           "RunOptions",
           "PATTERN=DECAY: of parameters with such names another one, as '*.bias=0'; the last that fits counts"),
       decays_text, set_decays},
      {"momentum", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Momentum"),
       QT_TRANSLATE_NOOP("RunOptions", "Of sgd, below 1"), optimizer_number_text<&Optimizer::momentum>,
       [](C& c, V v) { return set_optimizer_number<&Optimizer::momentum>(c, "momentum", v, 1); }},
      {"beta1", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Beta 1"),
       QT_TRANSLATE_NOOP("RunOptions", "Of adamw: what is kept of the first moment, below 1"),
       optimizer_number_text<&Optimizer::beta1>,
       [](C& c, V v) { return set_optimizer_number<&Optimizer::beta1>(c, "beta1", v, 1); }},
      {"beta2", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Beta 2"),
       QT_TRANSLATE_NOOP("RunOptions", "Of adamw: what is kept of the second moment, below 1"),
       optimizer_number_text<&Optimizer::beta2>,
       [](C& c, V v) { return set_optimizer_number<&Optimizer::beta2>(c, "beta2", v, 1); }},
      {"epsilon", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Epsilon"),
       QT_TRANSLATE_NOOP("RunOptions", "Of adamw: what is added to the root of the second moment"),
       optimizer_number_text<&Optimizer::epsilon>,
       [](C& c, V v) { return set_optimizer_number<&Optimizer::epsilon>(c, "epsilon", v, kMost); }},
  };
}

}  // namespace

std::span<const TrainOption> train_options() {
  static const std::vector<TrainOption> all = [] {
    std::vector<TrainOption> out;
    for (const auto& group : {common_options(), step_options(), optimizer_options()})
      out.insert(out.end(), group.begin(), group.end());
    return out;
  }();
  return all;
}

}  // namespace arenascope::app
