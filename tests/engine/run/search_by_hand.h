// SPDX-License-Identifier: MIT
// A small decoder for searches, and what it makes of a text by hand.
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

// Scores by the word, its place, and the sum of all words so far, which is what the cache holds. `phase` makes another one of it.
models::test::OnnxMaker& decoder(models::test::OnnxMaker& d, double phase = 0);
// By the last word, its place, the sum of all words.
std::vector<double> scores_of(int64_t last, int64_t place, int64_t sum, double phase = 0);

// Numbers of table `of_words`, `of_places` or `of_sums`.
struct Tables {
  Floats words, places, sums;
  explicit Tables(double phase = 0);
};

// What speaks against a word of text `who`, before which `turn` words were written, where there is a penalty, a mask, …
void weigh(const Search& s, const Ints& text, size_t who, int64_t turn, std::vector<double>& scores,
           double forbidden = -1e30);

// A model with the search's words and what it has besides as inputs, in the sources' order that `places` tells (of the least length,
// the penalty, both vocabularies, the mask).
struct SearchInputs {
  std::vector<std::string> from;
  std::vector<Given> given;
};
SearchInputs add_inputs(models::test::OnnxMaker& m, const Search& s, const std::vector<size_t>& places, size_t count);

}  // namespace arenascope::test
