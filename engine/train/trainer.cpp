// SPDX-License-Identifier: MIT
#include <arenascope/train/trainer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include <arenascope/models/checkpoint.h>

namespace arenascope::train {
namespace {

uint64_t splitmix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Fisher and Yates' shuffle by numbers of a counter, so that an epoch's order depends on seed and epoch alone.
std::vector<int64_t> shuffled(int64_t count, uint64_t seed, int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  uint64_t at = splitmix(seed * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(epoch) + 1);
  for (size_t i = order.size(); i > 1; --i) {
    at += 0x9E3779B97F4A7C15u;
    std::swap(order[i - 1], order[splitmix(at) % i]);
  }
  return order;
}

template <class T>
std::span<const std::byte> bytes_of(const T& values) {
  return std::as_bytes(std::span(values));
}

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

Result<std::unique_ptr<Trainer>> Trainer::open(const std::string& spec, const ImageData& data,
                                               const TrainerOptions& options) {
  if (auto ok = check(options.optimizer); !ok) return ok.error();
  if (options.batch < 1) return Error{fmt::format("a batch of {} pictures", options.batch)};
  std::unique_ptr<Trainer> out(new Trainer);
  out->spec_ = spec;
  out->options_ = options;
  out->options_.run.open.dims["batch"] = options.batch;
  const auto opened = [&](const std::optional<OptimizerOptions>& optimizer) -> Result<models::Model> {
    auto model = models::open_model(spec, out->options_.run.open);
    if (!model) return model.error();
    return make_training_step(std::move(*model), optimizer);
  };
  auto model = opened(options.optimizer);
  if (!model) return model.error();
  out->name_ = model->name;
  const models::ValueInfo& images = model->inputs.front();
  const std::string title = model->path.empty() ? spec : model->path.string();
  if (images.dtype != DType::F32 || images.sizes.rank() < 2 || images.sizes[0] != options.batch)
    return Error{fmt::format("{}: its input '{}' is {} {}, not a batch of {} pictures", title, images.name,
                             arenascope::name(images.dtype), to_string(images.sizes), options.batch)};
  out->images_ = images.name;
  out->pixels_ = element_count(images.sizes) / options.batch;
  for (const models::ValueInfo& input : model->inputs)
    if (input.name != images.name && input.name != kTargets && input.name != kOptimizerInput)
      return Error{fmt::format("{}: it also takes an input '{}', which pictures do not give", title, input.name)};
  for (const TensorImpl* node : model->graph.nodes())
    if (node->op == Op::LogSoftMax && node->name == "log_likelihood") out->classes_ = node->sizes[1];
  if (auto ok = out->fits(data); !ok) return ok.error();
  auto step = Runner::open(std::move(*model), out->options_.run);
  if (!step) return step.error();
  out->step_ = std::move(*step);
  if (!options.resume.empty())
    if (auto ok = out->resume(options.resume); !ok) return ok.error();
  auto measured = opened({});
  if (!measured) return measured.error();
  RunnerOptions run = out->options_.run;
  for (const models::State& state : out->step_->model().states) run.states[state.name] = state.tensor->storage;
  run.recorder = nullptr;
  auto measure = Runner::open(std::move(*measured), run);
  if (!measure) return measure.error();
  out->measure_ = std::move(*measure);
  return out;
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
  if (!count("arenascope.steps", steps_) || !count("arenascope.epochs", epochs_))
    return refuse("it does not say how far its training had come");
  for (const models::State& state : step_->model().states) {
    const TensorImpl& tensor = *state.tensor;
    const models::CheckpointTensor* found = checkpoint->find(state.name);
    if (!found || found->dtype != tensor.dtype || !(found->sizes == Dims(tensor.sizes.span())))
      return refuse(
          fmt::format("it has no '{}' of {}, which this training keeps", state.name, to_string(tensor.sizes)));
    std::memcpy(tensor.data(), found->bytes.data(), found->bytes.size());
  }
  return {};
}

Status Trainer::fits(const ImageData& data) const {
  if (data.pixels_each() != pixels_)
    return Error{fmt::format("{} takes pictures of {} numbers, these have {}", name_, pixels_, data.pixels_each())};
  for (size_t i = 0; i < data.labels.size(); ++i)
    if (data.labels[i] >= classes_)
      return Error{
          fmt::format("label {} of picture {} is none of the {} classes of {}", data.labels[i], i, classes_, name_)};
  return {};
}

// Rows beyond those given have the label -1 and count for nothing.
Status Trainer::put_batch(Runner& runner, const ImageData& data, std::span<const int64_t> which) {
  const auto each = static_cast<size_t>(pixels_), batch = static_cast<size_t>(options_.batch);
  pixels_of_batch_.resize(batch * each);
  std::vector<int64_t> targets(batch, -1);
  for (size_t i = 0; i < which.size(); ++i) {
    const uint8_t* from = data.pixels.data() + static_cast<size_t>(which[i]) * each;
    std::copy(from, from + each, pixels_of_batch_.begin() + static_cast<ptrdiff_t>(i * each));
    targets[i] = data.labels[static_cast<size_t>(which[i])];
  }
  if (auto ok = runner.set_input(images_, bytes_of(pixels_of_batch_)); !ok) return ok;
  return runner.set_input(kTargets, bytes_of(targets));
}

Result<double> Trainer::number(Runner& runner, size_t output) {
  auto bytes = runner.output(output);
  if (!bytes) return bytes.error();
  float value = 0;
  std::memcpy(&value, bytes->data(), sizeof value);
  return static_cast<double>(value);
}

// The same step again, looking at each result: nothing was written.
Error Trainer::explain(double loss) {
  std::string first;
  RunOptions look;
  look.after_node = [&](NodeId id, Step) {
    const TensorImpl& node = step_->plan().graph.node(id);
    auto bytes = step_->read(node);
    if (!bytes || is_finite(node, *bytes)) return true;
    first = fmt::format("{} '{}'", arenascope::name(node.op), node.name);
    return false;
  };
  (void)step_->run(look);
  return Error{
      fmt::format("the loss of step {} is {}: {}", steps_ + 1, loss,
                  first.empty() ? "every single result is finite" : "the first result that is not finite is " + first)};
}

Result<Measure> Trainer::epoch(const ImageData& data, double learning_rate, const std::function<bool(double)>& told) {
  if (auto ok = fits(data); !ok) return ok.error();
  const std::vector<int64_t> order = shuffled(data.count(), options_.seed, epochs_++);
  Measure sum;
  int64_t seen = 0;
  for (int64_t begin = 0; begin < data.count(); begin += options_.batch) {
    const int64_t count = std::min(options_.batch, data.count() - begin);
    if (auto ok =
            put_batch(*step_, data, std::span(order).subspan(static_cast<size_t>(begin), static_cast<size_t>(count)));
        !ok)
      return ok.error();
    const auto numbers = numbers_of(options_.optimizer, steps_ + 1, learning_rate);
    if (auto ok = step_->set_input(kOptimizerInput, bytes_of(numbers)); !ok) return ok.error();
    auto report = step_->run();
    if (!report) return report.error();
    auto loss = number(*step_, 0), correct = number(*step_, 1);
    if (!loss || !correct) return loss ? correct.error() : loss.error();
    if (!std::isfinite(*loss)) return explain(*loss);
    ++steps_;
    losses_.push_back(*loss);
    sum.loss += *loss * static_cast<double>(count);
    sum.accuracy += *correct;
    seen += count;
    if (told && !told(*loss)) break;
  }
  return Measure{sum.loss / static_cast<double>(seen), sum.accuracy / static_cast<double>(seen)};
}

Result<Measure> Trainer::measure(const ImageData& data) {
  if (auto ok = fits(data); !ok) return ok.error();
  std::vector<int64_t> order(static_cast<size_t>(data.count()));
  std::iota(order.begin(), order.end(), int64_t{0});
  Measure sum;
  for (int64_t begin = 0; begin < data.count(); begin += options_.batch) {
    const int64_t count = std::min(options_.batch, data.count() - begin);
    if (auto ok = put_batch(*measure_, data,
                            std::span(order).subspan(static_cast<size_t>(begin), static_cast<size_t>(count)));
        !ok)
      return ok.error();
    auto report = measure_->run();
    if (!report) return report.error();
    auto loss = number(*measure_, 0), correct = number(*measure_, 1);
    if (!loss || !correct) return loss ? correct.error() : loss.error();
    sum.loss += *loss * static_cast<double>(count);
    sum.accuracy += *correct;
  }
  const auto count = static_cast<double>(data.count());
  return Measure{sum.loss / count, sum.accuracy / count};
}

Status Trainer::save(const std::filesystem::path& path) {
  std::vector<models::CheckpointTensor> tensors;
  const auto add = [&](const Tensor& tensor) {
    const TensorImpl& t = *tensor;
    tensors.push_back(
        {std::string(t.name), t.dtype, Dims(t.sizes.span()), {t.data(), static_cast<size_t>(t.byte_count())}});
  };
  for (const models::State& state : step_->model().states) add(state.tensor);
  for (const models::Weight& weight : step_->model().weights) add(weight.tensor);
  const std::string model = spec_.starts_with("zoo:") ? spec_ : std::filesystem::path(spec_).filename().string();
  return models::write_checkpoint(path, tensors,
                                  {{models::kCheckpointModel, model},
                                   {"arenascope.steps", fmt::format("{}", steps_)},
                                   {"arenascope.epochs", fmt::format("{}", epochs_)}});
}

std::map<MemoryKind, Bytes> Trainer::peak_bytes() {
  std::map<MemoryKind, Bytes> out;
  for (MemoryKind kind : kMemoryKinds)
    for (const Device device : step_->context().devices()) out[kind] += step_->context().stats(device, kind).peak;
  return out;
}

}  // namespace arenascope::train
