// SPDX-License-Identifier: MIT
// The algorithm of one kind of vocabulary: text without special tokens to ids, and ids to bytes.
#pragma once
#include "engine/models/tokenizer/vocabulary.h"

#include <memory>

namespace arenascope::models {

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  // `fragment` is the text between special tokens; `first`: it is at the start or follows a special token.
  virtual void encode(std::string_view fragment, bool first, std::vector<int32_t>& out) const = 0;
  // The bytes of a token that is neither control nor unknown.
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

// Bytes of a token in a vocabulary that spells a space as U+2581 and bytes as <0x0A>.
std::string sentence_piece_bytes(const Vocabulary& vocabulary, int32_t id);

}  // namespace arenascope::models
