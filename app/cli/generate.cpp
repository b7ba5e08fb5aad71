// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli generate: generates tokens with a growing KV cache.
#include <charconv>
#include <fstream>
#include <sstream>

#include <arenascope/models/chat_template.h>
#include <arenascope/models/tokenizer.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/generate_texts.h"
#include "app/cli/recorded_file.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

Result<std::string> text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.is_open()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) return Error{fmt::format("{}: cannot be read", path)};
  return text.str();
}

// Integers separated by commas or spaces, given directly or in a file.
Result<std::vector<int32_t>> token_list(const std::string& given) {
  std::string text = given;
  if (given.find_first_not_of("0123456789, ") != std::string::npos) {
    auto read = text_of(given);
    if (!read)
      return Error{fmt::format("--tokens: expected a list of token ids or a readable file, found '{}'", given)};
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
      return Error{fmt::format("--tokens: expected a token id, found '{}' in '{}'",
                               std::string(at, std::min(end, at + 12)), given)};
    ids.push_back(id);
    at = rest;
  }
  if (ids.empty()) return Error{fmt::format("'--tokens {}' contains no token id", given)};
  return ids;
}

Result<GenerationTask> prepare(const GenerateArguments& a, const RunnerOptions& run) {
  GenerationTask task;
  const bool by_text = a.prompt || !a.file.empty();
  if (a.chat && (!by_text || a.model.starts_with("zoo:")))
    return Error{"--chat needs --prompt or --file, and a model file with a chat template"};
  if (by_text == !a.tokens.empty() || (a.prompt && !a.file.empty()))
    return Error{"exactly one of --prompt, --file and --tokens is required"};
  if (!a.model.starts_with("zoo:")) {
    auto tokenizer = models::Tokenizer::open(a.model);
    if (!tokenizer && by_text) return tokenizer.error();
    if (tokenizer) task.tokenizer = std::move(*tokenizer);
  } else if (by_text) {
    return Error{fmt::format("{} has no vocabulary; use --tokens", a.model)};
  }
  auto text = a.prompt ? Result<std::string>(*a.prompt) : a.file.empty() ? Result<std::string>("") : text_of(a.file);
  if (!text) return text.error();
  if (a.chat) {
    auto asked = models::ChatTemplate::open(a.model);
    if (asked) text = asked->render({{"user", *text}}, true);
    if (!asked || !text) return asked ? text.error() : asked.error();
  }
  // The chat template adds the special tokens itself.
  auto ids = by_text ? task.tokenizer->encode(*text, {!a.chat, a.chat || !a.no_special_tokens}) : token_list(a.tokens);
  if (!ids) return ids.error();
  if (ids->empty()) return Error{"the prompt is empty"};
  task.prompt = std::move(*ids);
  auto generator = Generator::open(a.model, {run, a.prefill_batch, *parse_dtype(a.cache_type), a.block});
  if (!generator) return generator.error();
  task.generator = std::move(*generator);
  const auto count = static_cast<int64_t>(task.prompt.size());
  const int64_t context = task.generator->context();
  if (context > 0 && count > context)
    return Error{fmt::format("{}: the prompt has {} tokens, more than the context of {}", a.model, count, context)};
  task.number = a.number.value_or(context > 0 ? std::min<int64_t>(128, context - count) : 128);
  if (context > 0 && task.number > context - count && !a.shift)
    return Error{
        fmt::format("{}: {} tokens after a prompt of {} exceed the context of {}; "
                    "--context-shift discards old tokens",
                    a.model, task.number, count, context)};
  int64_t rows = count + std::max<int64_t>(task.number, 0);
  if (context > 0) rows = std::min(rows, context);
  // Sequences share the full KV blocks of the prompt; one batched run needs the blocks of all of them.
  if (a.copies > 1) rows = (rows + a.block - 1) / a.block * a.block * a.copies;
  if (auto ok = task.generator->set_capacity(rows, a.copies); !ok) return ok.error();
  return task;
}

// The text of the tokens as a continuation of the prompt's text.
std::string continuation(const models::Tokenizer& tokenizer, std::vector<int32_t> prompt,
                         const std::vector<int32_t>& tokens) {
  const std::string before = tokenizer.decode(prompt);
  prompt.insert(prompt.end(), tokens.begin(), tokens.end());
  const std::string all = tokenizer.decode(prompt);
  return all.starts_with(before) ? all.substr(before.size()) : tokenizer.decode(tokens);
}

void print_outcome(GenerationTask& task, const GenerationResult& out) {
  const auto rate = [](size_t tokens, Nanoseconds time) {
    return fmt::format("{} tokens in {}, {:.1f} tok/s", tokens, app::format_nanoseconds(time),
                       static_cast<double>(tokens) * 1e9 / static_cast<double>(std::max<Nanoseconds>(time, 1)));
  };
  size_t tokens = 0;
  for (const GeneratedText& copy : out.copies) tokens += copy.tokens.size() - 1;
  cli::print("\n\nprepared in {}\n", app::format_nanoseconds(task.generator->preparing()));
  cli::print("prompt {}\n", rate(task.prompt.size(), out.prefill));
  if (tokens > 0) cli::print("decode {}\n", rate(tokens, out.decode));
  if (out.runs > 0)
    cli::print("overhead per token overhead the run {}\n", app::format_nanoseconds(out.overhead / out.runs));
  for (const auto& [kind, bytes] : task.generator->peak_bytes())
    if (bytes > 0) cli::print("{:<14} {:>12}\n", name(kind), app::format_bytes(bytes));
  if (const Bytes packed = task.generator->packed_bytes(); packed > 0)
    cli::print("{:<14} {:>12}\n", "packed", app::format_bytes(packed));
}

std::string text_of(const GenerationTask& task, const GeneratedText& copy) {
  return task.tokenizer ? continuation(*task.tokenizer, task.prompt, copy.tokens) : std::string();
}

Json as_json(GenerationTask& task, const GenerationResult& out) {
  Json peaks = Json::object(), others = Json::array();
  for (const auto& [kind, bytes] : task.generator->peak_bytes()) peaks[std::string(name(kind))] = bytes;
  for (size_t i = 1; i < out.copies.size(); ++i)
    others.push_back({{"tokens", out.copies[i].tokens}, {"text", text_of(task, out.copies[i])}});
  Json json{{"model", task.generator->name()},
            {"prompt_tokens", task.prompt},
            {"tokens", out.copies[0].tokens},
            {"text", text_of(task, out.copies[0])}};
  if (!others.empty()) json["copies"] = others;
  json["prepare_seconds"] = static_cast<double>(task.generator->preparing()) / 1e9;
  json["prefill_seconds"] = static_cast<double>(out.prefill) / 1e9;
  json["decode_seconds"] = static_cast<double>(out.decode) / 1e9;
  if (out.runs > 0) json["overhead_nanoseconds_per_run"] = out.overhead / out.runs;
  json["peak_bytes"] = peaks;
  json["packed_bytes"] = task.generator->packed_bytes();
  return json;
}

// Prints text as it is generated; the prompt is not echoed.
class Printer {
 public:
  explicit Printer(const GenerationTask& task)
      : task_(task), first_(!task.tokenizer || task.tokenizer->decode(task.prompt).empty()) {}
  void show(int32_t id) {
    std::string text = task_.tokenizer ? letters_.add(task_.tokenizer->bytes_of(id)) : fmt::format("{} ", id);
    if (first_ && text.starts_with(' ')) text.erase(0, 1);
    first_ = first_ && text.empty();
    cli::print("{}", text);
    std::fflush(stdout);
  }
  void finish() { cli::print("{}", letters_.finish()); }

 private:
  const GenerationTask& task_;
  models::Utf8Stream letters_;
  bool first_;
};

int generate_text(const Context& context, const GenerateArguments& a) {
  if (a.number && *a.number < 1) return fail(kUsage, fmt::format("-n {}: at least 1 is required", *a.number));
  if (a.copies > 1 && a.shift) return fail(kUsage, "--context-shift cannot be combined with --copies");
  if (auto sampler = Sampler::create(a.sampler); !sampler) return fail(kUsage, sampler.error().message);
  RunnerOptions run;
  run.threads = a.threads;
  if (auto ok = a.backend.put_into(run); !ok) return fail(kUsage, ok.error().message);
  run.fuse = run.backend == "cpu";
  RecordedFile recorded;
  if (!a.record.empty()) run.recorder = recorded.recorder();
  auto task = prepare(a, run);
  if (!task) return fail(kUsage, task.error().message);
  const std::vector<std::filesystem::path> inputs{a.model, a.file};
  if (!a.logits.empty())
    if (auto ok = OutputFile::check(a.logits, inputs); !ok) return fail(kFailed, ok.error().message);
  if (auto ok = recorded.open(a.record, run, inputs); !ok) return fail(kFailed, ok.error().message);
  Printer printer(*task);
  const std::function<void(int32_t)> show = [&](int32_t id) {
    if (!context.json) printer.show(id);
  };
  auto out = generate_texts(*task, a, show);
  if (!out) return fail(kFailed, fmt::format("{}: {}", a.model, out.error().message));
  if (!a.logits.empty())
    if (auto ok = write_logits(a.logits, *out, task->generator->vocabulary()); !ok)
      return fail(kFailed, ok.error().message);
  if (auto ok = recorded.close(); !ok) return fail(kFailed, ok.error().message);
  if (context.json) {
    print_json(context, as_json(*task, *out));
    return kDone;
  }
  printer.finish();
  for (size_t i = 0; i < out->copies.size() && a.copies > 1; ++i)
    cli::print("{}[{}] {}\n", i == 0 ? "" : "\n", i + 1, text_of(*task, out->copies[i]));
  print_outcome(*task, *out);
  return kDone;
}

}  // namespace

void add_generate(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("generate", "Generate tokens from a prompt");
  auto a = std::make_shared<GenerateArguments>();
  command->add_option("model", a->model, "Model file (.gguf) or zoo:NAME")->required();
  command->add_option("--prompt", a->prompt, "Prompt");
  command->add_option("--file", a->file, "File with the prompt");
  command->add_option("--tokens", a->tokens, "Token ids of the prompt (1,2,3), or a file with them");
  command->add_option("-n,--number", a->number,
                      "Number of tokens to generate; default: 128, or the rest of the context");
  command->add_option("--temp", a->sampler.temperature, "Sampling temperature; 0: greedy")->capture_default_str();
  command->add_option("--top-k", a->sampler.top_k, "Number of most likely tokens to sample from; 0: all");
  command->add_option("--top-p", a->sampler.top_p, "Cumulative probability of the most likely tokens to sample from");
  command->add_option("--seed", a->sampler.seed, "Random seed for sampling")->capture_default_str();
  command->add_option("--batch", a->prefill_batch, "Prompt tokens per prefill batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 16));
  command->add_option("--copies", a->copies, "Number of texts to generate from the prompt, each with its own seed")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--cache-type", a->cache_type, "Type of the KV cache: f32, f16 or q8_0")
      ->capture_default_str()
      ->check(CLI::IsMember({"f32", "f16", "q8_0"}));
  command->add_option("--cache-block", a->block, "Rows per KV cache block")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 16));
  command->add_flag("--context-shift", a->shift,
                    "When the context is full, discard the older half of the tokens after the first one");
  command->add_flag("--chat", a->chat, "Wrap the prompt as a user message in the chat template of the file");
  command->add_option("--logits", a->logits, "Output file (.npy) for the logits of each token of the first text");
  command->add_flag("--ignore-eos", a->ignore_eos, "Continue after an end-of-text token");
  command->add_flag("--no-special-tokens", a->no_special_tokens,
                    "Tokenise names of special tokens in the prompt as plain text");
  command->add_option("--threads", a->threads, "Number of threads; 0: one per CPU")->check(CLI::Range(0, 1024));
  add_backend_arguments(*command, a->backend);
  command->add_option("--record", a->record, "Recording file of the runs");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&, a] { body = [&, a] { return generate_text(context, *a); }; });
}

}  // namespace arenascope::cli
