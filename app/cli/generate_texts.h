// SPDX-License-Identifier: GPL-3.0-or-later
// What `generate` is asked for and what comes out: one text, or several behind the same prompt.
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
  int64_t at_once = 192, block = 32, copies = 1;
  int threads = 0;
  bool past_end = false, plain = false, chat = false, shift = false;
  SamplerOptions sampler;
};

// What was asked for, ready to begin.
struct Task {
  std::unique_ptr<models::Tokenizer> tokenizer;  // null: the model has none, and its tokens stay numbers
  std::unique_ptr<Generator> generator;
  std::vector<int32_t> prompt;
  int64_t number = 0;
};

// One of the texts that come out.
struct Copy {
  TextId id = 0;
  Sampler sampler;
  std::vector<int32_t> tokens;
  bool ended = false;
};

struct Outcome {
  std::vector<Copy> copies;
  std::vector<float> logits;                         // of the first text's tokens, if they are wanted
  Nanoseconds prefill = 0, decode = 0, outside = 0;  // outside: of decode, beside the runs themselves
  int64_t runs = 0;                                  // of decode
};

// `show` sees each token of a single text as it comes. Errors: a logit that is no number, what a run reports.
Result<Outcome> write_texts(Task& task, const GenerateArguments& arguments, const std::function<void(int32_t)>& show);
// As .npy, [tokens, vocabulary]. Errors: no memory, a file that cannot be written.
Status write_logits(const std::string& path, const Outcome& outcome, int64_t vocabulary);

}  // namespace arenascope::cli
