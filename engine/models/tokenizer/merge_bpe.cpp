// SPDX-License-Identifier: MIT
// Byte-level BPE (Radford 2019): a pre-tokenizer splits words, each byte is represented by a printable character, and
// adjacent symbols are merged in the order of the file's merges.
#include <fmt/format.h>

#include <array>

#include "engine/models/tokenizer/pre_tokenizer.h"
#include "engine/models/tokenizer/pre_tokenizer_patterns.h"
#include "engine/models/tokenizer/symbols.h"
#include "engine/models/tokenizer/token_model.h"
#include "engine/models/tokenizer/utf8.h"

namespace arenascope::models {
namespace {

// Bytes that are printable in Latin-1 represent themselves, the others are mapped to U+0100 and on, in order.
std::array<std::string, 256> letters_of_bytes() {
  std::array<std::string, 256> out;
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printed = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    out[byte] = utf8(printed ? byte : next++);
  }
  return out;
}

class MergeBpe final : public TokenModel {
 public:
  MergeBpe(const Vocabulary& vocabulary, std::unique_ptr<PreTokenizer> strings, std::vector<std::string> merges)
      : v_(vocabulary), strings_(std::move(strings)), merges_(std::move(merges)), letters_(letters_of_bytes()) {
    const PrePatterns* patterns = find_pre_patterns(v_.pre_tokenizer);
    whole_strings_ = patterns && patterns->whole_strings;
    for (int byte = 0; byte < 256; ++byte) bytes_[letters_[static_cast<size_t>(byte)]] = static_cast<char>(byte);
    ranks_.reserve(merges_.size());
    for (size_t i = 0; i < merges_.size(); ++i) ranks_.emplace(merges_[i], static_cast<int32_t>(i));
  }

  void encode(std::string_view fragment, bool, std::vector<int32_t>& out) const override {
    for (std::string_view word : strings_->split(fragment)) encode_word(word, out);
  }

  std::string bytes_of(int32_t id) const override {
    const std::string& text = v_.texts[static_cast<size_t>(id)];
    if (v_.types[static_cast<size_t>(id)] == TokenType::UserDefined) return text;
    std::string out;
    for_each_letter(text, [&](const Letter&, std::string_view letter) {
      const auto byte = bytes_.find(letter);
      byte == bytes_.end() ? out += letter : out += byte->second;
    });
    return out;
  }

 private:
  void encode_word(std::string_view word, std::vector<int32_t>& out) const {
    std::string text;
    for (char byte : word) text += letters_[static_cast<uint8_t>(byte)];
    if (whole_strings_)
      if (const int32_t id = v_.find(text); id >= 0) return out.push_back(id);
    Symbols<int32_t> symbols;
    for_each_letter(text, [&](const Letter&, std::string_view letter) { symbols.add(letter); });
    std::string pair;
    symbols.join([&](std::string_view left, std::string_view right, int32_t& rank) {
      pair.assign(left);
      pair += ' ';
      pair += right;
      const auto merge = ranks_.find(std::string_view(pair));
      if (merge == ranks_.end()) return false;
      rank = -merge->second;
      return true;
    });
    symbols.for_each([&](std::string_view symbol) {
      if (const int32_t id = v_.find(symbol); id >= 0) return out.push_back(id);
      for_each_letter(symbol, [&](const Letter&, std::string_view letter) {
        const int32_t id = v_.find(letter);
        if (id >= 0 || v_.unknown >= 0) out.push_back(id >= 0 ? id : v_.unknown);
      });
    });
  }

  const Vocabulary& v_;
  std::unique_ptr<PreTokenizer> strings_;
  std::vector<std::string> merges_;
  std::array<std::string, 256> letters_;
  std::unordered_map<std::string_view, char> bytes_;
  std::unordered_map<std::string_view, int32_t> ranks_;
  bool whole_strings_ = false;
};

}  // namespace

Result<std::unique_ptr<TokenModel>> make_merge_bpe(const Vocabulary& vocabulary, const GgufFile& file) {
  auto merges = file.texts("tokenizer.ggml.merges");
  if (!merges) return Error{"its tokenizer joins by 'tokenizer.ggml.merges', which it has not"};
  auto strings = PreTokenizer::make(vocabulary.pre_tokenizer);
  if (!strings) return strings.error();
  return std::unique_ptr<TokenModel>(std::make_unique<MergeBpe>(vocabulary, std::move(*strings), std::move(*merges)));
}

}  // namespace arenascope::models
