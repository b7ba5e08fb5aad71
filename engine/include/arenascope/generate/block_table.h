// SPDX-License-Identifier: MIT
// Paged KV cache (Kwon 2023): a table per text lists the fixed-size blocks of its tokens in order. Texts with a common
// prefix share blocks; nothing is moved. It does not depend on tensors.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <map>
#include <vector>

namespace arenascope {

using TextId = int32_t;

class BlockTable {
 public:
  // A cache of `rows` tokens; what does not fill a block at its end is a shorter block.
  BlockTable(int64_t rows, int64_t block);

  int64_t rows() const { return rows_; }
  int64_t block() const { return block_; }
  int64_t free_rows() const;    // of blocks that no text has
  int64_t filled_rows() const;  // that hold a token of some text

  TextId begin();  // an empty text
  // Creates a text that shares the first `tokens` of this one, rounded down to whole blocks; at most as many as it has.
  TextId fork(TextId text, int64_t tokens);
  void end(TextId text);      // frees its blocks that no other text shares
  void restart(TextId text);  // the same, and it is empty

  int64_t tokens(TextId text) const { return texts_.at(text).tokens; }
  const std::vector<int32_t>& blocks(TextId text) const { return texts_.at(text).blocks; }
  int owners(int32_t block) const { return owners_[static_cast<size_t>(block)]; }
  // Appends rows for `count` tokens to the text. Error: not enough free blocks; then nothing changes.
  Status append(TextId text, int64_t count);
  // The row of the text's token, counted from 0.
  int64_t row(TextId text, int64_t token) const;
  // The row of the token that append() would add; -1: the cache is full.
  int64_t next_row(TextId text) const;

 private:
  struct Text {
    int64_t tokens = 0;
    std::vector<int32_t> blocks;
  };
  int64_t size_of(int32_t block) const;

  int64_t rows_, block_;
  std::vector<int> owners_;  // of each block, texts that have it
  std::map<TextId, Text> texts_;
  TextId next_ = 0;
};

}  // namespace arenascope
