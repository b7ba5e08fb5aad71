// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli generate: tokens one after the other, with the cache of keys and values growing.
#include <charconv>
#include <fstream>
#include <sstream>

#include <arenascope/generate/generator.h>
#include <arenascope/generate/sampler.h>
#include <arenascope/models/tokenizer.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/model_options.h"
#include "app/cli/recorded_file.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

struct GenerateArguments {
  std::string model, tokens, file, record, backend = "cpu";
  std::optional<std::string> prompt;
  std::optional<int64_t> number;
  int64_t at_once = 64;
  int threads = 0;
  bool past_end = false, plain = false;
  SamplerOptions sampler;
};

Result<std::string> text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.is_open()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) return Error{fmt::format("{}: it cannot be read", path)};
  return text.str();
}

// Numbers with commas or spaces in between: given as they are, or in a file.
Result<std::vector<int32_t>> token_list(const std::string& given) {
  std::string text = given;
  if (given.find_first_not_of("0123456789, ") != std::string::npos) {
    auto read = text_of(given);
    if (!read) return Error{fmt::format("'--tokens {}' is no list of numbers, and no file that can be read", given)};
    text = std::move(*read);
  }
  std::vector<int32_t> ids;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    if (*at == ',' || std::isspace(static_cast<unsigned char>(*at))) {
      ++at;
      continue;
    }
    int32_t id = 0;
    const auto [rest, problem] = std::from_chars(at, end, id);
    if (problem != std::errc() || id < 0)
      return Error{fmt::format("'--tokens {}': '{}' is no token", given, std::string(at, std::min(end, at + 12)))};
    ids.push_back(id);
    at = rest;
  }
  if (ids.empty()) return Error{fmt::format("'--tokens {}' names no token", given)};
  return ids;
}

// What was asked for, ready to begin.
struct Task {
  std::unique_ptr<models::Tokenizer> tokenizer;  // null: the model has none, and its tokens stay numbers
  std::unique_ptr<Generator> generator;
  std::vector<int32_t> prompt;
  int64_t number = 0;
};

Result<Task> prepare(const GenerateArguments& a, const RunnerOptions& run) {
  Task task;
  const bool by_text = a.prompt || !a.file.empty();
  if (by_text == !a.tokens.empty() || (a.prompt && !a.file.empty()))
    return Error{"one of --prompt, --file and --tokens says what to go on from"};
  if (!a.model.starts_with("zoo:")) {
    auto tokenizer = models::Tokenizer::open(a.model);
    if (!tokenizer && by_text) return tokenizer.error();
    if (tokenizer) task.tokenizer = std::move(*tokenizer);
  } else if (by_text) {
    return Error{fmt::format("{} has no vocabulary: give it --tokens", a.model)};
  }
  auto text = a.prompt ? Result<std::string>(*a.prompt) : a.file.empty() ? Result<std::string>("") : text_of(a.file);
  if (!text) return text.error();
  auto ids = by_text ? task.tokenizer->encode(*text, {true, !a.plain}) : token_list(a.tokens);
  if (!ids) return ids.error();
  if (ids->empty()) return Error{"the prompt has no token"};
  task.prompt = std::move(*ids);
  auto generator = Generator::open(a.model, {run, a.at_once});
  if (!generator) return generator.error();
  task.generator = std::move(*generator);
  const auto count = static_cast<int64_t>(task.prompt.size());
  const int64_t context = task.generator->context();
  if (context > 0 && count > context)
    return Error{fmt::format("{}: the prompt has {} tokens, its context {}", a.model, count, context)};
  task.number = a.number.value_or(context > 0 ? std::min<int64_t>(128, context - count) : 128);
  if (context > 0 && task.number > context - count)
    return Error{fmt::format("{}: {} tokens behind a prompt of {} do not fit into its context of {}", a.model,
                             task.number, count, context)};
  if (auto ok = task.generator->set_capacity(count + std::max<int64_t>(task.number, 0)); !ok) return ok.error();
  return task;
}

// The text of the tokens as it stands behind the prompt's.
std::string continuation(const models::Tokenizer& tokenizer, std::vector<int32_t> prompt,
                         const std::vector<int32_t>& tokens) {
  const std::string before = tokenizer.decode(prompt);
  prompt.insert(prompt.end(), tokens.begin(), tokens.end());
  const std::string all = tokenizer.decode(prompt);
  return all.starts_with(before) ? all.substr(before.size()) : tokenizer.decode(tokens);
}

struct Outcome {
  std::vector<int32_t> tokens;
  Nanoseconds prefill = 0, decode = 0;
};

// `show` sees each token as it comes.
Result<Outcome> generate(Task& task, Sampler& sampler, bool past_end, const std::function<void(int32_t)>& show) {
  Outcome out;
  Generator& generator = *task.generator;
  auto logits = generator.feed(task.prompt);
  if (!logits) return logits.error();
  out.prefill = generator.busy();
  for (int64_t i = 0; i < task.number; ++i) {
    auto id = sampler.pick(*logits);
    if (!id) return id.error();
    out.tokens.push_back(*id);
    show(*id);
    if (!past_end && task.tokenizer && task.tokenizer->ends(*id)) break;
    if (i + 1 == task.number) break;
    logits = generator.feed({&*id, 1});
    if (!logits) return logits.error();
  }
  out.decode = generator.busy() - out.prefill;
  return out;
}

void print_outcome(Task& task, const Outcome& out) {
  const auto rate = [](size_t tokens, Nanoseconds time) {
    return fmt::format("{} tokens in {}, {:.1f} a second", tokens, app::format_nanoseconds(time),
                       static_cast<double>(tokens) * 1e9 / static_cast<double>(std::max<Nanoseconds>(time, 1)));
  };
  fmt::print("\n\nprompt {}\n", rate(task.prompt.size(), out.prefill));
  if (out.tokens.size() > 1) fmt::print("decode {}\n", rate(out.tokens.size() - 1, out.decode));
  for (const auto& [kind, bytes] : task.generator->peak_bytes())
    if (bytes > 0) fmt::print("{:<14} {:>12}\n", name(kind), app::format_bytes(bytes));
}

int generate_text(const Context& context, const GenerateArguments& a) {
  if (a.backend != "cpu" && a.backend != "reference")
    return fail(kUsage, fmt::format("tokens are generated on cpu or reference, not '{}'", a.backend));
  if (a.number && *a.number < 1) return fail(kUsage, fmt::format("-n {} is less than 1", *a.number));
  auto sampler = Sampler::create(a.sampler);
  if (!sampler) return fail(kUsage, sampler.error().message);
  RunnerOptions run;
  run.backend = a.backend;
  run.threads = a.threads;
  run.fuse = a.backend == "cpu";
  RecordedFile recorded;
  if (!a.record.empty()) run.recorder = recorded.recorder();
  auto task = prepare(a, run);
  if (!task) return fail(kUsage, task.error().message);
  if (auto ok = recorded.open(a.record, run); !ok) return fail(kFailed, ok.error().message);
  models::Utf8Stream letters;
  bool first = !task->tokenizer || task->tokenizer->decode(task->prompt).empty();
  const auto show = [&](int32_t id) {
    if (context.json) return;
    std::string text = task->tokenizer ? letters.add(task->tokenizer->bytes_of(id)) : fmt::format("{} ", id);
    if (first && text.starts_with(' ')) text.erase(0, 1);
    first = first && text.empty();
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  auto out = generate(*task, *sampler, a.past_end, show);
  if (!out) return fail(kFailed, fmt::format("{}: {}", a.model, out.error().message));
  if (auto ok = recorded.close(); !ok) return fail(kFailed, ok.error().message);
  if (!context.json) {
    fmt::print("{}", letters.finish());
    print_outcome(*task, *out);
    return kDone;
  }
  Json peaks = Json::object();
  for (const auto& [kind, bytes] : task->generator->peak_bytes()) peaks[std::string(name(kind))] = bytes;
  print_json({{"model", task->generator->name()},
              {"prompt_tokens", task->prompt},
              {"tokens", out->tokens},
              {"text", task->tokenizer ? continuation(*task->tokenizer, task->prompt, out->tokens) : std::string()},
              {"prefill_seconds", static_cast<double>(out->prefill) / 1e9},
              {"decode_seconds", static_cast<double>(out->decode) / 1e9},
              {"peak_bytes", peaks}});
  return kDone;
}

}  // namespace

void add_generate(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("generate", "Go on from a text or from tokens, one token after the other");
  auto a = std::make_shared<GenerateArguments>();
  command->add_option("model", a->model, "A .gguf file, or zoo:NAME")->required();
  command->add_option("--prompt", a->prompt, "The text to go on from");
  command->add_option("--file", a->file, "A file with that text");
  command->add_option("--tokens", a->tokens, "Numbers of tokens instead, as 1,2,3, or a file of them");
  command->add_option("-n,--number", a->number, "How many tokens; 128, or what the context leaves, unless told");
  command->add_option("--temp", a->sampler.temperature, "0: always the most likely token")->capture_default_str();
  command->add_option("--top-k", a->sampler.top_k, "Only among so many of the most likely; 0: all");
  command->add_option("--top-p", a->sampler.top_p, "Only among those that reach this probability together");
  command->add_option("--seed", a->sampler.seed, "Of what is drawn")->capture_default_str();
  command->add_option("--batch", a->at_once, "Tokens of the prompt that go through the graph together")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 16));
  command->add_flag("--past-end", a->past_end, "Go on behind a token that ends the text");
  command->add_flag("--plain", a->plain, "A special token's name in the prompt is text, not that token");
  command->add_option("--threads", a->threads, "0: as many as there are processors")->check(CLI::Range(0, 1024));
  command->add_option("--backend", a->backend, "cpu or reference")->capture_default_str();
  command->add_option("--record", a->record, "Write a recording of the runs");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&, a] { body = [&, a] { return generate_text(context, *a); }; });
}

}  // namespace arenascope::cli
