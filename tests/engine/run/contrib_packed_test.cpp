// SPDX-License-Identifier: MIT
// ONNX Runtime contrib operators over packed sequences, compared with scalar loops; invalid forms are rejected.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "own_operators.h"

namespace arenascope::test {

TEST_CASE("a causal convolution reads its own sequence and its previous state") {
  constexpr size_t kChannels = 2, kTaps = 3, kDilation = 2, kBefore = 4, kTokens = 7;
  const Packed packed{{0, 5, 7}};
  const Source x = of({kTokens, kChannels}, 0.3), w = of({kChannels, 1, kTaps}, 1), bias = of({kChannels}, 2),
               state = of({2, kChannels, kBefore}, 0.6);
  Numbers expected, last, firsts;
  for (size_t s = 0; s < 2; ++s) {
    const auto at = [&](std::ptrdiff_t t, size_t c) {
      if (t >= 0) return x.numbers[(packed.start(s) + static_cast<size_t>(t)) * kChannels + c];
      return state
          .numbers[(s * kChannels + c) * kBefore + static_cast<size_t>(t + static_cast<std::ptrdiff_t>(kBefore))];
    };
    const auto length = static_cast<std::ptrdiff_t>(packed.length(s));
    for (std::ptrdiff_t t = 0; t < length; ++t)
      for (size_t c = 0; c < kChannels; ++c) {
        double y = bias.numbers[c];
        for (size_t j = 0; j < kTaps; ++j)
          y += w.numbers[c * kTaps + j] * at(t - static_cast<std::ptrdiff_t>((kTaps - 1 - j) * kDilation), c);
        expected.push_back(y * sigmoid(y));
      }
    for (size_t c = 0; c < kChannels; ++c)
      for (std::ptrdiff_t j = -4; j < 0; ++j) last.push_back(at(length + j, c));
    for (std::ptrdiff_t slot = 0; slot < 3;
         ++slot)  // one state of the first sequence is requested, more of the other than exist
      for (size_t c = 0; c < kChannels; ++c) firsts.push_back(slot < (s == 0 ? 1 : 2) ? at(slot, c) : 0);
  }
  const Results made =
      own("VarlenCausalConvWithState", {x, w, packed.source(), bias, state, Source{{2}, {1, 9}, kInt32}},
          {whole("dilation", kDilation), {"activation", std::string("silu")}, whole("state_update_capacity", 3)}, 3);
  REQUIRE(made.refused == "");
  check_near(made.numbers.at("y0"), expected);
  check_near(made.numbers.at("y1"), last);
  check_near(made.numbers.at("y2"), firsts);
}

namespace {

// Every rule over three sequences, and what each token changed.
void check_delta(const Ints& starts) {
  constexpr size_t kHeads = 2, kEvery = 4, kWidth = 3, kValues = 2, kCapacity = 2;
  const Packed packed{starts};
  const int64_t tokens = starts.back();
  const Source q = of({tokens, kHeads, kWidth}, 0.1), k = of({tokens, kHeads, kWidth}, 1.3),
               v = of({tokens, kEvery, kValues}, 2.1), decay = of({tokens, kEvery, kWidth}, 0.7),
               beta = of({tokens, kEvery}, 0.4), state = of({3, kEvery, kValues, kWidth}, 1.9),
               factor = of({kEvery}, 0.8), bias = of({kEvery}, 1.4);
  for (const char* rule : {"linear", "gated", "delta", "gated_delta"}) {
    CAPTURE(rule);
    const bool gated = std::strstr(rule, "gated") != nullptr, corrected = std::strstr(rule, "delta") != nullptr;
    const auto unit = [&](const Numbers& x, size_t t, size_t h) {
      Numbers out(x.begin() + static_cast<std::ptrdiff_t>((t * kHeads + h) * kWidth),
                  x.begin() + static_cast<std::ptrdiff_t>((t * kHeads + h + 1) * kWidth));
      double size = 0;
      for (const double e : out) size += e * e;
      for (double& e : out) e /= std::sqrt(size);
      return out;
    };
    Numbers expected(static_cast<size_t>(tokens) * kEvery * kValues), last, fades(3 * kCapacity * kEvery * kWidth),
        keys(3 * kCapacity * kHeads * kWidth), added(3 * kCapacity * kEvery * kValues);
    const size_t fade_row = gated ? kEvery * kWidth : kEvery;
    fades.resize(3 * kCapacity * fade_row);
    for (size_t s = 0; s < 3; ++s)
      for (size_t h = 0; h < kEvery; ++h) {
        Numbers own_state(state.numbers.begin() + static_cast<std::ptrdiff_t>((s * kEvery + h) * kValues * kWidth),
                          state.numbers.begin() + static_cast<std::ptrdiff_t>((s * kEvery + h + 1) * kValues * kWidth));
        for (size_t t = packed.start(s); t < packed.start(s) + packed.length(s); ++t) {
          const Numbers key = unit(k.numbers, t, h / 2), query = unit(q.numbers, t, h / 2);
          const size_t slot = t - packed.start(s);
          for (size_t d = 0; d < kWidth; ++d) {
            const double gate = std::log1p(std::exp(decay.numbers[(t * kEvery + h) * kWidth + d] + bias.numbers[h]));
            const double fade = gated ? std::exp(-std::exp(factor.numbers[h]) * gate) : 1;
            for (size_t e = 0; e < kValues; ++e) own_state[e * kWidth + d] *= fade;
            if (slot < kCapacity) fades[(s * kCapacity + slot) * fade_row + (gated ? h * kWidth + d : h)] = fade;
            if (slot < kCapacity) keys[((s * kCapacity + slot) * kHeads + h / 2) * kWidth + d] = key[d];
          }
          for (size_t e = 0; e < kValues; ++e) {
            double known = 0, read = 0;
            for (size_t d = 0; d < kWidth; ++d) known += own_state[e * kWidth + d] * key[d];
            double fresh = v.numbers[(t * kEvery + h) * kValues + e];
            if (corrected) fresh = sigmoid(beta.numbers[t * kEvery + h]) * (fresh - known);
            if (slot < kCapacity) added[((s * kCapacity + slot) * kEvery + h) * kValues + e] = fresh;
            for (size_t d = 0; d < kWidth; ++d)
              own_state[e * kWidth + d] += key[d] * fresh, read += own_state[e * kWidth + d] * query[d];
            expected[(t * kEvery + h) * kValues + e] = read / std::sqrt(double{kWidth});
          }
        }
        last.insert(last.end(), own_state.begin(), own_state.end());
      }
    Numbers updates;
    for (size_t s = 0; s < 3; ++s)
      for (const auto& [part, width] :
           {std::pair<const Numbers&, size_t>{fades, fade_row}, {keys, kHeads * kWidth}, {added, kEvery * kValues}})
        updates.insert(updates.end(), part.begin() + static_cast<std::ptrdiff_t>(s * kCapacity * width),
                       part.begin() + static_cast<std::ptrdiff_t>((s + 1) * kCapacity * width));
    const Results made = own("GatedDeltaNet",
                             {q, k, v, packed.source(), gated ? decay : kNone, corrected ? beta : kNone, state,
                              gated ? factor : kNone, gated ? bias : kNone, Source{{3}, {9, 9, 9}, kInt32}},
                             {{"update_rule", std::string(rule)},
                              {"gate_activation", std::string(gated ? "softplus" : "none")},
                              {"beta_activation", std::string("sigmoid")},
                              whole("qk_l2_norm", 1),
                              whole("state_update_capacity", kCapacity)},
                             3);
    REQUIRE(made.refused == "");
    check_near(made.numbers.at("y0"), expected);
    check_near(made.numbers.at("y1"), last);
    check_near(made.numbers.at("y2"), updates);
  }
}

}  // namespace

TEST_CASE("GatedDeltaNet: all update rules, per-sequence lengths, per-token state changes") {
  check_delta({0, 3, 3, 5});
}

TEST_CASE("GatedDeltaNet: more tokens than the unroll limit run as a loop") {
  check_delta({0, 8200, 8200, 8503});
  check_delta({0, 8193, 2 * 8193, 3 * 8193});
}

TEST_CASE("GatedDeltaNet: epsilon of a short vector's norm, state sizes given by one input") {
  // A query, a key and a value of one element each, concatenated; without decay.
  const Source packed{{1, 3}, {1e-3, 1, 2}}, state{{1, 1, 1, 1}, {3}}, none{{1}, {0}}, closed{{1, 1}, {-40}};
  const Attr gated{"update_rule", std::string("gated")}, unit = whole("qk_l2_norm", 1);
  const Results plain =
      own("GatedDeltaNet", {packed, kNone, kNone, kNone, Source{{1, 1}, {0}}, kNone, state}, {gated, unit}, 2);
  const Results bounded = own("GatedDeltaNet", {packed, kNone, kNone, kNone, closed, kNone, state, none, none},
                              {gated, unit, {"gate_activation", std::string("kda")}}, 2);
  REQUIRE(plain.refused == "");
  REQUIRE(bounded.refused == "");
  check_near(plain.numbers.at("y0"), {5});
  check_near(plain.numbers.at("y1"), {5});
  check_near(bounded.numbers.at("y0"), {5 * std::sqrt(0.5)});
}

TEST_CASE("invalid packed sequences are errors") {
  const auto refused = [](const char* op, const std::vector<Source>& sources, const std::vector<Attr>& attributes = {},
                          size_t results = 1) {
    CAPTURE(op);
    const std::string why = own(op, sources, attributes, results).refused;
    CHECK(why != "");
    CHECK(why.size() < 400);
  };
  const Source x = of({2, 4}, 0), four = of({1, 2, 2, 4}, 0), whole_numbers{{2}, {1, 2}, kInt32},
               starts{{2}, {0, 2}, kInt32};
  const Source kernel = of({4, 1, 2}, 0), held = of({1, 4, 1}, 0);
  CHECK(own("VarlenCausalConvWithState", {x, kernel, starts, kNone, held}, {}, 2).refused == "");
  refused("VarlenCausalConvWithState", {x, kernel, starts, kNone, x}, {}, 2),
      refused("VarlenCausalConvWithState", {x, x, starts, kNone, held});
  refused("VarlenCausalConvWithState", {x, kernel, starts, x, held}),
      refused("VarlenCausalConvWithState", {x, kernel, starts, kNone, held}, {}, 3);
  refused("VarlenCausalConvWithState", {x, kernel, starts, kNone, held, whole_numbers}),
      refused("VarlenCausalConvWithState", {x, kernel, starts, kNone, held, kNone, x, x});
  refused("VarlenCausalConvWithState", {x, kernel, starts, kNone, held}, {{"activation", std::string("tanh")}});
  for (const int64_t n : {int64_t{0}, int64_t{-3}, int64_t{1} << 62})
    refused("VarlenCausalConvWithState", {x, kernel, starts, kNone, held}, {whole("dilation", n)});
  for (const int64_t n : {int64_t{9}, int64_t{-1}, int64_t{1} << 62})
    refused("VarlenCausalConvWithState", {x, kernel, starts, kNone, held, whole_numbers},
            {whole("state_update_capacity", n)});
  const Source q = of({2, 1, 2}, 0), state = of({1, 1, 2, 2}, 0);
  const Attr linear{"update_rule", std::string("linear")};
  CHECK(own("GatedDeltaNet", {q, q, q, starts, kNone, kNone, state}, {linear}, 2).refused == "");
  refused("GatedDeltaNet", {q, q, q, starts, kNone, kNone, state}),
      refused("GatedDeltaNet", {q, q, kNone, starts, kNone, kNone, state}, {linear});
  refused("GatedDeltaNet", {q, q, q}, {linear}), refused("GatedDeltaNet", {x}, {linear}),
      refused("GatedDeltaNet", {x, kNone, kNone, kNone, kNone, kNone, q}, {linear});
  refused("GatedDeltaNet", {of({2, 5}, 0), kNone, kNone, kNone, kNone, kNone, state}, {linear}),
      refused("GatedDeltaNet", {q, q, x, starts}, {linear});
  refused("GatedDeltaNet", {q, q, q, Source{{2}, {0, 3}, kInt32}, kNone, kNone, state}, {linear}),
      refused("GatedDeltaNet", {four, four, four, starts}, {linear});
  refused("GatedDeltaNet", {q, q, q, starts, kNone, kNone, x}, {linear}),
      refused("GatedDeltaNet", {q, q, q, starts, kNone, kNone, state}, {{"update_rule", std::string("other")}});
  refused("GatedDeltaNet", {q, q, q, starts, of({2, 1}, 0), kNone, state},
          {{"update_rule", std::string("gated")}, {"gate_activation", std::string("kda")}});
  refused("GatedDeltaNet", {q, q, q, starts, x, kNone, state}, {{"update_rule", std::string("gated")}});
  refused("GatedDeltaNet", {q, q, q, starts, kNone, x, state}, {{"update_rule", std::string("delta")}});
}

TEST_CASE("inputs of any shape and type crash none of these operators") {
  const char* const kOps[] = {
      "VarlenCausalConvWithState", "GatedDeltaNet", "SkipLayerNormalization", "QuickGelu", "MultiHeadAttention",
      "GroupQueryAttention",       "MatMulNBits"};
  const Ints kShapes[] = {{},     {0},       {1},       {2},          {3},          {2, 2},
                          {0, 2}, {1, 2, 2}, {2, 1, 2}, {1, 2, 2, 2}, {2, 0, 2, 2}, {1, 1, 2, 2, 2}};
  constexpr int kTypes[] = {kFloat, kFloat, kFloat, kInt32, kInt32, kInt64, kUint8, kDouble};
  uint64_t seed = 11;
  const auto draw = [&](size_t below) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return static_cast<size_t>(seed >> 33) % below;
  };
  int ran = 0;
  for (int round = 0; round < 40; ++round)
    for (const char* op : kOps) {
      CAPTURE(op);
      CAPTURE(round);
      std::vector<Source> sources;
      for (size_t i = 0, count = 1 + draw(11); i < count; ++i) {
        if (i > 0 && draw(4) == 0) {
          sources.push_back(kNone);
          continue;
        }
        Source source{kShapes[draw(std::size(kShapes))], {}, kTypes[draw(std::size(kTypes))]};
        size_t elements = 1;
        for (const int64_t size : source.sizes) elements *= static_cast<size_t>(size);
        for (size_t e = 0; e < elements; ++e) source.numbers.push_back(static_cast<double>(draw(4)) - 1);
        sources.push_back(source);
      }
      std::vector<Attr> attributes;
      for (const char* name :
           {"num_heads", "kv_num_heads", "K", "N", "bits", "block_size", "dilation", "state_update_capacity"})
        if (draw(2) == 0) attributes.push_back(whole(name, static_cast<int64_t>(draw(5)) - 1));
      if (draw(2) == 0) attributes.push_back({"update_rule", std::string("linear")});
      ran += own(op, sources, attributes, 1 + draw(3)).refused.empty() ? 1 : 0;
    }
  CHECK(ran > 0);
}

}  // namespace arenascope::test
