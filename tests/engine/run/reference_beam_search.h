// SPDX-License-Identifier: MIT
// A reference implementation of beam search.
#pragma once
#include "search_decoder.h"

#include <functional>
#include <utility>

namespace arenascope::test {

struct Beams {
  Search search;
  size_t beams, results = 1;
  bool early = false;
  double length_penalty = 1;
};

// The decoder of a search as functions.
struct Scorer {
  // Scores of each token for text `who`, from its last token, the number of iterations before, and the sum in the cache.
  std::function<std::vector<double>(size_t who, int64_t last, int64_t iteration, int64_t sum)> scores;
  // Penalties that are added last.
  std::function<void(const Ints& text, std::vector<double>& scores)> also = {};
  bool first_by_encoder =
      false;  // the encoder runs the first iteration: no rows are reordered after it, and it does not end
};

struct Written {
  std::vector<double> words, scores;                  // tokens and scores of all results
  std::vector<std::vector<double>> iteration_scores;  // of all words in each iteration
};

Written search_reference(const Beams& b, const Scorer& scorer);

}  // namespace arenascope::test
