// SPDX-License-Identifier: MIT
// Text to token ids and back, as a GGUF file's metadata describes its vocabulary: SentencePiece's two (byte pairs by
// score, unigram), byte-level BPE with its pre-tokenizers, WordPiece. Ids are checked where they come from outside.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {

struct EncodeOptions {
  bool add_special = true;     // begin-of-text and similar tokens, if the file requests them
  bool parse_special = false;  // "</s>" in the text is parsed as that token, not as characters
};

class Tokenizer {
 public:
  // The vocabulary of a GGUF file. Errors: a file that cannot be read, one without a vocabulary, a tokenizer that is not
  // known here or needs a library that this build lacks, lists of different lengths; one sentence that names the file.
  static Result<std::unique_ptr<Tokenizer>> open(const std::filesystem::path& path);
  virtual ~Tokenizer() = default;

  virtual std::string kind() const = 0;  // "llama", "t5", "gpt2", "bert", with its pre-tokenizer: "gpt2 (qwen2)"
  virtual int32_t size() const = 0;      // tokens; ids are 0 to size() - 1
  // Invalid UTF-8 is encoded byte by byte if the vocabulary has byte tokens.
  virtual std::vector<int32_t> encode(std::string_view text, const EncodeOptions& options = {}) const = 0;
  // The bytes that a token adds to a text; they may be part of a UTF-8 sequence. Empty for control tokens and invalid ids.
  virtual std::string bytes_of(int32_t id) const = 0;
  // A token as it is spelled in the file, for display.
  virtual std::string name_of(int32_t id) const = 0;
  // Decodes consecutive tokens, without the leading space that encode() adds.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;
  // True if generation stops at this token: end of text or end of a chat message.
  virtual bool ends(int32_t id) const = 0;
  virtual int32_t begin_of_text() const = 0;  // -1: none
};

// Cuts a stream of bytes into complete UTF-8 characters; an incomplete one waits for the next bytes.
class Utf8Stream {
 public:
  // The characters completed so far; an invalid byte becomes U+FFFD.
  std::string add(std::string_view bytes);
  // At the end of the stream: U+FFFD for an incomplete character.
  std::string finish();

 private:
  std::string pending_;
};

}  // namespace arenascope::models
