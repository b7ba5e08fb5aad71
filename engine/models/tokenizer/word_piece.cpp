// SPDX-License-Identifier: MIT
// WordPiece (Schuster and Nakajima 2012) as in BERT's files: lower case without accents, words split at spaces and
// punctuation, each word as the longest tokens from its start; the first piece is prefixed by U+2581.
#include <algorithm>

#include "engine/models/tokenizer/pre_tokenizer.h"
#include "engine/models/tokenizer/token_model.h"
#include "engine/models/tokenizer/utf8.h"

namespace arenascope::models {
namespace {

class WordPiece final : public TokenModel {
 public:
  WordPiece(const Vocabulary& vocabulary, std::unique_ptr<LetterClasses> classes)
      : v_(vocabulary), classes_(std::move(classes)) {
    for (const std::string& text : v_.texts) longest_ = std::max(longest_, text.size());
  }

  void encode(std::string_view fragment, bool, std::vector<int32_t>& out) const override {
    std::string word;
    const auto end_word = [&] {
      if (!word.empty()) add_word(word, out);
      word.clear();
    };
    for_each_letter(fragment, [&](const Letter& letter, std::string_view) {
      for (const PlainLetter& plain : classes_->plain(letter.code)) {
        if (plain.kind == LetterKind::Space || plain.kind == LetterKind::Alone) end_word();
        word += plain.text;
        if (plain.kind == LetterKind::Alone) end_word();
      }
    });
    end_word();
  }

  std::string bytes_of(int32_t id) const override { return sentence_piece_bytes(v_, id); }

 private:
  void add_word(const std::string& word, std::vector<int32_t>& out) const {
    const std::string text = std::string(kSpaceMark) + word;
    const size_t before = out.size();
    for (size_t begin = 0; begin < text.size();) {
      size_t bytes = std::min(longest_, text.size() - begin);
      int32_t id = -1;
      while (bytes > 0 && (id = v_.find(std::string_view(text).substr(begin, bytes))) < 0) --bytes;
      if (id < 0) {
        out.resize(before);
        if (v_.unknown >= 0) out.push_back(v_.unknown);
        return;
      }
      out.push_back(id);
      begin += bytes;
    }
  }

  const Vocabulary& v_;
  std::unique_ptr<LetterClasses> classes_;
  size_t longest_ = 0;
};

}  // namespace

Result<std::unique_ptr<TokenModel>> make_word_piece(const Vocabulary& vocabulary) {
  auto classes = LetterClasses::make();
  if (!classes) return classes.error();
  return std::unique_ptr<TokenModel>(std::make_unique<WordPiece>(vocabulary, std::move(*classes)));
}

}  // namespace arenascope::models
