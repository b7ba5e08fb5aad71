// SPDX-License-Identifier: MIT
// What a beam search writes, by hand.
#pragma once
#include "search_by_hand.h"

#include <functional>
#include <utility>

namespace arenascope::test {

struct Beams {
  Search search;
  size_t beams, results = 1;
  bool early = false;
  double length_penalty = 1;
};

// What a decoder is like.
struct Scorer {
  // Of each word, for a row of text `who`: by its last word, how many turns were before, and the sum of what the cache holds.
  std::function<std::vector<double>(size_t who, int64_t last, int64_t turn, int64_t sum)> scores;
  // What speaks against words besides, after all else.
  std::function<void(const Ints& text, std::vector<double>& scores)> also = {};
  bool first_by_encoder = false;  // the first turn is no decoder's: rows are not moved behind it, nor does it end
};

struct Written {
  std::vector<double> words, scores;       // of all results
  std::vector<std::vector<double>> turns;  // of all words in each turn
};

Written write_by_hand(const Beams& b, const Scorer& scorer);

}  // namespace arenascope::test
