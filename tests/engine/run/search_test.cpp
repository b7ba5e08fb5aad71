// SPDX-License-Identifier: MIT
// ONNX Runtime's searches: text that is generated token by token, compared with a reference implementation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "search_decoder.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kInt32;
using models::test::OnnxMaker;

Results run_search(const Search& s, std::vector<Attr> more = {}, const char* op = "GreedySearch") {
  OnnxMaker inner(17), m(17);
  const SearchInputs in = add_inputs(m, s, {2, 3, 4, 5, 6}, 7);
  m.output("text", {}, kInt32);
  std::vector<Attr> attributes{{"decoder", &decoder(inner)}, {"eos_token_id", s.end}, {"pad_token_id", s.pad}};
  if (s.unlike > 0) attributes.push_back({"no_repeat_ngram_size", s.unlike});
  attributes.insert(attributes.end(), more.begin(), more.end());
  m.node(op, in.from, {"text"}, attributes, "write", "com.microsoft");
  return run_file(m, in.given);
}

// The next token of one text after `iteration` tokens.
int64_t next_word(const Search& s, const Ints& text, int64_t place, size_t who, int64_t iteration, double phase) {
  int64_t sum = 0;
  for (const int64_t word : text) sum += word;
  std::vector<double> score = scores_of(text.back(), place, sum, phase);
  weigh(s, text, who, iteration, score);
  return std::max_element(score.begin(), score.end()) - score.begin();
}

std::vector<double> reference(const Search& s, double first_phase = 0) {
  std::vector<Ints> texts = s.prompts;
  std::vector<bool> done(texts.size());
  Ints places;
  for (const Ints& text : texts) places.push_back(std::ssize(text) - std::count(text.begin(), text.end(), s.pad));
  for (int64_t iteration = 0; std::ssize(texts[0]) < s.most; ++iteration)
    for (size_t who = 0; who < texts.size(); ++who) {
      const bool is_pad = iteration == 0 && texts[who].back() == s.pad;
      const int64_t word = next_word(s, texts[who], is_pad ? 0 : places[who] - 1 + iteration, who, iteration,
                                     iteration == 0 ? first_phase : 0);
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
  CHECK(made.numbers.at("text") == reference(s));
}

}  // namespace

TEST_CASE("greedy search returns the tokens with the best scores") {
  check({{{3, 4, 5}}, 12});
  check({{{3, 4, 5}, {7, 1, 2}}, 14});
  check({{{0, 0, 5}, {7, 0, 2}}, 10});  // padding has no position
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

TEST_CASE("a search ends after all sequences, and not before min_length") {
  int ended = 0;
  for (int64_t end = 1; end < kWords; ++end)
    for (const int64_t least : {0, 5, 9}) {
      CAPTURE(end);
      const Search s{{{3, 4, 5}, {7, 1, 2}}, 12, least, end};
      check(s);
      ended += std::ranges::count(reference(s), 0.0) > 8 ? 1 : 0;
    }
  CHECK(ended > 0);
  const Search as_is{{{3, 4}}, 2};  // nothing is generated
  CHECK(run_search(as_is).numbers.at("text") == std::vector<double>{3, 4});
}

TEST_CASE("the first search iteration may use a separate decoder") {
  for (const int64_t most : {4, 9}) {
    const Search s{{{3, 4, 5}, {0, 1, 2}}, most, 0, 7};
    OnnxMaker first(17);
    const Results made = run_search(s, {{"init_decoder", &decoder(first, 2.5)}});
    REQUIRE(made.refused == "");
    CHECK(made.numbers.at("text") == reference(s, 2.5));
  }
  const Search s{{{3, 4, 5}}, 9};
  CHECK(reference(s, 2.5) != reference(s));
}

TEST_CASE("free search sizes leave capacity for generated tokens") {
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

TEST_CASE("search inputs must match the batch") {
  const auto refused = [](const Search& s, const char* name, const Ints& sizes) {
    OnnxMaker inner(17), m(17);
    SearchInputs in = add_inputs(m, s, {2, 3, 4, 5, 6}, 7);
    m.output("text", {}, kInt32);
    const std::vector<std::string> names{"least", "penalty", "vocabulary", "first", "mask"};
    const auto at = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (at < names.size()) m.input(name, sizes, at == 1 ? models::test::kFloat : kInt32), in.from[2 + at] = name;
    m.node("GreedySearch", in.from, {"text"},
           {{"decoder", &decoder(inner)}, {"eos_token_id", s.end}, {"pad_token_id", s.pad}}, "write", "com.microsoft");
    return run_file(m, in.given).refused;
  };
  const Search s{{{3, 4}, {5, 6}}, 4};
  CHECK(refused(s, "", {}) == "");
  CHECK(refused(s, "vocabulary", {kWords}) == "");
  CHECK(refused({{{3, 4, 5}}, 2}, "", {}).find("it has 3 input tokens, its maximum length is 2") != std::string::npos);
  CHECK(refused(s, "least", {2}).find("input 'least' is [2]") != std::string::npos);
  CHECK(refused(s, "penalty", {2}) != "");
  CHECK(refused(s, "vocabulary", {2, kWords}) != "");
  CHECK(refused(s, "first", {kWords}) != "");
  CHECK(refused(s, "first", {1, kWords}) != "");
  CHECK(refused(s, "mask", {2, 1}) != "");
}

TEST_CASE("unsupported searches are an error") {
  const Search s{{{3, 4}}, 6};
  OnnxMaker other(17), none(17);
  other.input("ids", {1, 1}, kInt32).output("scores").node("Identity", {"ids"}, {"scores"});
  const auto refused = [&](const std::vector<Attr>& more) {
    const Results made = run_search(s, more);
    CHECK(made.refused != "");
    CHECK(made.refused.find('\n') == std::string::npos);
  };
  refused({{"model_type", int64_t{1}}});
  refused({{"init_decoder", &other}});
  refused({{"vocab_size", kWords + 1}});
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
