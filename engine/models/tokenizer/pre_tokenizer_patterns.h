// SPDX-License-Identifier: MIT
// The pre-tokenizers that GGUF files name, as regular expressions. Each expression splits the parts that the previous one
// produced into matches and the text between them. They are facts of the models (their tokenizer.json, or the code of their
// authors); \s is Unicode white space.
#pragma once
#include <span>
#include <string_view>

namespace arenascope::models {

struct PrePatterns {
  std::string_view names;  // with a space around each
  std::string_view patterns[6];
  bool whole_strings = false;  // a word that is a token is not joined from bytes
};

inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

inline constexpr PrePatterns kPrePatterns[] = {
    {" gpt-2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code mpt olmo jais gpt-neox roberta-bpe "
     "exaone4 ",
     {kGpt2Pattern}},
    {" llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 ",
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
     true},
    {" dbrx smaug-bpe chatglm-bpe glm4 ",
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
    {" qwen2 stablelm2 deepseek-r1-qwen hunyuan megrez kormo ",
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
    {" falcon ", {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2Pattern, R"([0-9][0-9][0-9])"}},
    {" starcoder refact command-r smollm codeshell exaone minerva-7b ", {R"(\p{N})", kGpt2Pattern}},
    {" deepseek-llm ",
     {R"([\r\n])", R"(\s?[\p{Lu}\p{Ll}\p{Lt}]+)", R"(\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+)",
      R"(\s+$)", R"([\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+)", R"(\p{N}+)"}},
    {" deepseek-coder ",
     {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", R"([\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+)", R"(\p{N})"}},
    {" gpt-4o llama4 kanana2 ",
     {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
    {" tekken ",
     {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
     true},
    {" bloom poro-chat gpt3-finnish ", {R"( ?[^(\s|.,!?…。，、।۔،)]+)"}},
    {" default ", {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2Pattern, R"(\p{N}+)", R"([0-9][0-9][0-9])"}}};

// By the name in the metadata ("" is "default"); null if it is unknown.
inline const PrePatterns* find_pre_patterns(std::string_view name) {
  if (name.empty()) name = "default";
  for (const PrePatterns& one : kPrePatterns) {
    for (size_t at = one.names.find(name); at != std::string_view::npos; at = one.names.find(name, at + 1))
      if (at > 0 && one.names[at - 1] == ' ' && one.names[at + name.size()] == ' ') return &one;
  }
  return nullptr;
}

}  // namespace arenascope::models
