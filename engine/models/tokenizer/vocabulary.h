// SPDX-License-Identifier: MIT
// Shared by the tokenizers: the tokens of a GGUF file with their scores and kinds, and the special ones.
#pragma once
#include "engine/models/gguf/gguf.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::models {

// GGUF's codes.
enum class TokenType : uint8_t { Undefined, Normal, Unknown, Control, UserDefined, Unused, Byte };

struct Vocabulary {
  Vocabulary() = default;
  Vocabulary(Vocabulary&&) = default;  // `ids` refers to `texts`
  Vocabulary& operator=(Vocabulary&&) = default;

  std::string model;          // "tokenizer.ggml.model"
  std::string pre_tokenizer;  // "tokenizer.ggml.pre"
  std::vector<std::string> texts;
  std::vector<float> scores;     // score per token; empty: none in the file
  std::vector<TokenType> types;  // type per token
  std::unordered_map<std::string_view, int32_t> ids;
  std::vector<int32_t> specials;  // parsed literally: control, unknown, user-defined; the longest first
  std::vector<int32_t> ends;      // generation stops there

  int32_t begin = -1, end = -1, unknown = -1;  // -1: none
  bool add_begin = false, add_end = false;
  bool add_space_prefix = false;
  bool remove_extra_spaces = false;

  int32_t size() const { return static_cast<int32_t>(texts.size()); }
  bool has(int32_t id) const { return id >= 0 && id < size(); }
  int32_t find(std::string_view text) const {
    const auto found = ids.find(text);
    return found == ids.end() ? -1 : found->second;
  }
  // The token of a single byte if there is one ("<0x0A>"), else the unknown token; -1: neither.
  int32_t byte_token(uint8_t byte) const;

  // Errors: no vocabulary, lists of different lengths, special tokens outside of it.
  static Result<Vocabulary> read(const GgufFile& file);
};

// U+2581, for which SentencePiece and WordPiece vocabularies write a space.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

}  // namespace arenascope::models
