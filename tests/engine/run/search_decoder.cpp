// SPDX-License-Identifier: MIT
#include "search_decoder.h"

#include <algorithm>
#include <cmath>

namespace arenascope::test {
namespace {

using models::test::kInt32;
using models::test::OnnxMaker;

float number(int64_t i, double phase) { return static_cast<float>(std::sin(phase + 1.7 * static_cast<double>(i))); }

}  // namespace

Tables::Tables(double phase) {
  for (int64_t i = 0; i < kWords * kWords; ++i) words.push_back(number(i * i % 97, phase + 0.3));
  for (int64_t i = 0; i < kPlaces * kWords; ++i) places.push_back(number(i * 5 % 89, phase + 1.1));
  for (int64_t i = 0; i < kWords; ++i) sums.push_back(number(i, phase + 2.2) / 16);
}

OnnxMaker& decoder(OnnxMaker& d, double phase) {
  const Tables t(phase);
  d.input("ids", {-1, -2}, kInt32).input("places", {-1, -2}, kInt32).input("mask", {-1, -3}, kInt32);
  d.input("past", {2, -1, 1, -4, 1}).output("scores", {-1, -2, kWords}).output("present", {2, -1, 1, -3, 1});
  d.weight("of_words", {kWords, kWords}, t.words).weight("of_places", {kPlaces, kWords}, t.places);
  d.weight("of_sums", {kWords}, t.sums).weight("around", {3}, Ints{0, 2, 4}).weight("but_batch", {3}, Ints{1, 2, 3});
  d.weight("zero", {}, Ints{0});
  d.node("Gather", {"of_words", "ids"}, {"a"})
      .node("Gather", {"of_places", "places"}, {"b"})
      .node("Add", {"a", "b"}, {"c"});
  d.node("Cast", {"ids"}, {"real"}, {{"to", int64_t{1}}}).node("Unsqueeze", {"real", "around"}, {"one"});
  d.node("Concat", {"one", "one"}, {"both"}, {{"axis", int64_t{0}}});
  d.node("Concat", {"past", "both"}, {"present"}, {{"axis", int64_t{3}}});
  d.node("Gather", {"present", "zero"}, {"keys"}, {{"axis", int64_t{0}}});
  d.node("ReduceSum", {"keys", "but_batch"}, {"sum"}, {{"keepdims", int64_t{0}}});
  d.weight("at_end", {2}, Ints{1, 2}).node("Unsqueeze", {"sum", "at_end"}, {"sums"});
  d.node("Mul", {"sums", "of_sums"}, {"e"}).node("Add", {"c", "e"}, {"scores"});
  return d;
}

std::vector<double> scores_of(int64_t last, int64_t place, int64_t sum, double phase) {
  const Tables t(phase);
  std::vector<double> out;
  for (int64_t v = 0; v < kWords; ++v)
    out.push_back(static_cast<double>(t.words[static_cast<size_t>(last * kWords + v)]) +
                  static_cast<double>(t.places[static_cast<size_t>(place * kWords + v)]) +
                  static_cast<double>(sum) * static_cast<double>(t.sums[static_cast<size_t>(v)]));
  return out;
}

void weigh(const Search& s, const Ints& text, size_t who, int64_t iteration, std::vector<double>& scores,
           double forbidden) {
  for (int64_t v = 0; v < kWords; ++v) {
    const auto at = static_cast<size_t>(v);
    double& x = scores[at];
    if (std::find(text.begin(), text.end(), v) != text.end()) x = x < 0 ? x * s.penalty : x / s.penalty;
    const auto n = static_cast<std::ptrdiff_t>(s.unlike);
    for (std::ptrdiff_t i = 0; n > 0 && i + n <= std::ssize(text); ++i)
      if (text[static_cast<size_t>(i + n - 1)] == v &&
          std::equal(text.begin() + i, text.begin() + i + n - 1, text.end() - (n - 1)))
        x = forbidden;
    if (!s.vocabulary.empty() && s.vocabulary[at] == 0) x = forbidden;
    if (!s.first.empty() && iteration == 0 && s.first[who * static_cast<size_t>(kWords) + at] == 0) x = forbidden;
    if (v == s.end && std::ssize(text) < s.least) x = forbidden;
  }
}

SearchInputs add_inputs(OnnxMaker& m, const Search& s, const std::vector<size_t>& places, size_t count) {
  const auto batch = static_cast<int64_t>(s.prompts.size()), length = static_cast<int64_t>(s.prompts[0].size());
  m.opset("com.microsoft", 1).input("words", {batch, length}, kInt32);
  m.raw_weight("most", {1}, std::string{static_cast<char>(s.most), 0, 0, 0}, kInt32);
  SearchInputs out;
  out.given.push_back({"words", {}});
  for (const Ints& prompt : s.prompts)
    for (const int64_t word : prompt) out.given[0].numbers.push_back(static_cast<double>(word));
  out.from.resize(count);
  out.from[0] = "words";
  out.from[1] = "most";
  const auto give = [&](size_t place, const char* name, const Ints& sizes, const Ints& values) {
    if (values.empty()) return;
    m.input(name, sizes, kInt32);
    out.given.push_back({name, {values.begin(), values.end()}});
    out.from[place] = name;
  };
  if (s.least > 0) give(places[0], "least", {1}, {s.least});
  if (s.penalty != 1) {
    m.weight("penalty", {1}, Floats{static_cast<float>(s.penalty)});
    out.from[places[1]] = "penalty";
  }
  give(places[2], "vocabulary", {kWords}, s.vocabulary);
  give(places[3], "first", {batch, kWords}, s.first);
  give(places[4], "mask", {batch, length}, s.mask);
  return out;
}

}  // namespace arenascope::test
