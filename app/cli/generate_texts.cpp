// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/generate_texts.h"

#include <cstring>

#include <arenascope/models/npy.h>

namespace arenascope::cli {
namespace {

class TextGenerator {
 public:
  TextGenerator(GenerationTask& task, const GenerateArguments& a, const std::function<void(int32_t)>& show)
      : task_(task), a_(a), show_(show), generator_(*task.generator) {}

  Result<GenerationResult> run() {
    auto logits = generator_.feed(task_.prompt);
    if (!logits) return logits.error();
    out_.prefill = generator_.busy();
    const Nanoseconds running = generator_.running();
    if (auto ok = begin(*logits); !ok) return ok.error();
    for (int64_t i = 1; i < task_.number; ++i) {
      const std::vector<GeneratedText*> open = unfinished();
      if (open.empty()) break;
      auto ok = a_.copies > 1 ? step_together(open) : step_alone(*open[0]);
      if (!ok) return ok.error();
      ++out_.runs;
    }
    out_.decode = generator_.busy() - out_.prefill;
    out_.overhead = out_.decode - (generator_.running() - running);
    return std::move(out_);
  }

 private:
  // Each text samples its first token with its own seed.
  Status begin(std::span<const float> logits) {
    const std::vector<float> first(logits.begin(), logits.end());
    for (int64_t c = 0; c < a_.copies; ++c) {
      SamplerOptions options = a_.sampler;
      options.seed += static_cast<uint64_t>(c);
      auto sampler = Sampler::create(options);
      if (!sampler) return sampler.error();
      auto id = c == 0 ? Result<TextId>(0) : generator_.fork(0);
      if (!id) return id.error();
      out_.copies.push_back({*id, *sampler, {}, false});
    }
    for (GeneratedText& copy : out_.copies)
      if (auto ok = choose(copy, first); !ok) return ok;
    return {};
  }

  Status choose(GeneratedText& copy, std::span<const float> logits) {
    auto id = copy.sampler.pick(logits);
    if (!id) return id.error();
    if (!a_.logits.empty() && copy.id == 0) out_.logits.insert(out_.logits.end(), logits.begin(), logits.end());
    copy.tokens.push_back(*id);
    if (a_.copies == 1) show_(*id);
    copy.ended = !a_.ignore_eos && task_.tokenizer && task_.tokenizer->ends(*id);
    return {};
  }

  std::vector<GeneratedText*> unfinished() {
    std::vector<GeneratedText*> open;
    for (GeneratedText& copy : out_.copies)
      if (!copy.ended) open.push_back(&copy);
    return open;
  }

  Status step_alone(GeneratedText& copy) {
    if (a_.shift && generator_.position(copy.id) >= generator_.capacity())
      if (auto shifted = generator_.shift(1, copy.id); !shifted) return shifted.error();
    auto logits = generator_.feed({&copy.tokens.back(), 1}, copy.id);
    return logits ? choose(copy, *logits) : Status(logits.error());
  }

  Status step_together(const std::vector<GeneratedText*>& open) {
    std::vector<Generator::Next> next;
    for (const GeneratedText* copy : open) next.push_back({copy->id, copy->tokens.back()});
    auto logits = generator_.step(next);
    if (!logits) return logits.error();
    const auto each = static_cast<size_t>(generator_.vocabulary());
    for (size_t i = 0; i < open.size(); ++i)
      if (auto ok = choose(*open[i], logits->subspan(i * each, each)); !ok) return ok;
    return {};
  }

  GenerationTask& task_;
  const GenerateArguments& a_;
  const std::function<void(int32_t)>& show_;
  Generator& generator_;
  GenerationResult out_;
};

}  // namespace

Result<GenerationResult> generate_texts(GenerationTask& task, const GenerateArguments& arguments,
                                        const std::function<void(int32_t)>& show) {
  return TextGenerator(task, arguments, show).run();
}

Status write_logits(const std::string& path, const GenerationResult& outcome, int64_t vocabulary) {
  auto tensor = models::host_tensor({static_cast<int64_t>(outcome.logits.size()) / vocabulary, vocabulary}, DType::F32);
  if (!tensor) return tensor.error();
  std::memcpy((*tensor)->data(), outcome.logits.data(), outcome.logits.size() * sizeof(float));
  return models::write_npy(path, *tensor);
}

}  // namespace arenascope::cli
