// SPDX-License-Identifier: MIT
// Operators with a state over more steps than are unrolled, compared with formulas in float64.
#include <algorithm>
#include <chrono>
#include <cstring>

#include <doctest/doctest.h>

#include "own_operators.h"

namespace arenascope::test {
namespace {

constexpr int64_t kSteps = 8200;

// One unit of AttnLSTM: its weights by gate, and a memory of two numbers.
struct Seeing {
  double w[4], seen[4], r[4], query, key, vector, layer[2];
};
constexpr Seeing kBothWays[] = {
    {{0.1, 0.2, 0.3, 0.4}, {0.7, -0.6, 0.5, 0.9}, {0.2, -0.1, 0.4, 0.3}, 0.8, 0.6, 1.2, {0.3, -0.7}},
    {{-0.3, 0.5, 0.2, 0.6}, {0.4, 0.3, -0.8, 0.7}, {0.1, 0.3, -0.2, 0.5}, -0.5, 0.9, 0.7, {0.6, 0.2}}};

struct Seen {
  Numbers h;
  double cell = 0;
};

Seen follow(const Seeing& u, const Numbers& x, const Numbers& memory, bool backwards) {
  double h = 0, attention = 0;
  Seen out{Numbers(x.size())};
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t t = backwards ? x.size() - 1 - i : i;
    const auto gate = [&](size_t g) { return x[t] * u.w[g] + attention * u.seen[g] + h * u.r[g]; };
    const double in = sigmoid(gate(0)), way_out = sigmoid(gate(1)), stays = sigmoid(gate(2)),
                 fresh = std::tanh(gate(3));
    out.cell = stays * out.cell + in * fresh, h = way_out * std::tanh(out.cell);
    out.h[t] = h;
    double sum = 0, context = 0;
    for (const double m : memory) {
      const double share = std::exp(u.vector * std::tanh(m * u.key + h * u.query));
      sum += share, context += share * m;
    }
    attention = u.layer[0] * h + u.layer[1] * context / sum;
  }
  return out;
}

// The values of one direction or of both, concatenated.
template <class F>
Numbers of_ways(size_t ways, F&& numbers) {
  Numbers out;
  for (size_t d = 0; d < ways; ++d) {
    const Numbers one = numbers(kBothWays[d]);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

}  // namespace

TEST_CASE("AttnLSTM: the attention context is carried to the next step") {
  const Ints lengths{kSteps, 300};
  const Numbers x = wave(2 * kSteps, 0.4), memories[] = {{1.5, -2}, {0.5, 1}};
  for (const char* direction : {"forward", "reverse", "bidirectional"}) {
    CAPTURE(direction);
    const size_t ways = std::strcmp(direction, "bidirectional") == 0 ? 2 : 1;
    const auto d = static_cast<int64_t>(ways);
    const auto gates = [&](const double* of_gate) { return Numbers(of_gate, of_gate + 4); };
    const Numbers w = of_ways(ways, [&](const Seeing& u) {
      Numbers out;
      for (size_t g = 0; g < 4; ++g) out.push_back(u.w[g]), out.push_back(u.seen[g]);
      return out;
    });
    const Results made =
        own("AttnLSTM",
            {{{kSteps, 2, 1}, x},
             {{d, 4, 2}, w},
             {{d, 4, 1}, of_ways(ways, [&](const Seeing& u) { return gates(u.r); })},
             kNone,
             {{2}, {kSteps, 300}, kInt32},
             kNone,
             kNone,
             kNone,
             {{d, 1, 1}, of_ways(ways, [](const Seeing& u) { return Numbers{u.query}; })},
             {{d, 1, 1}, of_ways(ways, [](const Seeing& u) { return Numbers{u.key}; })},
             {{d, 1}, of_ways(ways, [](const Seeing& u) { return Numbers{u.vector}; })},
             {{2, 2, 1}, {1.5, -2, 0.5, 1}},
             kNone,
             {{d, 2, 1}, of_ways(ways, [](const Seeing& u) { return Numbers(u.layer, u.layer + 2); })}},
            {whole("hidden_size", 1), {"direction", std::string(direction)}}, 3);
    REQUIRE(made.refused == "");
    Numbers expected(static_cast<size_t>(kSteps) * ways * 2), last, cells;
    for (size_t way = 0; way < ways; ++way)
      for (size_t b = 0; b < 2; ++b) {
        Numbers own_x;
        for (size_t t = 0; t < static_cast<size_t>(lengths[b]); ++t) own_x.push_back(x[t * 2 + b]);
        const bool backwards = way == 1 || std::strcmp(direction, "reverse") == 0;
        const Seen seen = follow(kBothWays[way], own_x, memories[b], backwards);
        for (size_t t = 0; t < own_x.size(); ++t) expected[(t * ways + way) * 2 + b] = seen.h[t];
        last.push_back(backwards ? seen.h.front() : seen.h.back()), cells.push_back(seen.cell);
      }
    check_near(made.numbers.at("y0"), expected);
    check_near(made.numbers.at("y1"), last);
    check_near(made.numbers.at("y2"), cells);
  }
}

TEST_CASE("LinearAttention: all update rules over many tokens") {
  constexpr size_t kBatch = 2, kHeads = 2, kKeys = 2, kValues = 3, kTokens = kSteps;  // two queries share a key
  const int64_t rows = kTokens, queries = kHeads * kKeys, values = kValues;
  const Source q = of({2, rows, queries}, 0.2), k = of({2, rows, int64_t{kKeys}}, 1.1), v = of({2, rows, values}, 0.5),
               state = of({2, 1, int64_t{kKeys}, values}, 2.2);
  Source decay = of({2, rows, int64_t{kKeys}}, 0.3), beta = of({2, rows, 1}, 0.7);
  for (double& x : decay.numbers) x = static_cast<double>(static_cast<float>(-std::abs(x)));
  for (double& x : beta.numbers) x = static_cast<double>(static_cast<float>(0.5 + 0.4 * x));
  for (const char* rule : {"linear", "gated", "delta", "gated_delta"}) {
    CAPTURE(rule);
    const bool gated = std::strstr(rule, "gated") != nullptr, corrected = std::strstr(rule, "delta") != nullptr;
    const Results made =
        own("LinearAttention", {q, k, v, state, gated ? decay : kNone, corrected ? beta : kNone},
            {whole("q_num_heads", kHeads), whole("kv_num_heads", 1), {"update_rule", std::string(rule)}}, 2);
    REQUIRE(made.refused == "");
    Numbers expected, last = state.numbers;
    for (size_t b = 0; b < kBatch; ++b)
      for (size_t t = 0; t < kTokens; ++t) {
        double* s = &last[b * kKeys * kValues];
        const size_t token = b * kTokens + t;
        for (size_t d = 0; d < kKeys; ++d)
          for (size_t e = 0; gated && e < kValues; ++e)
            s[d * kValues + e] *= std::exp(decay.numbers[token * kKeys + d]);
        for (size_t e = 0; e < kValues; ++e) {
          double known = 0, fresh = v.numbers[token * kValues + e];
          for (size_t d = 0; d < kKeys; ++d) known += s[d * kValues + e] * k.numbers[token * kKeys + d];
          if (corrected) fresh = beta.numbers[token] * (fresh - known);
          for (size_t d = 0; d < kKeys; ++d) s[d * kValues + e] += k.numbers[token * kKeys + d] * fresh;
        }
        for (size_t h = 0; h < kHeads; ++h)
          for (size_t e = 0; e < kValues; ++e) {
            double read = 0;
            for (size_t d = 0; d < kKeys; ++d) read += s[d * kValues + e] * q.numbers[(token * kHeads + h) * kKeys + d];
            expected.push_back(read / std::sqrt(double{kKeys}));
          }
      }
    check_near(made.numbers.at("y0"), expected, 1e-4);
    check_near(made.numbers.at("y1"), last, 1e-4);
  }
}

// As one op, and with clipping as a loop.
TEST_CASE("a hundred thousand recurrence steps finish within seconds") {
  constexpr int64_t kMany = 100'000;
  const Numbers x = wave(kMany, 0.1);
  Numbers expected;
  double h = 0;
  for (const double v : x) {
    const double z = sigmoid(0.5 * v + 0.3 * h), reset = sigmoid(-0.4 * v + 0.2 * h);
    h = (1 - z) * std::tanh(0.8 * v - 0.6 * reset * h) + z * h;
    expected.push_back(h);
  }
  for (const bool clipped : {false, true}) {
    CAPTURE(clipped);
    OnnxMaker m(14);
    m.input("x", {kMany, 1, 1}).weight("w", {1, 3, 1}, Floats{0.5f, -0.4f, 0.8f}).output("y").output("h");
    m.weight("r", {1, 3, 1}, Floats{0.3f, 0.2f, -0.6f});
    std::vector<Attr> attributes{whole("hidden_size", 1)};
    if (clipped) attributes.push_back({"clip", 1e6F});
    m.node("GRU", {"x", "w", "r"}, {"y", "h"}, attributes);
    const auto begin = std::chrono::steady_clock::now();
    const Results made = run_file(m, {{"x", x}});
    REQUIRE(made.refused == "");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
    check_near(made.numbers.at("y"), expected);
    check_near(made.numbers.at("h"), {h});
  }
}

}  // namespace arenascope::test
