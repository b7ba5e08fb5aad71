// SPDX-License-Identifier: MIT
// Sampling of ONNX Runtime's domain: the possible tokens and their frequencies, compared with computed probabilities.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search_decoder.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kFloat;
using models::test::kInt32;
using models::test::OnnxMaker;

constexpr int64_t kRows = 4000;

// The first words of many texts that begin alike: how often each comes.
std::vector<double> drawn(const std::vector<Attr>& more, const Ints& presence = {}) {
  OnnxMaker inner(17), m(17);
  const Search s{std::vector<Ints>(kRows, Ints{3, 4}), 3};
  SearchInputs in = add_inputs(m, s, {2, 3, 4, 5, 6}, 8);
  if (!presence.empty()) {
    m.input("presence", {kRows, kWords}, kInt32);
    in.given.push_back({"presence", {}});
    for (int64_t row = 0; row < kRows; ++row)
      in.given.back().numbers.insert(in.given.back().numbers.end(), presence.begin(), presence.end());
    in.from[7] = "presence";
  }
  m.output("text", {}, kInt32);
  std::vector<Attr> attributes{
      {"decoder", &decoder(inner)}, {"eos_token_id", int64_t{-1}}, {"pad_token_id", int64_t{0}}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  m.node("Sampling", in.from, {"text"}, attributes, "write", "com.microsoft");
  const Results made = run_file(m, in.given);
  REQUIRE(made.refused == "");
  REQUIRE(made.sizes.at("text") == Dims{kRows, 3});
  std::vector<double> out(kWords);
  for (size_t i = 2; i < made.numbers.at("text").size(); i += 3)
    out[static_cast<size_t>(made.numbers.at("text")[i])] += 1.0 / kRows;
  return out;
}

std::vector<double> chances(double temperature, const Ints& presence = {}, double penalty = 0) {
  std::vector<double> out = scores_of(4, 1, 7);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = out[i] / temperature - (presence.empty() ? 0 : penalty * static_cast<double>(presence[i]));
    out[i] = std::exp(out[i]);
  }
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& x : out) x /= sum;
  return out;
}

// The probabilities without the excluded ones; `kept` of them stay, from the best one down.
std::vector<double> without(std::vector<double> chances, size_t kept) {
  std::vector<double> sorted = chances;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  for (double& x : chances) sum += x = x >= sorted[kept - 1] ? x : 0;
  for (double& x : chances) x /= sum;
  return chances;
}

// The number of tokens that stay, from the best one down: the probabilities of the others sum to at most 1 - top_p.
size_t enough(std::vector<double> chances, double top_p, size_t least) {
  std::sort(chances.begin(), chances.end());
  size_t gone = 0;
  for (double sum = 0; gone + least < chances.size() && (sum += chances[gone]) <= 1 - top_p;) ++gone;
  return chances.size() - gone;
}

void check_alike(const std::vector<double>& made, const std::vector<double>& expected) {
  REQUIRE(made.size() == expected.size());
  for (size_t i = 0; i < made.size(); ++i) {
    CAPTURE(i);
    CHECK((made[i] > 0) <= (expected[i] > 0));
    CHECK(std::abs(made[i] - expected[i]) <= 5 * std::sqrt(expected[i] / kRows) + 1e-9);
  }
}

}  // namespace

TEST_CASE("sampling frequencies follow the probabilities") {
  check_alike(drawn({{"top_p", 1.0F}}), chances(1));
  check_alike(drawn({{"top_p", 1.0F}, {"temperature", 0.5F}}), chances(0.5));
  const size_t kept = enough(chances(2), 0.6, 1);
  REQUIRE(kept > 1);
  REQUIRE(kept < 10);
  check_alike(drawn({{"top_p", 0.6F}, {"temperature", 2.0F}, {"min_tokens_to_keep", int64_t{1}}}),
              without(chances(2), kept));
  check_alike(drawn({{"top_p", 0.0F}, {"min_tokens_to_keep", int64_t{3}}}), without(chances(1), 3));
  check_alike(drawn({{"top_p", 0.0F}, {"min_tokens_to_keep", int64_t{1}}}), without(chances(1), 1));
  // From the best one down all up to the one with which they are enough.
  std::vector<double> sorted = chances(1);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const auto both = static_cast<float>(sorted[0] + sorted[1] / 2);
  check_alike(drawn({{"top_p", both}, {"custom", int64_t{1}}}), without(chances(1), 2));
}

TEST_CASE("repeated tokens are sampled less often") {
  Ints presence(kWords, 0);
  const std::vector<double> plain = chances(1);
  presence[static_cast<size_t>(std::max_element(plain.begin(), plain.end()) - plain.begin())] = 1;
  check_alike(drawn({{"top_p", 1.0F}, {"presence_penalty", 1.5F}}, presence), chances(1, presence, 1.5));
}

TEST_CASE("invalid sampling options are an error") {
  const auto refused = [](const std::vector<Attr>& more, bool weighed = false) {
    OnnxMaker inner(17), m(17);
    const Search s{{{3, 4}}, 4};
    const SearchInputs in = add_inputs(m, s, {2, 3, 4, 5, 6}, 7);
    m.output("text", {}, kInt32);
    std::vector<std::string> made{"text"};
    if (weighed) m.output(made.emplace_back("weighed"), {}, kFloat);
    std::vector<Attr> attributes{
        {"decoder", &decoder(inner)}, {"eos_token_id", int64_t{1}}, {"pad_token_id", int64_t{0}}};
    attributes.insert(attributes.end(), more.begin(), more.end());
    m.node("Sampling", in.from, made, attributes, "write", "com.microsoft");
    const std::string why = run_file(m, in.given).refused;
    CHECK(why != "");
    CHECK(why.find('\n') == std::string::npos);
  };
  refused({{"model_type", int64_t{1}}});
  refused({{"min_tokens_to_keep", kWords}});
  refused({{"min_tokens_to_keep", int64_t{-1}}});
  refused({}, true);
}

}  // namespace arenascope::test
