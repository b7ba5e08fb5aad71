// SPDX-License-Identifier: MIT
// A small decoder for searches, as a graph and as a function.
#pragma once
#include "file_runs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope::test {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

constexpr int64_t kWords = 12, kPlaces = 24;

struct Search {
  std::vector<Ints> prompts;
  int64_t most, least = 0, end = -1, pad = 0, unlike = 0;
  double penalty = 1;
  Ints vocabulary = {}, first = {}, mask = {};  // empty: there is none
};

// Scores by the token, its position, and the sum of all tokens so far, which the cache holds. `phase` gives another decoder.
models::test::OnnxMaker& decoder(models::test::OnnxMaker& d, double phase = 0);
// By the last token, its position, and the sum of all tokens.
std::vector<double> scores_of(int64_t last, int64_t place, int64_t sum, double phase = 0);

// Numbers of table `of_words`, `of_places` or `of_sums`.
struct Tables {
  Floats words, places, sums;
  explicit Tables(double phase = 0);
};

// Adds the penalties and masks to the scores of the next token of text `who`, after `iteration` iterations.
void weigh(const Search& s, const Ints& text, size_t who, int64_t iteration, std::vector<double>& scores,
           double forbidden = -1e30);

// A model with the search's tokens and parameters as inputs; `places` are the input indices of the minimum length,
// the penalty, both vocabularies and the mask.
struct SearchInputs {
  std::vector<std::string> from;
  std::vector<Given> given;
};
SearchInputs add_inputs(models::test::OnnxMaker& m, const Search& s, const std::vector<size_t>& places, size_t count);

}  // namespace arenascope::test
