// SPDX-License-Identifier: MIT
#include "engine/models/tokenizer/vocabulary.h"
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace arenascope::models {
namespace {

constexpr std::string_view kPrefix = "tokenizer.ggml.";

// Special ids and switches of the metadata, with defaults by kind of vocabulary.
struct Usual {
  const char* model;
  int32_t begin, end, unknown;
  bool add_begin, add_end, space_prefix;
};
constexpr Usual kUsual[] = {{"llama", 1, 2, 0, true, false, true},
                            {"t5", -1, 1, 2, false, true, true},
                            {"gpt2", 11, 11, -1, false, false, false},
                            {"bert", 101, 102, 100, true, true, false}};

// Tokens that end a message or a text, in addition to the file's end token.
constexpr std::string_view kEnds[] = {"<|eot_id|>",    "<|im_end|>",      "<|end|>", "<end_of_turn>", "<|eom_id|>",
                                      "<|endoftext|>", "<|end_of_text|>", "<EOT>",   "<|return|>"};

Status read_types(const GgufFile& file, Vocabulary& v) {
  v.types.assign(v.texts.size(), TokenType::Normal);
  const GgufEntry* entry = file.find("tokenizer.ggml.token_type");
  if (!entry) return {};
  if (entry->element != GgufType::I32 || entry->count != v.texts.size())
    return Error{fmt::format("'tokenizer.ggml.token_type' has {} entries for {} tokens", entry->count, v.texts.size())};
  for (size_t i = 0; i < v.types.size(); ++i) {
    int32_t type = 0;
    std::memcpy(&type, entry->bytes.data() + i * sizeof type, sizeof type);
    v.types[i] = type >= 0 && type <= 6 ? static_cast<TokenType>(type) : TokenType::Undefined;
  }
  return {};
}

Status read_scores(const GgufFile& file, Vocabulary& v) {
  const GgufEntry* entry = file.find("tokenizer.ggml.scores");
  if (!entry) return {};
  if (entry->element != GgufType::F32 || entry->count != v.texts.size())
    return Error{fmt::format("'tokenizer.ggml.scores' has {} entries for {} tokens", entry->count, v.texts.size())};
  v.scores.resize(v.texts.size());
  std::memcpy(v.scores.data(), entry->bytes.data(), entry->bytes.size());
  return {};
}

Status read_special(const GgufFile& file, Vocabulary& v) {
  for (const Usual& usual : kUsual)
    if (v.model == usual.model) {
      v.begin = usual.begin, v.end = usual.end, v.unknown = usual.unknown;
      v.add_begin = usual.add_begin, v.add_end = usual.add_end, v.add_space_prefix = usual.space_prefix;
    }
  if (v.model == "gpt2" &&
      (v.pre_tokenizer == "llama-bpe" || v.pre_tokenizer == "llama3" || v.pre_tokenizer == "tekken"))
    v.add_begin = true;
  for (int32_t* id : {&v.begin, &v.end, &v.unknown})
    if (!v.has(*id)) *id = -1;
  struct Named {
    const char* key;
    int32_t* id;
  };
  // A classifier's first token and a separator are WordPiece's begin and end.
  for (const Named& one :
       {Named{"cls_token_id", &v.begin}, Named{"seperator_token_id", &v.end}, Named{"bos_token_id", &v.begin},
        Named{"eos_token_id", &v.end}, Named{"unknown_token_id", &v.unknown}}) {
    const auto specified = file.integer(std::string(kPrefix) + one.key);
    if (!specified) continue;
    if (*specified < 0 || *specified >= v.size())
      return Error{fmt::format("its 'tokenizer.ggml.{}' is {}, of {} tokens", one.key, *specified, v.size())};
    *one.id = static_cast<int32_t>(*specified);
  }
  const auto flag = [&](const char* key, bool& out) {
    out = file.integer(std::string(kPrefix) + key).value_or(out) != 0;
  };
  flag("add_bos_token", v.add_begin), flag("add_eos_token", v.add_end);
  flag("add_space_prefix", v.add_space_prefix), flag("remove_extra_whitespaces", v.remove_extra_spaces);
  return {};
}

void find_specials(const GgufFile& file, Vocabulary& v) {
  for (int32_t id = 0; id < v.size(); ++id) {
    const TokenType type = v.types[static_cast<size_t>(id)];
    if (type == TokenType::Control || type == TokenType::Unknown || type == TokenType::UserDefined)
      if (!v.texts[static_cast<size_t>(id)].empty()) v.specials.push_back(id);
  }
  std::stable_sort(v.specials.begin(), v.specials.end(), [&](int32_t a, int32_t b) {
    return v.texts[static_cast<size_t>(a)].size() > v.texts[static_cast<size_t>(b)].size();
  });
  if (v.end >= 0) v.ends.push_back(v.end);
  for (const char* key : {"eot_token_id", "eom_token_id"})
    if (const auto specified = file.integer(std::string(kPrefix) + key);
        specified && *specified >= 0 && *specified < v.size())
      v.ends.push_back(static_cast<int32_t>(*specified));
  for (std::string_view text : kEnds) {
    const int32_t id = v.find(text);
    if (id < 0) continue;
    const TokenType type = v.types[static_cast<size_t>(id)];
    if (type == TokenType::Control || type == TokenType::UserDefined) v.ends.push_back(id);
  }
}

}  // namespace

int32_t Vocabulary::byte_token(uint8_t byte) const {
  if (const int32_t id = find(fmt::format("<0x{:02X}>", byte)); id >= 0) return id;
  const char plain = static_cast<char>(byte);
  const int32_t id = find({&plain, 1});
  return id >= 0 ? id : unknown;
}

Result<Vocabulary> Vocabulary::read(const GgufFile& file) {
  Vocabulary v;
  const auto model = file.text("tokenizer.ggml.model");
  auto texts = file.texts("tokenizer.ggml.tokens");
  if (!model || !texts || texts->empty()) return Error{"it has no vocabulary ('tokenizer.ggml.tokens')"};
  if (texts->size() > static_cast<size_t>(INT32_MAX)) return Error{"its vocabulary has more than 2^31 tokens"};
  v.model = *model;
  v.pre_tokenizer = file.text("tokenizer.ggml.pre").value_or("");
  v.texts = std::move(*texts);
  v.ids.reserve(v.texts.size());
  for (int32_t id = 0; id < v.size(); ++id) v.ids.emplace(v.texts[static_cast<size_t>(id)], id);
  if (auto ok = read_types(file, v); !ok) return ok.error();
  if (auto ok = read_scores(file, v); !ok) return ok.error();
  if (auto ok = read_special(file, v); !ok) return ok.error();
  find_specials(file, v);
  return v;
}

}  // namespace arenascope::models
