// SPDX-License-Identifier: MIT
// Regular expressions with Unicode classes, by which byte-level BPE splits a text into words before merging; and the
// Unicode properties that WordPiece needs. Implemented with ICU; a build without it reports an error on use.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {

class PreTokenizer {
 public:
  // `name`: the value of "tokenizer.ggml.pre". Errors: an unknown name (the message lists the known ones), no ICU.
  static Result<std::unique_ptr<PreTokenizer>> make(std::string_view name);
  virtual ~PreTokenizer() = default;
  // Splits the text into consecutive parts that together are the text.
  virtual std::vector<std::string_view> split(std::string_view text) const = 0;
};

// WordPiece's classes of characters.
enum class LetterKind : uint8_t { Dropped, Space, Alone, Part };
struct PlainLetter {
  LetterKind kind = LetterKind::Dropped;
  std::string text;  // in lower case, without accents
};

// Lower case, without accents (Unicode's canonical decomposition without marks). Error: no ICU.
class LetterClasses {
 public:
  static Result<std::unique_ptr<LetterClasses>> make();
  virtual ~LetterClasses() = default;
  virtual std::vector<PlainLetter> plain(uint32_t code) const = 0;
};

}  // namespace arenascope::models
