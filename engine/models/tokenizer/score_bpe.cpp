// SPDX-License-Identifier: MIT
// SentencePiece's BPE as in llama's and phi-3's files: of all adjacent pairs that form a token, the one with the highest
// score is merged first. Symbols that are no token are encoded as bytes.
#include "engine/models/tokenizer/symbols.h"
#include "engine/models/tokenizer/token_model.h"
#include "engine/models/tokenizer/utf8.h"

#include <charconv>

namespace arenascope::models {
namespace {

class ScoreBpe final : public TokenModel {
 public:
  explicit ScoreBpe(const Vocabulary& vocabulary) : v_(vocabulary) {}

  void encode(std::string_view fragment, bool first, std::vector<int32_t>& out) const override {
    std::string text;
    if (first && v_.add_space_prefix) text += kSpaceMark;
    for (char c : fragment) c == ' ' ? text += kSpaceMark : text += c;
    Symbols<float> symbols;
    for_each_letter(text, [&](const Letter&, std::string_view bytes) { symbols.add(bytes); });
    symbols.join([&](std::string_view left, std::string_view right, float& rank) {
      const int32_t id = v_.find({left.data(), left.size() + right.size()});
      if (id < 0) return false;
      rank = v_.scores[static_cast<size_t>(id)];
      return true;
    });
    symbols.for_each([&](std::string_view symbol) {
      if (const int32_t id = v_.find(symbol); id >= 0) return out.push_back(id);
      for (char byte : symbol)
        if (const int32_t id = v_.byte_token(static_cast<uint8_t>(byte)); id >= 0) out.push_back(id);
    });
  }

  std::string bytes_of(int32_t id) const override { return sentence_piece_bytes(v_, id); }

 private:
  const Vocabulary& v_;
};

}  // namespace

std::string sentence_piece_bytes(const Vocabulary& vocabulary, int32_t id) {
  const std::string& text = vocabulary.texts[static_cast<size_t>(id)];
  if (vocabulary.types[static_cast<size_t>(id)] == TokenType::Byte && text.size() == 6) {
    unsigned value = 0;
    std::from_chars(text.data() + 3, text.data() + 5, value, 16);
    return {static_cast<char>(value)};
  }
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool space = std::string_view(text).substr(i).starts_with(kSpaceMark);
    out += space ? ' ' : text[i];
    i += space ? kSpaceMark.size() : 1;
  }
  return out;
}

Result<std::unique_ptr<TokenModel>> make_score_bpe(const Vocabulary& vocabulary) {
  if (vocabulary.scores.empty()) return Error{"its tokenizer joins by 'tokenizer.ggml.scores', which it has not"};
  return std::unique_ptr<TokenModel>(std::make_unique<ScoreBpe>(vocabulary));
}

}  // namespace arenascope::models
