// SPDX-License-Identifier: MIT
// How one kind of vocabulary cuts a text without special tokens into ids, and what bytes an id stands for.
#pragma once
#include "engine/models/tokenizer/vocabulary.h"

#include <memory>

namespace arenascope::models {

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  // `fragment` is what stands between special tokens; `first`: nothing, or a special token, stands in front of it.
  virtual void encode(std::string_view fragment, bool first, std::vector<int32_t>& out) const = 0;
  // Of a token that is neither control nor unknown.
  virtual std::string bytes_of(int32_t id) const = 0;
};

// Each keeps a reference to the vocabulary. SentencePiece's byte pairs by score ("llama"). Error: no scores.
Result<std::unique_ptr<TokenModel>> make_score_bpe(const Vocabulary& vocabulary);
// SentencePiece's unigram ("t5"). Errors: no scores, a table of normalisation that is damaged.
Result<std::unique_ptr<TokenModel>> make_unigram(const Vocabulary& vocabulary, const GgufFile& file);
// Byte-level BPE ("gpt2"). Errors: no merges, a pre-tokenizer that is not known, a build without ICU.
Result<std::unique_ptr<TokenModel>> make_merge_bpe(const Vocabulary& vocabulary, const GgufFile& file);
// WordPiece ("bert"). Error: a build without ICU.
Result<std::unique_ptr<TokenModel>> make_word_piece(const Vocabulary& vocabulary);

// Of a vocabulary that writes a space as U+2581 and bytes as <0x0A>.
std::string sentence_piece_bytes(const Vocabulary& vocabulary, int32_t id);

}  // namespace arenascope::models
