// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments and results of `generate`: one text, or several continuations of one prompt.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arenascope/generate/generator.h>
#include <arenascope/generate/sampler.h>
#include <arenascope/models/tokenizer.h>

#include "app/cli/model_options.h"

namespace arenascope::cli {

struct GenerateArguments {
  std::string model, tokens, file, record, logits, cache_type = "f32";
  std::optional<std::string> prompt;
  std::optional<int64_t> number;
  BackendArguments backend;
  int64_t prefill_batch = 192, block = 32, copies = 1;
  int threads = 0;
  bool ignore_eos = false, no_special_tokens = false, chat = false, shift = false;
  SamplerOptions sampler;
};

// A request that is ready to run.
struct GenerationTask {
  std::unique_ptr<models::Tokenizer> tokenizer;  // null: the model has none, and tokens are printed as ids
  std::unique_ptr<Generator> generator;
  std::vector<int32_t> prompt;
  int64_t number = 0;
};

// One generated text.
struct GeneratedText {
  TextId id = 0;
  Sampler sampler;
  std::vector<int32_t> tokens;
  bool ended = false;
};

struct GenerationResult {
  std::vector<GeneratedText> copies;
  std::vector<float> logits;                          // for the tokens of the first text, if requested
  Nanoseconds prefill = 0, decode = 0, overhead = 0;  // overhead: part of decode outside the runs
  int64_t runs = 0;                                   // in decode
};

// `show` is called with each token of a single text. Errors: a NaN logit, a failed run.
Result<GenerationResult> generate_texts(GenerationTask& task, const GenerateArguments& arguments,
                                        const std::function<void(int32_t)>& show);
// Writes an .npy file of shape [tokens, vocabulary]. Errors: out of memory, file cannot be written.
Status write_logits(const std::string& path, const GenerationResult& outcome, int64_t vocabulary);

}  // namespace arenascope::cli
