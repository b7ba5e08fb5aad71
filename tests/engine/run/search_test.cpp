// SPDX-License-Identifier: MIT
// ONNX Runtime's searches: text that is written word by word, beside the same choice made by hand.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "file_runs.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kInt32;
using models::test::kInt64;
using models::test::OnnxMaker;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

constexpr int64_t kWords = 12, kPlaces = 24;

float number(int64_t i, double phase) { return static_cast<float>(std::sin(phase + 1.7 * static_cast<double>(i))); }

// Scores by the word, its place, and the sum of all words so far, which is what the cache holds.
struct Tables {
  Floats words, places, sums;
  Tables() {
    for (int64_t i = 0; i < kWords * kWords; ++i) words.push_back(number(i * i % 97, 0.3));
    for (int64_t i = 0; i < kPlaces * kWords; ++i) places.push_back(number(i * 5 % 89, 1.1));
    for (int64_t i = 0; i < kWords; ++i) sums.push_back(number(i, 2.2) / 16);
  }
};

struct Search {
  std::vector<Ints> prompts;
  int64_t most, least = 0, end = -1, pad = 0, unlike = 0;
  double penalty = 1;
  Ints vocabulary = {}, first = {}, mask = {};  // empty: there is none
};

OnnxMaker& decoder(OnnxMaker& d) {
  const Tables t;
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

Results run_search(const Search& s, std::vector<Attr> more = {}) {
  OnnxMaker inner(17), m(17);
  decoder(inner);
  m.opset("com.microsoft", 1);
  const auto batch = static_cast<int64_t>(s.prompts.size()), length = static_cast<int64_t>(s.prompts[0].size());
  m.input("words", {batch, length}, kInt32).output("text", {}, kInt32);
  m.raw_weight("most", {1}, std::string{static_cast<char>(s.most), 0, 0, 0}, kInt32);
  std::vector<Given> given{{"words", {}}};
  for (const Ints& prompt : s.prompts)
    for (const int64_t word : prompt) given[0].numbers.push_back(static_cast<double>(word));
  std::vector<std::string> from{"words", "most", "", "", "", "", ""};
  const auto give = [&](size_t place, const char* name, const Ints& sizes, const Ints& values) {
    if (values.empty()) return;
    m.input(name, sizes, kInt32);
    given.push_back({name, {values.begin(), values.end()}});
    from[place] = name;
  };
  if (s.least > 0) give(2, "least", {1}, {s.least});
  if (s.penalty != 1) {
    m.weight("penalty", {1}, Floats{static_cast<float>(s.penalty)});
    from[3] = "penalty";
  }
  give(4, "vocabulary", {kWords}, s.vocabulary);
  give(5, "first", {batch, kWords}, s.first);
  give(6, "mask", {batch, length}, s.mask);
  std::vector<Attr> attributes{{"decoder", &inner}, {"eos_token_id", s.end}, {"pad_token_id", s.pad}};
  if (s.unlike > 0) attributes.push_back({"no_repeat_ngram_size", s.unlike});
  attributes.insert(attributes.end(), more.begin(), more.end());
  m.node("GreedySearch", from, {"text"}, attributes, "write", "com.microsoft");
  return run_file(m, given);
}

// The next word of one text; `turn` words were written before.
int64_t next_word(const Search& s, const Ints& text, int64_t place, size_t who, int64_t turn) {
  const Tables t;
  int64_t sum = 0;
  for (const int64_t word : text) sum += word;
  std::vector<double> score;
  for (int64_t v = 0; v < kWords; ++v) {
    const auto at = static_cast<size_t>(v);
    double x = static_cast<double>(t.words[static_cast<size_t>(text.back() * kWords + v)]) +
               static_cast<double>(t.places[static_cast<size_t>(place * kWords + v)]) +
               static_cast<double>(sum) * static_cast<double>(t.sums[at]);
    if (std::find(text.begin(), text.end(), v) != text.end()) x = x < 0 ? x * s.penalty : x / s.penalty;
    const auto n = static_cast<std::ptrdiff_t>(s.unlike);
    for (std::ptrdiff_t i = 0; n > 0 && i + n <= std::ssize(text); ++i)
      if (text[static_cast<size_t>(i + n - 1)] == v &&
          std::equal(text.begin() + i, text.begin() + i + n - 1, text.end() - (n - 1)))
        x = -1e30;
    if (!s.vocabulary.empty() && s.vocabulary[at] == 0) x = -1e30;
    if (!s.first.empty() && turn == 0 && s.first[who * static_cast<size_t>(kWords) + at] == 0) x = -1e30;
    if (v == s.end && std::ssize(text) < s.least) x = -1e30;
    score.push_back(x);
  }
  return std::max_element(score.begin(), score.end()) - score.begin();
}

std::vector<double> by_hand(const Search& s) {
  std::vector<Ints> texts = s.prompts;
  std::vector<bool> done(texts.size());
  Ints places;
  for (const Ints& text : texts) places.push_back(std::ssize(text) - std::count(text.begin(), text.end(), s.pad));
  for (int64_t turn = 0; std::ssize(texts[0]) < s.most; ++turn)
    for (size_t who = 0; who < texts.size(); ++who) {
      const bool is_pad = turn == 0 && texts[who].back() == s.pad;
      const int64_t word = next_word(s, texts[who], is_pad ? 0 : places[who] - 1 + turn, who, turn);
      done[who] = done[who] || word == s.end;
      texts[who].push_back(done[who] ? s.pad : word);
    }
  std::vector<double> out;
  for (const Ints& text : texts) out.insert(out.end(), text.begin(), text.end());
  return out;
}

void check(const Search& s) {
  const Results made = run_search(s);
  REQUIRE(made.refused == "");
  CHECK(made.sizes.at("text") == Dims{std::ssize(s.prompts), s.most});
  CHECK(made.numbers.at("text") == by_hand(s));
}

}  // namespace

TEST_CASE("a greedy search writes the words that score best") {
  check({{{3, 4, 5}}, 12});
  check({{{3, 4, 5}, {7, 1, 2}}, 14});
  check({{{0, 0, 5}, {7, 0, 2}}, 10});  // padding has no place
  check({{{3, 4, 5}, {7, 1, 2}}, 12, 0, -1, 0, 0, 1.8});
  check({{{3, 4, 5}, {7, 1, 2}}, 12, 0, -1, 0, 1, 0.7});
  check({{{3, 4, 5, 3, 4}}, 14, 0, -1, 0, 2});
  check({{{9}}, 14, 0, -1, 0, 3});
  Ints some(kWords, 1), first(2 * kWords, 0);
  some[2] = some[7] = some[11] = 0;
  first[5] = first[kWords + 8] = 1;
  check({{{3, 4}, {6, 1}}, 9, 0, -1, 0, 0, 1, some});
  check({{{3, 4}, {6, 1}}, 9, 0, -1, 0, 0, 1, some, first});
  check({{{3, 4}, {6, 1}}, 3, 0, -1, 0, 0, 1, some, first});
}

TEST_CASE("a search ends where all texts do, and not before it may") {
  int ended = 0;
  for (int64_t end = 1; end < kWords; ++end)
    for (const int64_t least : {0, 5, 9}) {
      CAPTURE(end);
      const Search s{{{3, 4, 5}, {7, 1, 2}}, 12, least, end};
      check(s);
      ended += std::ranges::count(by_hand(s), 0.0) > 8 ? 1 : 0;
    }
  CHECK(ended > 0);
  const Search as_is{{{3, 4}}, 2};  // nothing is asked for
  CHECK(run_search(as_is).numbers.at("text") == std::vector<double>{3, 4});
}

TEST_CASE("sizes that a search leaves open leave room for words") {
  OnnxMaker inner(17), m(17);
  m.opset("com.microsoft", 1)
      .input("words", {-1, -2}, kInt32)
      .input("max_length", {1}, kInt32)
      .output("text", {}, kInt32);
  m.node("GreedySearch", {"words", "max_length"}, {"text"},
         {{"decoder", &decoder(inner)}, {"eos_token_id", int64_t{-1}}, {"pad_token_id", int64_t{0}}}, "write",
         "com.microsoft");
  auto model = m.open();
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  REQUIRE(model->assumed_values.contains("max_length"));
  REQUIRE(model->free_dimensions.size() == 2);
  CHECK(model->free_dimensions[1].size < model->assumed_values.at("max_length"));
  CHECK(model->runnable());
}

TEST_CASE("searches of another form are refused in a sentence") {
  const Search s{{{3, 4}}, 6};
  OnnxMaker other(17), none(17);
  other.input("ids", {1, 1}, kInt32).output("scores").node("Identity", {"ids"}, {"scores"});
  const auto refused = [&](const std::vector<Attr>& more) {
    const Results made = run_search(s, more);
    CHECK(made.refused != "");
    CHECK(made.refused.find('\n') == std::string::npos);
  };
  refused({{"model_type", int64_t{1}}});
  OnnxMaker first(17);
  refused({{"init_decoder", &decoder(first)}});
  for (const bool given : {false, true}) {
    OnnxMaker m(17);
    m.opset("com.microsoft", 1).input("words", {1, 2}, kInt32).input("most", {1}, kInt32).output("text", {}, kInt32);
    std::vector<Attr> attributes{{"eos_token_id", int64_t{1}}, {"pad_token_id", int64_t{0}}};
    if (given) attributes.push_back({"decoder", &other});
    m.node("GreedySearch", {"words", "most"}, {"text"}, attributes, "write", "com.microsoft");
    CHECK(run_file(m, {}).refused != "");
  }
}

}  // namespace arenascope::test
