// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/train_options.h"

#include <charconv>

#ifndef QT_TRANSLATE_NOOP  // no Qt here; the macro is for lupdate
#define QT_TRANSLATE_NOOP(context, text) text
#endif

namespace arenascope::app {

train::LearningRate TrainChoices::learning_rate(int64_t examples) const {
  train::Schedule falling{schedule, warmup, 1, 0.01};
  falling.steps = (examples + trainer.batch - 1) / trainer.batch * epochs;
  return {trainer.optimizer.learning_rate, falling};
}

namespace {

constexpr double kMaxReal = 1e9;

// --- integer and floating-point options, with their limits

template <auto member>
std::string trainer_integer_text(const TrainChoices& c) {
  return std::to_string(c.trainer.*member);
}
template <auto member>
std::string choice_integer_text(const TrainChoices& c) {
  return std::to_string(c.*member);
}
template <auto member>
std::string optimizer_real_text(const TrainChoices& c) {
  return fmt::format("{:g}", c.trainer.optimizer.*member);
}
template <auto member>
Status set_optimizer_real(TrainChoices& c, const std::string& value, double max) {
  const auto read = parse_real(value, 0, max);
  if (!read) return read.error();
  c.trainer.optimizer.*member = *read;
  return {};
}
Status set_integer(const std::string& value, int64_t min, int64_t max, int64_t& to) {
  const auto read = parse_integer(value, min, max);
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
Status set_kind(const std::string& value, const std::optional<Kind>& parsed, std::vector<std::string> (*names)(),
                Kind& to) {
  if (parsed) {
    to = *parsed;
    return {};
  }
  std::string all;
  for (const std::string& known : names()) all += " " + known;
  return Error{fmt::format("unknown value '{}'; available:{}", value, all)};
}

// --- other options

std::string dropout_text(const TrainChoices& c) {
  return c.trainer.dropout ? fmt::format("{:g}", *c.trainer.dropout) : "";
}
Status set_dropout(TrainChoices& c, const std::string& value) {
  c.trainer.dropout.reset();
  if (value.empty()) return {};
  const auto share = parse_real(value, 0, 0.99);
  if (!share) return share.error();
  c.trainer.dropout = *share;
  return {};
}

std::string decays_text(const TrainChoices& c) {
  return join_lines(c.trainer.optimizer.decays,
                    [](const train::DecayGroup& group) { return fmt::format("{}={:g}", group.pattern, group.decay); });
}
Status set_decays(TrainChoices& c, const std::string& value) {
  c.trainer.optimizer.decays.clear();
  for (const std::string& line : split_list(value, false)) {
    const size_t equals = line.rfind('=');
    double decay = 0;
    const char* const end = line.data() + line.size();
    const char* const begin = equals == std::string::npos ? end : line.data() + equals + 1;
    const auto [rest, problem] = std::from_chars(begin, end, decay);
    if (equals == 0 || problem != std::errc() || rest != end)
      return Error{fmt::format("expected PATTERN=DECAY, found '{}'", line)};
    c.trainer.optimizer.decays.push_back({line.substr(0, equals), decay});
  }
  return {};
}

std::string seed_text(const TrainChoices& c) { return std::to_string(c.trainer.seed); }
Status set_seed(TrainChoices& c, const std::string& value) {
  const auto read = parse_integer(value, 0, INT64_MAX);
  if (!read) return read.error();
  c.trainer.seed = static_cast<uint64_t>(*read);
  return {};
}

using T = OptionType;
using C = TrainChoices;
using V = const std::string&;
using Trainer = train::TrainerOptions;
using Optimizer = train::OptimizerOptions;

// The most common options.
std::vector<TrainOption> common_options() {
  return {
      {"optimizer", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Optimiser"),
       QT_TRANSLATE_NOOP("RunOptions", "Optimiser: adamw or sgd"),
       [](const C& c) { return std::string(name(c.trainer.optimizer.kind)); },
       [](C& c, V v) { return set_kind(v, train::parse_optimizer(v), optimizers, c.trainer.optimizer.kind); },
       optimizers},
      {"lr", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Learning rate"),
       QT_TRANSLATE_NOOP("RunOptions", "Maximum learning rate of the schedule"),
       optimizer_real_text<&Optimizer::learning_rate>,
       [](C& c, V v) { return set_optimizer_real<&Optimizer::learning_rate>(c, v, kMaxReal); }},
      {"epochs", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Epochs"),
       QT_TRANSLATE_NOOP("RunOptions", "Number of passes over the training data"), choice_integer_text<&C::epochs>,
       [](C& c, V v) { return set_integer(v, 1, 1 << 20, c.epochs); }},
      {"batch", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Batch size"),
       QT_TRANSLATE_NOOP("RunOptions", "Examples per training step"), trainer_integer_text<&Trainer::batch>,
       [](C& c, V v) { return set_integer(v, 1, 1 << 20, c.trainer.batch); }},
  };
}

std::vector<TrainOption> step_options() {
  return {
      {"loss", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Loss"),
       QT_TRANSLATE_NOOP("RunOptions", "Loss function: cross-entropy, squared-error or binary-cross-entropy"),
       [](const C& c) { return std::string(name(c.trainer.loss)); },
       [](C& c, V v) { return set_kind(v, train::parse_loss(v), losses, c.trainer.loss); }, losses},
      {"schedule", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Schedule"),
       QT_TRANSLATE_NOOP("RunOptions", "Learning rate schedule: constant, cosine, linear or steps"),
       [](const C& c) { return std::string(name(c.schedule)); },
       [](C& c, V v) { return set_kind(v, train::parse_schedule(v), schedules, c.schedule); }, schedules},
      {"warmup", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Warm-up"),
       QT_TRANSLATE_NOOP("RunOptions", "Number of warm-up steps of the learning rate"), choice_integer_text<&C::warmup>,
       [](C& c, V v) { return set_integer(v, 0, 1 << 30, c.warmup); }},
      {"clip", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Gradient clipping"),
       QT_TRANSLATE_NOOP("RunOptions", "Maximum global gradient norm; 0: unlimited"),
       optimizer_real_text<&Optimizer::clip>,
       [](C& c, V v) { return set_optimizer_real<&Optimizer::clip>(c, v, kMaxReal); }},
      {"precision", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Precision"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Precision of stored activations: f32 or bf16 (half the memory); weights stay f32"),
       [](const C& c) { return std::string(name(c.trainer.precision)); },
       [](C& c, V v) { return set_kind(v, train::parse_activation_precision(v), precisions, c.trainer.precision); },
       precisions},
      {"accumulate", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Micro-batches"),
       QT_TRANSLATE_NOOP("RunOptions", "Number of micro-batches per batch, with accumulated gradients"),
       trainer_integer_text<&Trainer::accumulate>,
       [](C& c, V v) { return set_integer(v, 1, 1 << 20, c.trainer.accumulate); }},
      {"dropout", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Dropout"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Dropout rate that overrides the rate of the model; in gpt2 and nano_gpt after embeddings, "
                         "attention and feed-forward layers"),
       dropout_text, set_dropout},
      {"tokens", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Sequence length"),
       QT_TRANSLATE_NOOP("RunOptions", "Tokens per sequence of language models; 0: the context length, at most 512"),
       trainer_integer_text<&Trainer::tokens>, [](C& c, V v) { return set_integer(v, 0, 1 << 20, c.trainer.tokens); }},
      {"seed", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Seed"),
       QT_TRANSLATE_NOOP("RunOptions", "Random seed for the order of examples and for dropout"), seed_text, set_seed},
  };
}

std::vector<TrainOption> optimizer_options() {
  return {
      {"weight-decay", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Weight decay"),
       QT_TRANSLATE_NOOP("RunOptions", "Weight decay of parameters without a group"),
       optimizer_real_text<&Optimizer::weight_decay>,
       [](C& c, V v) { return set_optimizer_real<&Optimizer::weight_decay>(c, v, kMaxReal); }},
      {"weight-decay-of", T::List, QT_TRANSLATE_NOOP("RunOptions", "Weight decay groups"),
       QT_TRANSLATE_NOOP(
           "RunOptions",
           "Weight decay of parameters by name, PATTERN=DECAY such as '*.bias=0'; the last match applies"),
       decays_text, set_decays},
      {"momentum", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Momentum"),
       QT_TRANSLATE_NOOP("RunOptions", "Momentum of sgd, below 1"), optimizer_real_text<&Optimizer::momentum>,
       [](C& c, V v) { return set_optimizer_real<&Optimizer::momentum>(c, v, 1); }},
      {"beta1", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Beta 1"),
       QT_TRANSLATE_NOOP("RunOptions", "Decay rate of the first moment of adamw, below 1"),
       optimizer_real_text<&Optimizer::beta1>,
       [](C& c, V v) { return set_optimizer_real<&Optimizer::beta1>(c, v, 1); }},
      {"beta2", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Beta 2"),
       QT_TRANSLATE_NOOP("RunOptions", "Decay rate of the second moment of adamw, below 1"),
       optimizer_real_text<&Optimizer::beta2>,
       [](C& c, V v) { return set_optimizer_real<&Optimizer::beta2>(c, v, 1); }},
      {"epsilon", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Epsilon"),
       QT_TRANSLATE_NOOP("RunOptions", "Constant added to the root of the second moment in adamw"),
       optimizer_real_text<&Optimizer::epsilon>,
       [](C& c, V v) { return set_optimizer_real<&Optimizer::epsilon>(c, v, kMaxReal); }},
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
