// SPDX-License-Identifier: MIT
#include <arenascope/generate/generator.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace arenascope {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

Generator::~Generator() = default;

Result<std::unique_ptr<Generator>> Generator::open(const std::string& spec, const GeneratorOptions& options) {
  std::unique_ptr<Generator> out(new Generator);
  out->spec_ = spec;
  out->options_ = options;
  models::OpenOptions open = options.run.open;
  open.cache = 1;
  auto model = models::open_model(spec, open);
  if (!model) return model.error();
  const std::string title = model->path.empty() ? spec : model->path.string();
  if (!model->problems.empty()) return Error{fmt::format("{} cannot be run: {}", title, model->problems.front())};
  if (!model->language || model->states.empty())
    return Error{fmt::format("{} is no language model that writes one token after the other", title)};
  out->name_ = model->name;
  out->context_ = model->language->context;
  out->vocabulary_ = model->language->vocabulary;
  out->capacity_ = out->context_ > 0 ? out->context_ : 512;
  return out;
}

Status Generator::set_capacity(int64_t tokens) {
  if (tokens < 1) return Error{fmt::format("a cache of {} tokens", tokens)};
  if (context_ > 0 && tokens > context_)
    return Error{fmt::format("{} has a context of {} tokens, {} are too many", name_, context_, tokens)};
  if (position_ > 0 || runner_) return Error{"the cache is in use"};
  capacity_ = tokens;
  return {};
}

Status Generator::prepare() { return prepare_for(1); }

void Generator::note_peaks() {
  if (!runner_) return;
  for (MemoryKind kind : kMemoryKinds) {
    Bytes sum = 0;
    for (const Device device : runner_->context().devices()) sum += runner_->context().stats(device, kind).peak;
    Bytes& peak = peaks_[kind];
    peak = std::max(peak, sum);
  }
}

std::map<MemoryKind, Bytes> Generator::peak_bytes() {
  note_peaks();
  return peaks_;
}

// One graph at a time: the one before lets go of its arena and packed weights first. The cache stays.
Status Generator::prepare_for(int64_t tokens) {
  if (runner_ && at_once_ == tokens) return {};
  note_peaks();
  runner_.reset();
  RunnerOptions run = options_.run;
  run.open.cache = capacity_;
  run.open.prefill = tokens > 1;
  run.open.tokens = tokens;
  run.states = cache_;
  auto runner = Runner::open(spec_, run);
  if (!runner) return runner.error();
  for (const models::State& state : (*runner)->model().states) cache_[state.name] = state.tensor->storage;
  runner_ = std::move(*runner);
  at_once_ = tokens;
  mask_.assign(static_cast<size_t>(tokens * capacity_), -std::numeric_limits<float>::infinity());
  return {};
}

// Tokens that the graph takes beyond those given stand at position -1: their keys and values are written nowhere, and
// they see what the last one sees.
Status Generator::feed_part(std::span<const int32_t> tokens) {
  const auto count = static_cast<int64_t>(tokens.size());
  std::vector<int64_t> ids(static_cast<size_t>(at_once_), 0), positions(static_cast<size_t>(at_once_), -1);
  for (int64_t t = 0; t < at_once_; ++t) {
    const int64_t position = position_ + std::min(t, count - 1);
    if (t < count)
      ids[static_cast<size_t>(t)] = tokens[static_cast<size_t>(t)], positions[static_cast<size_t>(t)] = position;
    float* const row = mask_.data() + t * capacity_;
    std::fill(row, row + position + 1, 0.0f);
  }
  const auto start = std::chrono::steady_clock::now();
  Status given = runner_->set_input("token_ids", bytes_of(ids));
  if (given) given = runner_->set_input("positions", bytes_of(positions));
  if (given) given = runner_->set_input("kq_mask", bytes_of(mask_));
  if (given && at_once_ > 1) given = runner_->set_input("wanted_row", bytes_of(std::vector<int64_t>{count - 1}));
  if (!given) return given;
  auto report = runner_->run();
  if (!report) return report.error();
  auto bytes = runner_->output(0);
  if (!bytes) return bytes.error();
  logits_.resize(bytes->size() / sizeof(float));
  std::memcpy(logits_.data(), bytes->data(), logits_.size() * sizeof(float));
  busy_ += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
  position_ += count;
  return {};
}

Result<std::span<const float>> Generator::feed(std::span<const int32_t> tokens) {
  if (tokens.empty()) return Error{"there are no tokens to go on from"};
  for (int32_t id : tokens)
    if (id < 0 || id >= vocabulary_)
      return Error{fmt::format("{} has tokens 0 to {}, not {}", name_, vocabulary_ - 1, id)};
  const auto count = static_cast<int64_t>(tokens.size());
  if (count > capacity_ - position_)
    return Error{fmt::format("{} tokens behind {} do not fit into a cache of {}", count, position_, capacity_)};
  // Parts of the same length, of which the last may be shorter.
  const int64_t most = std::max<int64_t>(options_.most_at_once, 1), parts = (count + most - 1) / most;
  const int64_t each = (count + parts - 1) / parts;
  if (auto ok = prepare_for(each); !ok) return ok.error();
  for (int64_t begin = 0; begin < count; begin += each)
    if (auto ok =
            feed_part(tokens.subspan(static_cast<size_t>(begin), static_cast<size_t>(std::min(each, count - begin))));
        !ok)
      return ok.error();
  return std::span<const float>(logits_);
}

}  // namespace arenascope
