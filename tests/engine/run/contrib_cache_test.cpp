// SPDX-License-Identifier: MIT
// ONNX Runtime's operators with a KV cache or a memory, compared with formulas in double precision.
#include <algorithm>
#include <cmath>
#include <functional>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "own_operators.h"

namespace arenascope::test {
namespace {

Source whole_source(Ints sizes, const Numbers& numbers) { return {std::move(sizes), numbers, kInt32}; }
Source fixed_source(Ints sizes, const Numbers& numbers) { return {std::move(sizes), numbers, kInt32, true, true}; }

Attr text(const char* name, const char* value) { return {name, std::string(value)}; }

// The attention output of one query over the keys that it sees.
Numbers seen_by(const Numbers& q, const std::vector<Numbers>& keys, const std::vector<Numbers>& values,
                const std::function<bool(size_t)>& sees) {
  Numbers shares, out(q.size());
  double sum = 0;
  for (size_t t = 0; t < keys.size(); ++t) {
    double dot = 0;
    for (size_t d = 0; d < q.size(); ++d) dot += q[d] * keys[t][d];
    shares.push_back(sees(t) ? std::exp(dot / std::sqrt(static_cast<double>(q.size()))) : 0);
    sum += shares.back();
  }
  for (size_t t = 0; t < keys.size(); ++t)
    for (size_t d = 0; d < q.size(); ++d) out[d] += shares[t] / sum * values[t][d];
  return out;
}

Numbers row(const Numbers& x, size_t i, size_t width) {
  const auto from = x.begin() + static_cast<std::ptrdiff_t>(i * width);
  return {from, from + static_cast<std::ptrdiff_t>(width)};
}

}  // namespace

TEST_CASE("GroupQueryAttention: a sliding-window cache evicts rows when full") {
  // A window of 3 in a cache of 5: the seventh key was the last before, and it keeps 4 of 7, so two new ones leave 3 of 9.
  constexpr size_t kWidth = 8, kRoom = 5, kHeld = 4, kWindow = 3;
  const Numbers q = wave(2 * kWidth, 0.1), k = wave(2 * kWidth, 0.2), v = wave(2 * kWidth, 0.3),
                past_k = wave(kRoom * kWidth, 0.4), past_v = wave(kRoom * kWidth, 0.5);
  const Ints cache{1, 1, kRoom, kWidth}, two{1, 2, kWidth};
  const Results made = own(
      "GroupQueryAttention",
      {{two, q}, {two, k}, {two, v}, {cache, past_k}, {cache, past_v}, whole_source({1}, {8}), whole_source({1}, {9})},
      {whole("num_heads", 1), whole("kv_num_heads", 1), whole("sliding_window_cache", 1),
       whole("local_window_size", kWindow)},
      3);
  REQUIRE(made.refused == "");
  std::vector<Numbers> keys, values;
  for (size_t t = 0; t < kHeld; ++t) keys.push_back(row(past_k, t, kWidth)), values.push_back(row(past_v, t, kWidth));
  for (size_t t = 0; t < 2; ++t) keys.push_back(row(k, t, kWidth)), values.push_back(row(v, t, kWidth));
  Numbers expected;
  for (size_t s = 0; s < 2; ++s) {
    const size_t place = kHeld + s;
    const Numbers y =
        seen_by(row(q, s, kWidth), keys, values, [&](size_t t) { return t <= place && t + kWindow > place; });
    expected.insert(expected.end(), y.begin(), y.end());
  }
  check_near(made.numbers.at("y0"), expected);
  const Numbers& present = made.numbers.at("y1");
  CHECK(made.sizes.at("y1") == Dims{1, 1, kRoom, kWidth});
  Numbers kept;  // nine keys exceed five by four, which are two times three: three are left
  for (const size_t t : {3, 4, 5}) kept.insert(kept.end(), keys[t].begin(), keys[t].end());
  check_near(row(present, 0, 3 * kWidth), kept);
}

TEST_CASE("GroupQueryAttention: attention reads the 8-bit and 4-bit keys and values of the cache") {
  constexpr size_t kWidth = 8, kPast = 2;
  const Numbers q = wave(kWidth, 0.1), k = wave(kWidth, 0.2), v = wave(kWidth, 0.3);
  for (const int bits : {8, 4}) {
    CAPTURE(bits);
    const size_t each = kWidth * static_cast<size_t>(bits) / 8;
    const double scale = bits == 8 ? 0.0078125 : 0.125;
    Numbers past(kPast * each);
    for (size_t i = 0; i < past.size(); ++i)
      past[i] = bits == 8 ? static_cast<double>(i * 37 % 255) - 127 : static_cast<double>(i * 91 % 256);
    const auto number = [&](size_t t, size_t d) {
      if (bits == 8) return past[t * each + d] * scale;
      const auto byte = static_cast<int>(past[t * each + d / 2]);
      return ((d % 2 == 0 ? byte & 15 : byte >> 4) - 8) * scale;
    };
    const double most = bits == 8 ? 127 : 7;
    const auto code = [&](double x) { return std::clamp(std::nearbyint(x / scale), -most - 1, most); };
    const int type = bits == 8 ? kInt8 : kUint8;
    const Ints cache{1, 1, kPast, static_cast<int64_t>(each)}, one{1, 1, kWidth};
    const Source scales{{1}, {scale}};
    const Results made = own("GroupQueryAttention",
                             {{one, q},
                              {one, k},
                              {one, v},
                              {cache, past, type},
                              {cache, past, type},
                              whole_source({1}, {2}),
                              fixed_source({1}, {3}),
                              kNone,
                              kNone,
                              kNone,
                              kNone,
                              kNone,
                              scales,
                              scales},
                             {whole("num_heads", 1), whole("kv_num_heads", 1), text("k_quant_type", "PER_TENSOR"),
                              text("v_quant_type", "PER_TENSOR"), whole("kv_cache_bit_width", bits)},
                             3);
    REQUIRE(made.refused == "");
    std::vector<Numbers> keys(3, Numbers(kWidth)), values(3, Numbers(kWidth));
    Numbers codes;
    for (size_t d = 0; d < kWidth; ++d) {
      for (size_t t = 0; t < kPast; ++t) keys[t][d] = values[t][d] = number(t, d);
      keys[2][d] = code(k[d]) * scale, values[2][d] = code(v[d]) * scale;
      if (bits == 8) codes.push_back(code(k[d]));
      if (bits == 4 && d % 2 == 1) codes.push_back(code(k[d - 1]) + 8 + 16 * (code(k[d]) + 8));
    }
    check_near(made.numbers.at("y0"), seen_by(q, keys, values, [](size_t) { return true; }));
    Numbers present = past;
    present.insert(present.end(), codes.begin(), codes.end());
    CHECK(made.numbers.at("y1") == present);
  }
}

TEST_CASE("GroupQueryAttention: only the valid part of a padded chunk counts") {
  // Two of three rows are new, after three keys.
  constexpr size_t kWidth = 8, kRoom = 6, kPast = 3;
  const Numbers q = wave(3 * kWidth, 0.1), k = wave(3 * kWidth, 0.2), v = wave(3 * kWidth, 0.3),
                past_k = wave(kRoom * kWidth, 0.4), past_v = wave(kRoom * kWidth, 0.5);
  const Ints cache{1, 1, kRoom, kWidth}, three{1, 3, kWidth};
  std::vector<Source> sources = {{three, q},
                                 {three, k},
                                 {three, v},
                                 {cache, past_k},
                                 {cache, past_v},
                                 whole_source({1}, {4}),
                                 fixed_source({1}, {6})};
  sources.resize(16, kNone);
  sources.push_back(whole_source({1}, {2}));
  const Results made = own("GroupQueryAttention", sources, {whole("num_heads", 1), whole("kv_num_heads", 1)}, 3);
  REQUIRE(made.refused == "");
  std::vector<Numbers> keys, values;
  for (size_t t = 0; t < kPast; ++t) keys.push_back(row(past_k, t, kWidth)), values.push_back(row(past_v, t, kWidth));
  for (size_t t = 0; t < 2; ++t) keys.push_back(row(k, t, kWidth)), values.push_back(row(v, t, kWidth));
  Numbers expected, present;
  for (size_t s = 0; s < 2; ++s) {
    const Numbers y = seen_by(row(q, s, kWidth), keys, values, [&](size_t t) { return t <= kPast + s; });
    expected.insert(expected.end(), y.begin(), y.end());
  }
  for (const Numbers& key : keys) present.insert(present.end(), key.begin(), key.end());
  check_near(row(made.numbers.at("y0"), 0, 2 * kWidth), expected);
  check_near(row(made.numbers.at("y1"), 0, 5 * kWidth), present);
}

TEST_CASE("GroupQueryAttention: keys are stored in the type of the cache") {
  constexpr size_t kWidth = 8;
  const Numbers q = wave(kWidth, 0.1), k = wave(kWidth, 0.2), v = wave(kWidth, 0.3), past(kWidth, 0.5);
  constexpr int kHalf = 10;
  const Source one{{1, 1, kWidth}, q}, cache{{1, 1, 1, kWidth}, past, kHalf};
  const Results made =
      own("GroupQueryAttention",
          {one, {{1, 1, kWidth}, k}, {{1, 1, kWidth}, v}, cache, cache, whole_source({1}, {1}), fixed_source({1}, {2})},
          {whole("num_heads", 1), whole("kv_num_heads", 1)}, 3);
  REQUIRE(made.refused == "");
  check_near(made.numbers.at("y0"), seen_by(q, {past, k}, {past, v}, [](size_t) { return true; }), 1e-3);
  Numbers present = past;
  present.insert(present.end(), k.begin(), k.end());
  check_near(made.numbers.at("y1"), present, 1e-3);
}

TEST_CASE("beams: each key is read from the beam of its origin") {
  constexpr size_t kWidth = 8, kRoom = 4, kPast = 3;
  const Numbers q = wave(2 * kWidth, 0.1), k = wave(2 * kWidth, 0.2), v = wave(2 * kWidth, 0.3),
                past_k = wave(2 * kRoom * kWidth, 0.4), past_v = wave(2 * kRoom * kWidth, 0.5);
  const Numbers from{0, 1, 1, 0, 1, 0, 1, 0};  // two beams, four positions
  const Ints cache{2, 1, kRoom, kWidth}, one{2, 1, kWidth};
  const Results made = own("DecoderMaskedMultiHeadAttention",
                           {{one, q},
                            {one, k},
                            {one, v},
                            kNone,
                            kNone,
                            {cache, past_k},
                            {cache, past_v},
                            fixed_source({1}, {kPast}),
                            fixed_source({1}, {2}),
                            whole_source({1, 2, kRoom}, from)},
                           {whole("num_heads", 1), whole("past_present_share_buffer", 1)}, 3);
  REQUIRE(made.refused == "");
  Numbers expected;
  for (size_t b = 0; b < 2; ++b) {
    std::vector<Numbers> keys, values;
    for (size_t t = 0; t < kPast; ++t) {
      const size_t of = static_cast<size_t>(from[b * kRoom + t]) * kRoom + t;
      keys.push_back(row(past_k, of, kWidth)), values.push_back(row(past_v, of, kWidth));
    }
    keys.push_back(row(k, b, kWidth)), values.push_back(row(v, b, kWidth));
    const Numbers y = seen_by(row(q, b, kWidth), keys, values, [](size_t) { return true; });
    expected.insert(expected.end(), y.begin(), y.end());
  }
  check_near(made.numbers.at("y0"), expected);
}

TEST_CASE("AttnLSTM: each step attends to memory with the previous state") {
  // One unit, one sequence; the memory has two steps of one number, of which the second run sees one.
  const double x[] = {0.5, -0.3}, w[] = {0.1, 0.2, 0.3, 0.4}, seen_by_gate[] = {0.7, -0.6, 0.5, 0.9},
               r[] = {0.2, -0.1, 0.4, 0.3}, memory[] = {1.5, -2}, query = 0.8, key = 0.6, vector = 1.2;
  for (const int length : {2, 1}) {
    const double layer[] = {0.3, -0.7};  // of the state and of what is seen
    Numbers weights;
    for (size_t g = 0; g < 4; ++g) weights.push_back(w[g]), weights.push_back(seen_by_gate[g]);
    const Results made = own("AttnLSTM",
                             {{{2, 1, 1}, {x[0], x[1]}},
                              {{1, 4, 2}, weights},
                              {{1, 4, 1}, {r[0], r[1], r[2], r[3]}},
                              kNone,
                              kNone,
                              kNone,
                              kNone,
                              kNone,
                              {{1, 1, 1}, {query}},
                              {{1, 1, 1}, {key}},
                              {{1, 1}, {vector}},
                              {{1, 2, 1}, {memory[0], memory[1]}},
                              whole_source({1}, {static_cast<double>(length)}),
                              {{1, 2, 1}, {layer[0], layer[1]}}},
                             {whole("hidden_size", 1)}, 3);
    REQUIRE(made.refused == "");
    double h = 0, cell = 0, attention = 0;
    Numbers expected;
    for (const double source : x) {
      const auto gate = [&](size_t g) { return source * w[g] + attention * seen_by_gate[g] + h * r[g]; };
      const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
      const double in = sigmoid(gate(0)), out = sigmoid(gate(1)), forget = sigmoid(gate(2)), fresh = std::tanh(gate(3));
      cell = forget * cell + in * fresh, h = out * std::tanh(cell);
      expected.push_back(h);
      double sum = 0, context = 0;
      for (int t = 0; t < length; ++t) {
        const double share = std::exp(vector * std::tanh(memory[t] * key + h * query));
        sum += share, context += share * memory[t];
      }
      attention = layer[0] * h + layer[1] * context / sum;
    }
    check_near(made.numbers.at("y0"), expected);
    check_near(made.numbers.at("y2"), {cell});
  }
}

TEST_CASE("invalid caches and memories are errors") {
  const auto refused = [](const char* op, const std::vector<Source>& sources, const std::vector<Attr>& attributes) {
    CAPTURE(op);
    const Results made = own(op, sources, attributes);
    CHECK(made.refused != "");
    CHECK(made.refused.find('\n') == std::string::npos);
  };
  const Source x{{1, 1, 8}, wave(8, 0)}, cache{{1, 1, 4, 8}, wave(32, 0)},
      one = whole_source({1}, {1}), fixed = fixed_source({1}, {1}), scale{{1}, {0.1}},
      small{{1, 1, 4, 8}, Numbers(32), kInt8};
  const std::vector<Attr> heads = {whole("num_heads", 1), whole("kv_num_heads", 1)};
  const auto with = [&](std::vector<Attr> more) {
    more.insert(more.begin(), heads.begin(), heads.end());
    return more;
  };
  const auto refused_query = [&](std::vector<Attr> attributes, const Source& past, const Source& queries = kNone,
                                 const Source& scales = kNone) {
    refused("GroupQueryAttention",
            {x, x, x, past, past, one, fixed, kNone, kNone, kNone, kNone, kNone, scales, scales, kNone, kNone, queries},
            with(std::move(attributes)));
  };
  for (const int64_t window : {int64_t{-1}, int64_t{0}, int64_t{5}, int64_t{1} << 60})
    refused_query({whole("sliding_window_cache", 1), whole("local_window_size", window)}, cache);
  refused_query({whole("sliding_window_cache", 1), whole("local_window_size", 2)}, kNone);
  refused_query({}, cache, whole_source({2}, {1, 1}));
  refused("GroupQueryAttention",
          {x, x, x, cache, cache, one, Source{{1}, {-9223372036854775808.0}, kInt64, true, true}}, heads);
  refused_query({}, kNone, one);
  refused_query({whole("causal", 0)}, cache, one);
  const Attr k8 = text("k_quant_type", "PER_TENSOR"), v8 = text("v_quant_type", "PER_TENSOR");
  refused_query({k8, v8}, small, kNone, scale);
  refused_query({k8, v8, whole("kv_cache_bit_width", 5)}, small, kNone, scale);
  refused_query({k8, v8, whole("kv_cache_bit_width", 8)}, small);
  refused_query({k8, v8, whole("kv_cache_bit_width", 8)}, cache, kNone, scale);
  refused_query({k8, v8, whole("kv_cache_bit_width", 4)}, small, kNone, scale);
  refused_query({text("k_quant_type", "PER_CHANNEL"), v8, whole("kv_cache_bit_width", 8)}, small, kNone, scale);
  refused_query({text("k_quant_type", "PER_ROW"), v8, whole("kv_cache_bit_width", 8)}, small, kNone, scale);
  refused("DecoderMaskedMultiHeadAttention",
          {x, x, x, kNone, kNone, cache, cache, fixed, fixed_source({1}, {2}), kNone},
          {whole("num_heads", 1), whole("past_present_share_buffer", 1)});
  refused("MultiHeadAttention",
          {x, x, x, kNone, kNone, kNone, cache, cache, fixed, whole_source({1, 2, 4}, Numbers(8))},
          {whole("num_heads", 1)});
  const Source source{{2, 1, 1}, {1, 2}}, w{{1, 4, 2}, Numbers(8)}, r{{1, 4, 1}, Numbers(4)}, unit{{1, 1, 1}, {1}},
      vector{{1, 1}, {1}}, memory{{1, 2, 1}, {1, 2}};
  const auto lstm = [&](const Source& weight, const Source& queries, const Source& seen, const Source& lengths,
                        const Source& layer) {
    refused("AttnLSTM",
            {source, weight, r, kNone, kNone, kNone, kNone, kNone, queries, unit, vector, seen, lengths, layer},
            {whole("hidden_size", 1)});
  };
  CHECK(own("AttnLSTM", {source, w, r, kNone, kNone, kNone, kNone, kNone, unit, unit, vector, memory},
            {whole("hidden_size", 1)})
            .refused == "");
  lstm(r, unit, memory, kNone, kNone), lstm(w, vector, memory, kNone, kNone), lstm(w, unit, vector, kNone, kNone);
  lstm(w, unit, memory, whole_source({2}, {1, 1}), kNone), lstm(w, unit, memory, fixed_source({1}, {3}), kNone);
  lstm(w, unit, memory, fixed_source({1}, {0}), kNone), lstm(w, unit, memory, kNone, unit);
  lstm(w, unit, kNone, kNone, kNone);
}

}  // namespace arenascope::test
