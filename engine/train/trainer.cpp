// SPDX-License-Identifier: MIT
#include <arenascope/train/trainer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include <arenascope/base/counted_random.h>
#include <arenascope/models/checkpoint.h>

namespace arenascope::train {
namespace {

// Fisher and Yates' shuffle by numbers of a counter, so that an epoch's order depends on seed and epoch alone.
std::vector<int64_t> shuffled(int64_t count, uint64_t seed, int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  CountedRandom random(seed, static_cast<uint64_t>(epoch));
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
  return order;
}

template <class T>
std::span<const std::byte> bytes_of(const T& values) {
  return std::as_bytes(std::span(values));
}

bool takes(const models::Model& model, std::string_view input) {
  return std::any_of(model.inputs.begin(), model.inputs.end(),
                     [&](const models::ValueInfo& given) { return given.name == input; });
}

bool is_gradient_sum(const std::string& state) { return state.ends_with(gradient_sum_name("")); }

bool is_finite(const TensorImpl& tensor, const std::vector<std::byte>& bytes) {
  if (tensor.dtype != DType::F32) return true;
  for (size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
    float x;
    std::memcpy(&x, bytes.data() + i, sizeof x);
    if (!std::isfinite(x)) return false;
  }
  return true;
}

}  // namespace

Trainer::~Trainer() = default;

namespace {

Result<SequenceShape> shape_of(const models::Model& model, int64_t tokens) {
  if (!model.language) return SequenceShape();
  const int64_t context = model.language->context;
  if (context > 0 && tokens > context)
    return Error{fmt::format("'{}' has a context length of {} tokens: {} requested", model.name, context, tokens)};
  const int64_t most = context > 0 ? std::min<int64_t>(context, 512) : 512;
  return SequenceShape{tokens > 0 ? tokens : most, model.language->vocabulary};
}

}  // namespace

Result<SequenceShape> sequence_shape(const std::string& spec, int64_t tokens) {
  auto model = models::open_model(spec);
  if (!model) return model.error();
  return shape_of(*model, tokens);
}

namespace {

// How many examples go through the graph at once, and how long they are.
Status settle_sizes(const std::string& spec, TrainerOptions& options) {
  auto model = models::open_model(spec);
  if (!model) return model.error();
  auto shape = shape_of(*model, options.tokens);
  if (!shape) return shape.error();
  // keep_in_bf16() leaves the nodes in the order in which they take least.
  if (options.precision == ActivationPrecision::BF16 && options.run.order == training_run().order)
    options.run.order = "depth-first";
  models::OpenOptions& open = options.run.open;
  open.learning = true;
  open.dropout = options.dropout;
  const int64_t at_once = options.batch / options.accumulate;
  for (const models::FreeDimension& free : model->free_dimensions)
    if (free.axis == 0) open.dims[free.key()] = at_once;  // the batch dimension, under any name
  if (model->free_dimensions.empty()) {  // a model of the zoo, or one that was saved, if it has that size
    open.dims["batch"] = at_once;
    if (!models::open_model(spec, open)) open.dims.erase("batch");
  }
  if (shape->tokens > 0) open.sequences = at_once, open.tokens = shape->tokens;
  return {};
}

}  // namespace

Result<models::Model> make_step_model(const std::string& spec, const TrainerOptions& options) {
  TrainerOptions settled = options;
  if (auto ok = settle_sizes(spec, settled); !ok) return ok.error();
  auto model = models::open_model(spec, settled.run.open);
  if (!model) return model.error();
  return make_training_step(std::move(*model),
                            {StepPart::Whole, options.loss, options.optimizer, false, {}, options.precision});
}

Result<std::unique_ptr<Trainer>> Trainer::open(const std::string& spec, const Dataset& data,
                                               const TrainerOptions& options) {
  if (auto ok = check(options.optimizer); !ok) return ok.error();
  if (options.batch < 1) return Error{fmt::format("a batch of {} examples", options.batch)};
  if (options.accumulate < 1 || options.batch % options.accumulate != 0)
    return Error{fmt::format("a batch of {} cannot be cut into {} parts", options.batch, options.accumulate)};
  std::unique_ptr<Trainer> out(new Trainer);
  out->spec_ = spec;
  out->options_ = options;
  out->at_once_ = options.batch / options.accumulate;
  if (auto ok = settle_sizes(spec, out->options_); !ok) return ok.error();
  if (auto ok = out->open_graphs(data); !ok) return ok.error();
  return out;
}

Result<models::Model> Trainer::make_graph(const StepOptions& options) const {
  models::OpenOptions open = options_.run.open;
  open.learning = options.part == StepPart::Whole || options.part == StepPart::Gradients;
  auto model = models::open_model(spec_, open);
  if (!model) return model.error();
  return make_training_step(std::move(*model), options);
}

// Over the states that are there already.
Result<std::unique_ptr<Runner>> Trainer::make_runner(models::Model model, bool recorded) {
  RunnerOptions run = options_.run;
  for (const auto* other : {&step_, &update_})
    if (*other)
      for (const models::State& state : (*other)->model().states) run.states[state.name] = state.tensor->storage;
  if (!recorded) run.recorder = nullptr;
  return Runner::open(std::move(model), run);
}

Status Trainer::open_graphs(const Dataset& data) {
  const bool whole = options_.accumulate == 1;
  StepOptions step{whole ? StepPart::Whole : StepPart::Gradients,
                   options_.loss,
                   options_.optimizer,
                   options_.norms,
                   {},
                   options_.precision};
  auto model = make_graph(step);
  if (!model) return model.error();
  name_ = model->name;
  drops_ = takes(*model, models::kDropoutInput);
  if (options_.dropout.value_or(0) > 0 && !drops_)
    return Error{fmt::format("{} has nothing in it that could be dropped at random", name_)};
  if (auto ok = find_examples(*model, model->path.empty() ? spec_ : model->path.string()); !ok) return ok;
  if (auto ok = fits(data); !ok) return ok;
  const std::string written = whole ? " (updated)" : gradient_sum_name("") + " (next)";
  for (const models::ValueInfo& output : model->outputs)
    if (output.name.ends_with(written)) trained_.push_back(output.name.substr(0, output.name.size() - written.size()));
  const auto opened = [&](Result<models::Model> graph, bool recorded, std::unique_ptr<Runner>& to) -> Status {
    if (!graph) return graph.error();
    auto runner = make_runner(std::move(*graph), recorded);
    if (!runner) return runner.error();
    to = std::move(*runner);
    return {};
  };
  if (auto ok = opened(std::move(model), true, step_); !ok) return ok;
  if (!whole) {
    StepOptions update{StepPart::Update, options_.loss, options_.optimizer, options_.norms, trained_, {}};
    if (auto ok = opened(make_graph(update), true, update_); !ok) return ok;
  }
  if (!options_.resume.empty())
    if (auto ok = resume(options_.resume); !ok) return ok;
  return opened(make_graph({StepPart::Measure, options_.loss, {}, false, {}, {}}), false, measure_);
}

// Which input takes the examples, and how many numbers of them.
Status Trainer::find_examples(const models::Model& model, const std::string& title) {
  const bool texts = model.language.has_value();
  const models::ValueInfo* input = nullptr;
  for (const models::ValueInfo& candidate : model.inputs)
    if (!input && (!texts || candidate.name == "token_ids")) input = &candidate;
  dtype_ = texts ? DType::I64 : DType::F32;
  targets_each_ = texts ? options_.run.open.tokens : 1;
  const int64_t rows = at_once_ * targets_each_;
  if (!input || input->dtype != dtype_ || (!texts && input->sizes.rank() < 2) || input->sizes[0] != rows)
    return Error{fmt::format(
        "{}: its input {} is not a batch of {} {}", title,
        input ? fmt::format("'{}' {} {}", input->name, arenascope::name(input->dtype), to_string(input->sizes))
              : "of tokens",
        at_once_, texts ? "sequences" : "pictures")};
  numbers_ = input->name;
  numbers_each_ = element_count(input->sizes) / at_once_;
  for (const models::ValueInfo& other : model.inputs)
    if (other.name != numbers_ && other.name != kTargets && other.name != kOptimizerInput &&
        other.name != kAccumulate && !other.write_default)
      return Error{fmt::format("{}: it also takes an input '{}', which examples do not give", title, other.name)};
  for (const TensorImpl* node : model.graph.nodes())
    if (node->op == Op::ArgMax && node->name == "best_class") classes_ = node->sources[0]->sizes[1];
  return {};
}

Status Trainer::resume(const std::filesystem::path& path) {
  auto checkpoint = models::read_checkpoint(path);
  if (!checkpoint) return checkpoint.error();
  const auto refuse = [&](const std::string& why) { return Error{fmt::format("{}: {}", path.string(), why)}; };
  const auto count = [&](const char* key, int64_t& out) {
    const std::string& text = checkpoint->metadata[key];
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    return problem == std::errc() && end == text.data() + text.size() && out >= 0;
  };
  if (!count("arenascope.steps", steps_) || !count("arenascope.epochs", epochs_) || !count("arenascope.place", place_))
    return refuse("it does not contain the number of completed steps");
  for (const models::State& state : (update_ ? update_ : step_)->model().states) {
    if (update_ && is_gradient_sum(state.name)) continue;
    const TensorImpl& tensor = *state.tensor;
    const models::CheckpointTensor* found = checkpoint->find(state.name);
    if (!found || found->dtype != tensor.dtype || !(found->sizes == Dims(tensor.sizes.span())))
      return refuse(
          fmt::format("it has no '{}' of {}, which this training keeps", state.name, to_string(tensor.sizes)));
    std::memcpy(tensor.data(), found->bytes.data(), found->bytes.size());
  }
  return {};
}

Status Trainer::fits(const Dataset& data) const {
  if (data.dtype() != dtype_ || data.numbers_each() != numbers_each_ || data.targets_each() != targets_each_)
    return Error{fmt::format("{} needs examples of {} {} values, these have {} of {}", name_, numbers_each_,
                             arenascope::name(dtype_), data.numbers_each(), arenascope::name(data.dtype()))};
  return data.fits(classes_);
}

// An incomplete batch is filled with repeated examples, which keep its statistics, with the label -1, which is ignored.
void Trainer::gather(const Dataset& data, std::span<const int64_t> which) {
  const size_t each = static_cast<size_t>(numbers_each_) * static_cast<size_t>(info(dtype_).block_bytes);
  const auto batch = static_cast<size_t>(options_.batch), rows = static_cast<size_t>(targets_each_);
  batch_.resize(batch * each);
  targets_.assign(batch * rows, -1);
  for (size_t i = 0; i < which.size(); ++i) data.put(which[i], batch_.data() + i * each, targets_.data() + i * rows);
  for (size_t i = which.size(); i < batch && !which.empty(); ++i)
    std::memcpy(batch_.data() + i * each, batch_.data() + (i - which.size()) * each, each);
}

int64_t Trainer::counted(int64_t part) const {
  const auto begin = targets_.begin() + part * at_once_ * targets_each_;
  return std::count_if(begin, begin + at_once_ * targets_each_, [](int64_t target) { return target >= 0; });
}

Status Trainer::put_part(Runner& runner, int64_t part) {
  const size_t bytes = batch_.size() / static_cast<size_t>(options_.accumulate);
  const auto rows = static_cast<size_t>(at_once_ * targets_each_), at = static_cast<size_t>(part);
  if (auto ok = runner.set_input(numbers_, std::span(batch_).subspan(at * bytes, bytes)); !ok) return ok;
  return runner.set_input(kTargets, bytes_of(std::span(targets_).subspan(at * rows, rows)));
}

Result<double> Trainer::number(Runner& runner, size_t output) {
  auto bytes = runner.output(output);
  if (!bytes) return bytes.error();
  float value = 0;
  std::memcpy(&value, bytes->data(), sizeof value);
  return static_cast<double>(value);
}

// Repeats the step and checks each result; parameters are not written.
Error Trainer::explain(double loss) {
  std::string first;
  RunOptions inspection;
  inspection.after_node = [&](NodeId id, Step) {
    const TensorImpl& node = step_->plan().graph.node(id);
    auto bytes = step_->read(node);
    if (!bytes || is_finite(node, *bytes)) return true;
    first = fmt::format("{} '{}'", arenascope::name(node.op), node.name);
    return false;
  };
  (void)step_->run(inspection);
  return Error{
      fmt::format("the loss of step {} is {}: {}", steps_ + 1, loss,
                  first.empty() ? "every single result is finite" : "the first result that is not finite is " + first)};
}

Result<Trainer::Sums> Trainer::run_part(Runner& runner, int64_t part) {
  if (auto ok = put_part(runner, part); !ok) return ok.error();
  auto report = runner.run();
  if (!report) return report.error();
  auto loss = number(runner, 0), correct = number(runner, 1);
  if (!loss || !correct) return loss ? correct.error() : loss.error();
  return Sums{*loss, *correct, counted(part)};
}

Status Trainer::keep_norms(Runner& runner) {
  if (!options_.norms) return {};
  auto bytes = runner.output(update_ ? 0 : 2);
  if (!bytes) return bytes.error();
  norms_.resize(bytes->size() / sizeof(float));
  std::memcpy(norms_.data(), bytes->data(), bytes->size());
  return {};
}

// Runs the gathered batch; the loss is its mean.
Result<Trainer::Sums> Trainer::run_step(const LearningRate& learning_rate) {
  const auto numbers = numbers_of(options_.optimizer, steps_ + 1, learning_rate.at(steps_));
  Runner& last = update_ ? *update_ : *step_;
  if (auto ok = last.set_input(kOptimizerInput, bytes_of(numbers)); !ok) return ok.error();
  Sums sum;
  for (int64_t part = 0; part < options_.accumulate; ++part) sum.counted += counted(part);
  float kept = 0;
  for (int64_t part = 0; part < options_.accumulate; ++part) {
    const int64_t rows = counted(part);
    if (rows == 0 && update_) continue;
    const double share =
        update_ ? static_cast<double>(rows) / static_cast<double>(std::max<int64_t>(sum.counted, 1)) : 1;
    if (update_)
      if (auto ok = step_->set_input(kAccumulate, bytes_of(std::array{kept, static_cast<float>(share)})); !ok)
        return ok.error();
    const std::array<int64_t, 2> draw{static_cast<int64_t>(options_.seed), steps_ * options_.accumulate + part};
    if (drops_)
      if (auto ok = step_->set_input(models::kDropoutInput, bytes_of(draw)); !ok) return ok.error();
    auto ran = run_part(*step_, part);
    if (!ran) return ran.error();
    if (!std::isfinite(ran->loss)) return explain(ran->loss);
    sum.loss += share * ran->loss;
    sum.correct += ran->correct;
    kept = 1;
  }
  if (update_ && kept > 0)
    if (auto report = update_->run(); !report) return report.error();
  if (auto ok = keep_norms(last); !ok) return ok.error();
  return sum;
}

Result<Measure> Trainer::epoch(const Dataset& data, const LearningRate& learning_rate,
                               const std::function<bool(double)>& on_step) {
  if (auto ok = fits(data); !ok) return ok.error();
  if (place_ >= data.count())
    return Error{fmt::format("{} of {} examples of an epoch are done already", place_, data.count())};
  const std::vector<int64_t> order = shuffled(data.count(), options_.seed, epochs_);
  Measure sum;
  int64_t seen = 0;
  for (bool going = true; going;) {
    const int64_t count = std::min(options_.batch, data.count() - place_);
    gather(data, std::span(order).subspan(static_cast<size_t>(place_), static_cast<size_t>(count)));
    auto ran = run_step(learning_rate);
    if (!ran) return ran.error();
    ++steps_;
    place_ += count;
    const bool done = place_ == data.count();
    if (done) ++epochs_, place_ = 0;
    losses_.push_back(ran->loss);
    accuracies_.push_back(ran->correct / static_cast<double>(std::max<int64_t>(ran->counted, 1)));
    sum.loss += ran->loss * static_cast<double>(ran->counted);
    sum.accuracy += ran->correct;
    seen += ran->counted;
    going = (!on_step || on_step(ran->loss)) && !done;
  }
  const auto rows = static_cast<double>(std::max<int64_t>(seen, 1));
  return Measure{sum.loss / rows, sum.accuracy / rows};
}

Result<Measure> Trainer::measure(const Dataset& data) {
  if (auto ok = fits(data); !ok) return ok.error();
  std::vector<int64_t> order(static_cast<size_t>(data.count()));
  std::iota(order.begin(), order.end(), int64_t{0});
  Measure sum;
  int64_t seen = 0;
  for (int64_t begin = 0; begin < data.count(); begin += options_.batch) {
    const int64_t count = std::min(options_.batch, data.count() - begin);
    gather(data, std::span(order).subspan(static_cast<size_t>(begin), static_cast<size_t>(count)));
    for (int64_t part = 0; part < options_.accumulate; ++part) {
      if (counted(part) == 0) continue;
      auto ran = run_part(*measure_, part);
      if (!ran) return ran.error();
      sum.loss += ran->loss * static_cast<double>(ran->counted);
      sum.accuracy += ran->correct;
      seen += ran->counted;
    }
  }
  const auto rows = static_cast<double>(std::max<int64_t>(seen, 1));
  return Measure{sum.loss / rows, sum.accuracy / rows};
}

Status Trainer::save(const std::filesystem::path& path) {
  std::vector<models::CheckpointTensor> tensors;
  const auto add = [&](const Tensor& tensor) {
    const TensorImpl& t = *tensor;
    tensors.push_back(
        {std::string(t.name), t.dtype, Dims(t.sizes.span()), {t.data(), static_cast<size_t>(t.byte_count())}});
  };
  for (const models::State& state : (update_ ? update_ : step_)->model().states)
    if (!is_gradient_sum(state.name)) add(state.tensor);
  for (const models::Weight& weight : step_->model().weights) add(weight.tensor);
  const std::string model = spec_.starts_with("zoo:") ? spec_ : std::filesystem::path(spec_).filename().string();
  return models::write_checkpoint(path, tensors,
                                  {{models::kCheckpointModel, model},
                                   {"arenascope.steps", fmt::format("{}", steps_)},
                                   {"arenascope.epochs", fmt::format("{}", epochs_)},
                                   {"arenascope.place", fmt::format("{}", place_)}});
}

std::map<MemoryKind, Bytes> Trainer::peak_bytes() {
  std::map<MemoryKind, Bytes> out;
  for (Runner* runner : {step_.get(), update_.get()})
    for (MemoryKind kind : kMemoryKinds)
      if (runner)
        for (const Device device : runner->context().devices()) out[kind] += runner->context().stats(device, kind).peak;
  return out;
}

}  // namespace arenascope::train
