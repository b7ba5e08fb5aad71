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

Nanoseconds since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
}

bool has_input(const models::Model& model, const char* name) {
  return std::any_of(model.inputs.begin(), model.inputs.end(), [&](const auto& input) { return input.name == name; });
}

}  // namespace

Generator::~Generator() = default;

Result<std::unique_ptr<Generator>> Generator::open(const std::string& spec, const GeneratorOptions& options) {
  if (options.cache_type != DType::F32 && options.cache_type != DType::F16 && options.cache_type != DType::Q8_0)
    return Error{fmt::format("the KV cache type {} is not supported: expected f32, f16 or q8_0",
                             arenascope::name(options.cache_type))};
  std::unique_ptr<Generator> out(new Generator);
  out->spec_ = spec;
  out->options_ = options;
  // Logits already contain the rounding of weights with 11 bits of mantissa.
  RunnerOptions& run = out->options_.run;
  if (run.backend == "cpu" && !run.precision) run.precision = Precision::Normal;
  auto devices = devices_of(run);  // one for the graphs of prompts and of single tokens
  if (!devices) return devices.error();
  run.devices = std::move(*devices);
  models::OpenOptions open = options.run.open;
  open.cache = 1;
  open.cache_type = options.cache_type;
  auto model = models::open_model(spec, open);
  if (!model) return model.error();
  const std::string title = model->path.empty() ? spec : model->path.string();
  if (!model->runnable()) return Error{fmt::format("{} cannot be run: {}", title, model->why_not_runnable())};
  if (!model->language || model->states.empty())
    return Error{fmt::format("{} is not a generative language model", title)};
  out->name_ = model->name;
  out->context_ = model->language->context;
  out->vocabulary_ = model->language->vocabulary;
  out->window_ = model->language->window;
  if (auto ok = out->set_capacity(out->context_ > 0 ? out->context_ : 512); !ok) return ok.error();
  return out;
}

Status Generator::set_capacity(int64_t tokens, int64_t texts) {
  if (tokens < 1 || texts < 1) return Error{fmt::format("a cache of {} tokens for {} texts", tokens, texts)};
  // Each of several texts has whole blocks, the last of which may reach beyond the context.
  const int64_t each = texts == 1 ? context_ : (context_ + options_.block - 1) / options_.block * options_.block;
  if (context_ > 0 && (tokens + texts - 1) / texts > each)
    return Error{fmt::format("{} has a context of {} tokens, {} are too many", name_, context_, tokens)};
  if (runner_) return Error{"the cache is in use"};
  capacity_ = tokens;
  table_ = BlockTable(tokens, options_.block);
  texts_.clear();
  texts_[table_.begin()] = {};
  return {};
}

Status Generator::prepare() { return prepare_for(1, 1); }

void Generator::note_peaks() {
  if (!runner_) return;
  for (MemoryKind kind : kMemoryKinds) {
    Bytes sum = 0;
    for (const Device device : runner_->context().devices()) sum += runner_->context().stats(device, kind).peak;
    Bytes& peak = peaks_[kind];
    peak = std::max(peak, sum);
    if (kind == MemoryKind::Persistent) packed_ = std::max(packed_, sum - runner_->weights().allocated_bytes());
  }
}

std::map<MemoryKind, Bytes> Generator::peak_bytes() {
  note_peaks();
  return peaks_;
}

Bytes Generator::packed_bytes() {
  note_peaks();
  return packed_;
}

// After a run, in which its tokens' keys and values were written; those of `left` more follow in the next one.
void Generator::note_filled(int64_t left) {
  trace::Recorder* recorder = options_.run.recorder;
  if (recorder == nullptr || capacity_ == 0) return;
  if (filled_ring_ == nullptr) {
    filled_ =
        recorder->describe(trace::CounterInfo{{}, "filled of the KV cache", "bytes", trace::CounterRole::CacheFilled});
    filled_ring_ = recorder->register_thread("KV cache", trace::TrackKind::Other);
  }
  Bytes bytes = 0;
  for (const auto& [name, storage] : cache_)
    if (storage.kind() == MemoryKind::KVCache) bytes += storage.bytes();
  const double share = static_cast<double>(table_.filled_rows() - left) / static_cast<double>(capacity_);
  filled_ring_->record(trace::counter(recorder->now(), filled_, static_cast<double>(bytes) * share));
}

// One graph exists at a time: the previous one frees its arena and passes its packed weights on. The cache is kept.
Status Generator::prepare_for(int64_t tokens, int64_t requested_rows) {
  if (runner_ && at_once_ == tokens && requested_rows_ == requested_rows) return {};
  const auto start = std::chrono::steady_clock::now();
  note_peaks();
  RunnerOptions run = options_.run;
  run.open.cache = capacity_;
  run.open.cache_type = options_.cache_type;
  run.open.prefill = tokens > 1;
  run.open.tokens = tokens;
  run.open.output_rows = requested_rows;
  run.states = cache_;
  auto runner = Runner::open(spec_, run, std::move(runner_));
  if (!runner) return runner.error();
  if (auto ok = (*runner)->warm_up(); !ok) return ok;
  for (const models::State& state : (*runner)->model().states) cache_[state.name] = state.tensor->storage;
  runner_ = std::move(*runner);
  at_once_ = tokens, requested_rows_ = requested_rows;
  has_local_mask_ = has_input(runner_->model(), "kq_mask_local");
  has_positions_ = has_input(runner_->model(), "positions");
  mask_.resize(static_cast<size_t>(tokens * capacity_));
  if (has_local_mask_) local_mask_.resize(mask_.size());
  preparing_ += since(start);
  return {};
}

// A token sees the rows of its own text up to itself, of a window the last ones of them.
void Generator::fill_mask(std::vector<float>& mask, std::span<const Fed> fed, int64_t window) {
  std::fill(mask.begin(), mask.end(), -std::numeric_limits<float>::infinity());
  const int64_t block = table_.block();
  for (size_t t = 0; t < static_cast<size_t>(at_once_); ++t) {
    const Fed& token = fed[std::min(t, fed.size() - 1)];
    float* const row = mask.data() + static_cast<int64_t>(t) * capacity_;
    const std::vector<int32_t>& blocks = table_.blocks(token.text);
    const int64_t end = token.position + 1, begin = window > 0 ? std::max<int64_t>(end - window, 0) : 0;
    for (int64_t at = begin; at < end;) {
      const int64_t stop = std::min(end, (at / block + 1) * block);
      float* const first = row + blocks[static_cast<size_t>(at / block)] * block;
      std::fill(first + at % block, first + at % block + (stop - at), 0.0f);
      at = stop;
    }
  }
}

// Padding tokens of the graph are written to row -1, which does not exist, and attend to what the last token attends to.
Status Generator::run(std::span<const Fed> fed, std::span<const int64_t> requested_rows) {
  const auto size = static_cast<size_t>(at_once_);
  std::vector<int64_t> ids(size, 0), positions(size, 0), rows(size, -1);
  for (size_t t = 0; t < fed.size(); ++t) {
    ids[t] = fed[t].token, positions[t] = fed[t].position;
    rows[t] = table_.row(fed[t].text, fed[t].position);
  }
  const auto start = std::chrono::steady_clock::now();
  fill_mask(mask_, fed, 0);
  Status given = runner_->set_input("token_ids", bytes_of(ids));
  if (given && has_positions_) given = runner_->set_input("positions", bytes_of(positions));
  if (given) given = runner_->set_input("cache_rows", bytes_of(rows));
  if (given) given = runner_->set_input("kq_mask", bytes_of(mask_));
  if (given && has_local_mask_) {
    fill_mask(local_mask_, fed, window_);
    given = runner_->set_input("kq_mask_local", bytes_of(local_mask_));
  }
  if (given && at_once_ > 1) given = runner_->set_input("output_rows", std::as_bytes(requested_rows));
  if (!given) return given;
  auto report = runner_->run();
  if (!report) return report.error();
  running_ += report->nanoseconds;
  auto bytes = runner_->output(0);
  if (!bytes) return bytes.error();
  logits_.resize(bytes->size() / sizeof(float));
  std::memcpy(logits_.data(), bytes->data(), logits_.size() * sizeof(float));
  busy_ += since(start);
  return {};
}

Status Generator::check(std::span<const int32_t> tokens) const {
  if (tokens.empty()) return Error{"no tokens were given to continue from"};
  for (int32_t id : tokens)
    if (id < 0 || id >= vocabulary_)
      return Error{fmt::format("{} has tokens 0 to {}, not {}", name_, vocabulary_ - 1, id)};
  return {};
}

Result<std::span<const float>> Generator::feed(std::span<const int32_t> tokens, TextId text) {
  if (auto ok = check(tokens); !ok) return ok.error();
  const auto count = static_cast<int64_t>(tokens.size());
  const int64_t before = position(text);
  if (context_ > 0 && before + count > context_)
    return Error{
        fmt::format("{} tokens after {} exceed the context of {} tokens of {}", count, before, context_, name_)};
  if (auto ok = table_.append(text, count); !ok) return ok.error();
  texts_[text].insert(texts_[text].end(), tokens.begin(), tokens.end());
  // Parts of the same length, of which the last may be shorter.
  const int64_t most = std::max<int64_t>(options_.max_at_once, 1), parts = (count + most - 1) / most;
  const int64_t each = (count + parts - 1) / parts;
  if (auto ok = prepare_for(each, 1); !ok) return ok.error();
  std::vector<Fed> fed;
  for (int64_t begin = 0; begin < count; begin += each) {
    fed.clear();
    for (int64_t t = begin; t < std::min(begin + each, count); ++t)
      fed.push_back({text, before + t, tokens[static_cast<size_t>(t)]});
    const int64_t last[] = {static_cast<int64_t>(fed.size()) - 1};
    if (auto ok = run(fed, last); !ok) return ok.error();
    note_filled(std::max<int64_t>(count - begin - each, 0));
  }
  return std::span<const float>(logits_);
}

Result<std::span<const float>> Generator::step(std::span<const Next> next) {
  if (next.empty()) return Error{"no texts were given to continue"};
  std::vector<Fed> fed;
  std::vector<int64_t> requested_rows;
  for (const Next& n : next) {
    if (auto ok = check({&n.token, 1}); !ok) return ok.error();
    if (context_ > 0 && position(n.text) + 1 > context_)
      return Error{fmt::format("the text has the {} tokens that {} sees", context_, name_)};
  }
  for (const Next& n : next) {
    if (auto ok = table_.append(n.text, 1); !ok) return ok.error();
    texts_[n.text].push_back(n.token);
    requested_rows.push_back(static_cast<int64_t>(fed.size()));
    fed.push_back({n.text, position(n.text) - 1, n.token});
  }
  const auto count = static_cast<int64_t>(next.size());
  if (auto ok = prepare_for(count, count); !ok) return ok.error();
  if (auto ok = run(fed, requested_rows); !ok) return ok.error();
  note_filled(0);
  return std::span<const float>(logits_);
}

Result<TextId> Generator::fork(TextId text) {
  const std::vector<int32_t> tokens = texts_.at(text);
  const TextId other = table_.fork(text, static_cast<int64_t>(tokens.size()));
  const auto shared = static_cast<ptrdiff_t>(table_.tokens(other));
  texts_[other].assign(tokens.begin(), tokens.begin() + shared);
  if (shared < static_cast<ptrdiff_t>(tokens.size()))
    if (auto logits = feed(std::span(tokens).subspan(static_cast<size_t>(shared)), other); !logits) {
      end(other);
      return logits.error();
    }
  return other;
}

void Generator::end(TextId text) {
  table_.end(text);
  texts_.erase(text);
}

Result<std::span<const float>> Generator::shift(int64_t kept, TextId text) {
  std::vector<int32_t>& tokens = texts_.at(text);
  const auto count = static_cast<int64_t>(tokens.size()), half = std::max<int64_t>(count / 2, 1);
  std::vector<int32_t> rest(tokens.begin(), tokens.begin() + std::clamp<int64_t>(kept, 0, count - half));
  rest.insert(rest.end(), tokens.end() - half, tokens.end());
  table_.restart(text);
  tokens.clear();
  return feed(rest, text);
}

}  // namespace arenascope
