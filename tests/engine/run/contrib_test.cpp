// SPDX-License-Identifier: MIT
// ONNX Runtime contrib operators, compared with formulas in double precision; unsupported forms are rejected.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "own_operators.h"

namespace arenascope::test {
namespace {

using models::test::kBool;

Floats floats(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }
std::string bytes(size_t count, unsigned start, unsigned step) {
  std::string out(count, '\0');
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<char>((start + step * i + i * i % 7) & 255U);
  return out;
}
int code(const std::string& packed, size_t i, int bits) {
  const size_t at = i * static_cast<size_t>(bits);
  return static_cast<unsigned char>(packed[at / 8]) >> (at % 8) & ((1 << bits) - 1);
}

// One head's attention: q [S, D], k and v [T, D]; `bias` of query and key is added, one that is very low hides; a sink.
struct Head {
  Numbers q, k, v;
  size_t width;
  double scale;
};
template <class Bias>
Numbers attended(const Head& h, Bias&& bias, double sink = -1e300) {
  const size_t queries = h.q.size() / h.width, keys = h.k.size() / h.width;
  Numbers out;
  for (size_t s = 0; s < queries; ++s) {
    Numbers shares(keys);
    double most = sink, sum = 0;
    for (size_t t = 0; t < keys; ++t) {
      double dot = 0;
      for (size_t d = 0; d < h.width; ++d) dot += h.q[s * h.width + d] * h.k[t * h.width + d];
      shares[t] = bias(s, t, dot * h.scale), most = std::max(most, shares[t]);
    }
    for (double& share : shares) share = std::exp(share - most), sum += share;
    sum += std::exp(sink - most);
    for (size_t d = 0; d < h.width; ++d) {
      double y = 0;
      for (size_t t = 0; t < keys; ++t) y += shares[t] / sum * h.v[t * h.width + d];
      out.push_back(y);
    }
  }
  return out;
}

// Rows [from, to) of head `head` of [B, S, H·D].
Numbers rows_of(const Numbers& x, size_t batch, size_t steps, size_t heads, size_t width, size_t head) {
  Numbers out;
  for (size_t s = 0; s < steps; ++s)
    for (size_t d = 0; d < width; ++d) out.push_back(x[((batch * steps + s) * heads + head) * width + d]);
  return out;
}

}  // namespace

TEST_CASE("low-bit weights: all widths, zero points, a bias, rows that end within a block") {
  struct Case {
    int bits;
    size_t depth, block;
    int zeros;  // 0: none, 1: packed, 2: floats
    int64_t level;
    double bound;
  };
  constexpr size_t kRows = 5;
  for (const Case& t : {Case{4, 64, 32, 0, 1, 1e-5}, Case{4, 64, 32, 1, 0, 0.02}, Case{4, 128, 64, 2, 4, 0.02},
                        Case{4, 40, 32, 1, 0, 1e-5}, Case{4, 48, 16, 1, 0, 1e-5}, Case{2, 64, 32, 1, 0, 0.02},
                        Case{8, 96, 32, 1, 0, 0.02}, Case{8, 64, 32, 0, 1, 1e-5}}) {
    CAPTURE(t.bits);
    CAPTURE(t.depth);
    CAPTURE(t.zeros);
    const size_t blocks = (t.depth + t.block - 1) / t.block, blob = t.block * static_cast<size_t>(t.bits) / 8;
    const size_t zero_row = (blocks * static_cast<size_t>(t.bits) + 7) / 8;
    const std::string codes = bytes(kRows * blocks * blob, 17, 91), packed = bytes(kRows * zero_row, 3, 57);
    Floats scales, zeros;
    for (size_t i = 0; i < kRows * blocks; ++i)
      scales.push_back(0.01F * static_cast<float>(i % 5 + 1)), zeros.push_back(0.5F * static_cast<float>(i));
    const Numbers x = wave(2 * t.depth, 0.1), bias = wave(kRows, 2);
    OnnxMaker m(21);
    const auto n = [](size_t v) { return static_cast<int64_t>(v); };
    m.opset(kOwn, 1).input("x", {2, n(t.depth)}).output("y");
    m.raw_weight("w", {kRows, n(blocks), n(blob)}, codes, kUint8).weight("s", {kRows, n(blocks)}, scales);
    m.raw_weight("z", {kRows, n(zero_row)}, packed, kUint8).weight("f", {kRows, n(blocks)}, zeros);
    m.weight("b", {kRows}, floats(bias));
    m.node("MatMulNBits",
           {"x", "w", "s",
            t.zeros == 0   ? ""
            : t.zeros == 1 ? "z"
                           : "f",
            "", "b"},
           {"y"},
           {whole("K", n(t.depth)), whole("N", kRows), whole("bits", t.bits), whole("block_size", n(t.block)),
            whole("accuracy_level", t.level)},
           "", kOwn);
    const Results made = run_file(m, {{"x", x}});
    REQUIRE(made.refused == "");
    Numbers expected;
    for (size_t r = 0; r < 2; ++r)
      for (size_t row = 0; row < kRows; ++row) {
        double y = bias[row];
        for (size_t k = 0; k < t.depth; ++k) {
          const size_t block = k / t.block, at = row * blocks + block;
          const double zero = t.zeros == 0   ? 1 << (t.bits - 1)
                              : t.zeros == 1 ? code(packed.substr(row * zero_row, zero_row), block, t.bits)
                                             : static_cast<double>(zeros[at]);
          const int q = code(codes.substr(at * blob, blob), k % t.block, t.bits);
          y += x[r * t.depth + k] * (q - zero) * static_cast<double>(scales[at]);
        }
        expected.push_back(y);
      }
    check_near(made.numbers.at("y"), expected, t.bound);
  }
}

TEST_CASE("g_idx of computed weights selects their blocks") {
  const std::string codes = bytes(2 * 2 * 8, 5, 77);
  Numbers numbers(codes.size()), groups, x = wave(32, 0.3), expected;
  for (size_t i = 0; i < codes.size(); ++i) numbers[i] = static_cast<unsigned char>(codes[i]);
  for (size_t k = 0; k < 32; ++k) groups.push_back(k % 3 == 0 ? 1 : 0);
  const double scales[] = {0.5, 0.25, 1, 2};
  for (size_t row = 0; row < 2; ++row) {
    double y = 0;
    for (size_t k = 0; k < 32; ++k)
      y += x[k] * (code(codes.substr(row * 16, 16), k, 4) - 8) * scales[row * 2 + static_cast<size_t>(groups[k])];
    expected.push_back(y);
  }
  const Results made = own("MatMulNBits",
                           {Source{{1, 32}, x}, Source{{2, 2, 8}, numbers, kUint8}, Source{{4}, {0.5, 0.25, 1, 2}},
                            kNone, Source{{32}, groups, kInt32}},
                           {whole("K", 32), whole("N", 2), whole("bits", 4), whole("block_size", 16)});
  REQUIRE(made.refused == "");
  check_near(made.numbers.at("y0"), expected);
}

TEST_CASE("rows of low-bit weights are gathered") {
  const std::string codes = bytes(4 * 16, 5, 77), zeros = bytes(4, 2, 31);
  OnnxMaker m(21);
  m.opset(kOwn, 1).input("i", {3}, kInt64).output("y");
  m.raw_weight("w", {4, 16}, codes, kUint8).weight("s", {4, 2}, Floats{1, 2, 3, 4, 5, 6, 7, 8});
  m.raw_weight("z", {4, 1}, zeros, kUint8);
  m.node("GatherBlockQuantized", {"w", "i", "s", "z"}, {"y"}, {whole("block_size", 16), whole("quantize_axis", 1)}, "",
         kOwn);
  const Results made = run_file(m, {{"i", {2, 0, 3}}});
  REQUIRE(made.refused == "");
  Numbers expected;
  for (const size_t row : {2, 0, 3})
    for (size_t k = 0; k < 32; ++k)
      expected.push_back((code(codes.substr(row * 16, 16), k, 4) - code(zeros.substr(row, 1), k / 16, 4)) *
                         static_cast<double>(row * 2 + k / 16 + 1));
  check_near(made.numbers.at("y"), expected);
}

TEST_CASE("GroupQueryAttention: per-sequence past, rotary embedding, a window and a sink") {
  constexpr size_t kBatch = 2, kHeads = 4, kGroups = 2, kWidth = 8, kPast = 5, kTotal = 6, kWindow = 4;
  const size_t past_of[kBatch] = {5, 3};
  const Numbers q = wave(kBatch * kHeads * kWidth, 0.3), k = wave(kBatch * kGroups * kWidth, 1.1),
                v = wave(kBatch * kGroups * kWidth, 2.2), sink = wave(kHeads, 0.9),
                past_k = wave(kBatch * kGroups * kPast * kWidth, 0.5),
                past_v = wave(kBatch * kGroups * kPast * kWidth, 1.5);
  Numbers cosine, sine;
  for (size_t i = 0; i < kTotal * kWidth / 2; ++i)
    cosine.push_back(std::cos(0.2 * static_cast<double>(i))), sine.push_back(std::sin(0.2 * static_cast<double>(i)));
  const int64_t row = kHeads * kWidth, kv_row = kGroups * kWidth;
  const Source past_key{{kBatch, kGroups, kPast, kWidth}, past_k}, past_value{{kBatch, kGroups, kPast, kWidth}, past_v};
  OnnxMaker m(21);
  m.opset(kOwn, 1).output("y").output("pk").output("pv");
  m.input("q", {kBatch, 1, row}).input("k", {kBatch, 1, kv_row}).input("v", {kBatch, 1, kv_row});
  m.input("pk0", past_key.sizes).input("pv0", past_key.sizes).input("lengths", {kBatch}, kInt32);
  m.weight("total64", {}, Ints{kTotal}).node("Cast", {"total64"}, {"total"}, {whole("to", kInt32)});
  m.weight("cos", {kTotal, kWidth / 2}, floats(cosine)).weight("sin", {kTotal, kWidth / 2}, floats(sine));
  m.weight("sink", {kHeads}, floats(sink));
  m.node("GroupQueryAttention", {"q", "k", "v", "pk0", "pv0", "lengths", "total", "cos", "sin", "", "", "sink"},
         {"y", "pk", "pv"},
         {whole("num_heads", kHeads), whole("kv_num_heads", kGroups), whole("do_rotary", 1),
          whole("local_window_size", kWindow)},
         "", kOwn);
  const Results made =
      run_file(m, {{"q", q}, {"k", k}, {"v", v}, {"pk0", past_k}, {"pv0", past_v}, {"lengths", {5, 3}}});
  REQUIRE(made.refused == "");
  const auto turned = [&](Numbers x, size_t place) {
    for (size_t d = 0; d < kWidth / 2; ++d) {
      const double c = cosine[place * kWidth / 2 + d], s = sine[place * kWidth / 2 + d], a = x[d],
                   b = x[d + kWidth / 2];
      x[d] = a * c - b * s, x[d + kWidth / 2] = a * s + b * c;
    }
    return x;
  };
  Numbers expected;
  for (size_t b = 0; b < kBatch; ++b)
    for (size_t h = 0; h < kHeads; ++h) {
      const size_t g = h / (kHeads / kGroups), before = past_of[b];
      const auto with_past = [&](const Numbers& past, const Numbers& fresh) {
        const auto from = past.begin() + static_cast<std::ptrdiff_t>((b * kGroups + g) * kPast * kWidth);
        Numbers all(from, from + static_cast<std::ptrdiff_t>(before * kWidth));
        all.insert(all.end(), fresh.begin(), fresh.end());
        return all;
      };
      const Head head{turned(rows_of(q, b, 1, kHeads, kWidth, h), before),
                      with_past(past_k, turned(rows_of(k, b, 1, kGroups, kWidth, g), before)),
                      with_past(past_v, rows_of(v, b, 1, kGroups, kWidth, g)), kWidth, 1 / std::sqrt(double{kWidth})};
      const Numbers y = attended(
          head, [&](size_t, size_t t, double score) { return t + kWindow > before ? score : -1e300; }, sink[h]);
      expected.insert(expected.end(), y.begin(), y.end());
    }
  check_near(made.numbers.at("y"), expected);
  CHECK(made.sizes.at("pk") == Dims{kBatch, kGroups, kTotal, kWidth});
}

TEST_CASE("MultiHeadAttention: past, bias, padding and causal mask") {
  constexpr size_t kBatch = 2, kHeads = 2, kWidth = 4, kPast = 2, kSteps = 3, kKeys = 5;
  const int64_t row = kHeads * kWidth;
  const Source q{{kBatch, kSteps, row}, wave(kBatch * kSteps * 8, 0.3)},
      k{{kBatch, kSteps, row}, wave(kBatch * kSteps * 8, 1)}, v{{kBatch, kSteps, row}, wave(kBatch * kSteps * 8, 2)},
      bias{{3 * row}, wave(24, 0.4)}, mask{{kBatch, kKeys}, {1, 0, 1, 1, 1, 1, 1, 0, 1, 1}, kInt32},
      past_k{{kBatch, kHeads, kPast, kWidth}, wave(32, 0.6)}, past_v{{kBatch, kHeads, kPast, kWidth}, wave(32, 1.6)};
  const Results made = own("MultiHeadAttention", {q, k, v, bias, mask, kNone, past_k, past_v},
                           {whole("num_heads", kHeads), whole("unidirectional", 1)}, 3);
  REQUIRE(made.refused == "");
  Numbers expected;
  for (size_t b = 0; b < kBatch; ++b) {
    std::vector<Numbers> heads;
    for (size_t h = 0; h < kHeads; ++h) {
      const auto biased = [&](const Numbers& x, size_t part) {
        Numbers rows = rows_of(x, b, kSteps, kHeads, kWidth, h);
        for (size_t i = 0; i < rows.size(); ++i) rows[i] += bias.numbers[part * 8 + h * kWidth + i % kWidth];
        return rows;
      };
      const auto after_past = [&](const Numbers& past, Numbers rows) {
        const auto from = past.begin() + static_cast<std::ptrdiff_t>((b * kHeads + h) * kPast * kWidth);
        rows.insert(rows.begin(), from, from + static_cast<std::ptrdiff_t>(kPast * kWidth));
        return rows;
      };
      heads.push_back(attended({biased(q.numbers, 0), after_past(past_k.numbers, biased(k.numbers, 1)),
                                after_past(past_v.numbers, biased(v.numbers, 2)), kWidth, 0.5},
                               [&](size_t s, size_t t, double score) {
                                 return t > s + kPast ? -1e300
                                                      : score + (mask.numbers[b * kKeys + t] != 0.0 ? 0 : -10000);
                               }));
    }
    for (size_t s = 0; s < kSteps; ++s)
      for (const Numbers& head : heads)
        expected.insert(expected.end(), head.begin() + static_cast<std::ptrdiff_t>(s * kWidth),
                        head.begin() + static_cast<std::ptrdiff_t>((s + 1) * kWidth));
  }
  check_near(made.numbers.at("y0"), expected);
  CHECK(made.sizes.at("y1") == Dims{kBatch, kHeads, kKeys, kWidth});
}

// Numbers of ONNX Runtime 1.32.
TEST_CASE("MultiHeadAttention: a past may be shorter than the run, or empty") {
  const Numbers q{.5, -1, .25, 1, -.5, .75}, k{1, .5, -.5, .25, .75, -1}, v{1, 2, 3, 4, 5, 6};
  for (const int64_t past : {1, 0}) {
    CAPTURE(past);
    OnnxMaker m(17);
    m.opset("com.microsoft", 1).input("q", {1, 3, 2}).input("k", {1, 3, 2}).input("v", {1, 3, 2});
    m.input("pk", {1, 1, past, 2}).input("pv", {1, 1, past, 2}).output("y").output("k2").output("v2");
    m.node("MultiHeadAttention", {"q", "k", "v", "", "", "", "pk", "pv"}, {"y", "k2", "v2"},
           {{"num_heads", int64_t{1}}}, "", "com.microsoft");
    const Numbers past_k = past == 0 ? Numbers() : Numbers{.25, -.75}, past_v = past == 0 ? Numbers() : Numbers{-1, -2};
    const Results made = run_file(m, {{"q", q}, {"k", k}, {"v", v}, {"pk", past_k}, {"pv", past_v}});
    REQUIRE(made.refused == "");
    check_near(made.numbers.at("y"),
               past == 0 ? Numbers{3.75650930, 4.75650930, 2.32246675, 3.32246675, 2.65995288, 3.65995288}
                         : Numbers{2.33282042, 2.73419285, 1.80776262, 2.49793029, 1.98691046, 2.61912298});
    Numbers all = past_v;
    all.insert(all.end(), v.begin(), v.end());
    CHECK(made.numbers.at("v2") == all);
  }
}

TEST_CASE("SkipLayerNormalization returns the sums too") {
  const Source x{{2, 4}, wave(8, 0.2)}, skip{{2, 4}, wave(8, 1.2)}, scale{{4}, {1, 2, 3, 4}};
  const Results made = own("SkipSimplifiedLayerNormalization", {x, skip, scale}, {{"epsilon", 1e-5F}});
  REQUIRE(made.refused == "");
  Numbers expected;
  for (size_t r = 0; r < 2; ++r) {
    double square = 0;
    const auto sum = [&](size_t i) { return x.numbers[r * 4 + i] + skip.numbers[r * 4 + i]; };
    for (size_t i = 0; i < 4; ++i) square += sum(i) * sum(i) / 4;
    for (size_t i = 0; i < 4; ++i) expected.push_back(sum(i) / std::sqrt(square + 1e-5) * scale.numbers[i]);
  }
  check_near(made.numbers.at("y0"), expected);
  OnnxMaker m(21);
  m.opset(kOwn, 1).input("x", {1, 2}).output("y").output("sum").weight("w", {2}, Floats{1, 1});
  m.node("SkipLayerNormalization", {"x", "w", "w", "w", "w"}, {"y", "", "", "sum"}, {}, "", kOwn);
  const Results sums = run_file(m, {{"x", {3, 5}}});
  check_near(sums.numbers.at("sum"), {5, 7});
  check_near(sums.numbers.at("y"), {0, 2});
}

TEST_CASE("quantised operators dequantise, compute and requantise") {
  const Source a{{3}, {130, 120, 255}, kUint8}, b{{3}, {128, 140, 255}, kUint8}, tenth{{}, {0.1}},
      middle{{}, {128}, kUint8};
  const auto one = [&](const char* op, const std::vector<Source>& sources, const std::vector<Attr>& attributes = {}) {
    const Results made = own(op, sources, attributes);
    CHECK(made.refused == "");
    return made.refused.empty() ? made.numbers.at("y0") : Numbers();
  };
  CHECK(one("QLinearAdd", {a, tenth, middle, b, tenth, middle, tenth, middle}) == Numbers{130, 132, 255});
  CHECK(one("QLinearMul", {a, tenth, middle, b, tenth, middle, tenth, middle}) == Numbers{128, 118, 255});
  CHECK(one("QLinearConcat", {tenth, middle, a, Source{{}, {0.2}}, middle, b, tenth, middle}, {whole("axis", 0)}) ==
        Numbers{132, 112, 255, 128, 140, 255});
  const Source rows{{1, 2}, {3, 5}, kUint8}, columns{{2, 2}, {1, 2, 3, 4}, kInt8}, zero{{}, {1}, kUint8},
      none{{}, {0}, kInt8};
  const Source half{{}, {0.5}}, added{{2}, {10, 20}, kInt32};
  // (2, 4) times the matrix, plus the addend, in quarters.
  CHECK(one("QGemm", {rows, half, zero, columns, half, none, added}) == Numbers{6, 10});
  CHECK(one("QGemm", {rows, half, zero, columns, half, none, added}, {whole("transB", 1)}) == Numbers{5, 10.5});
  CHECK(one("MatMulIntegerToFloat", {rows, columns, half, half, zero, none}) == Numbers{3.5, 5});
  CHECK(one("MulInteger", {rows, zero, rows, zero}) == Numbers{4, 16});
  const Source dynamic{{1, 2}, {0, 255}};
  CHECK(one("DynamicQuantizeMatMul", {dynamic, columns, half, none}) == Numbers{382.5, 510});
}

namespace {

// To u8 between the smallest and the largest number, 0 included, and back.
Numbers rounded_to_bytes(Numbers x) {
  const double low = std::min(0.0, *std::min_element(x.begin(), x.end()));
  const double high = std::max(0.0, *std::max_element(x.begin(), x.end()));
  const double scale = high > low ? (high - low) / 255 : 1, zero = std::nearbyint(-low / scale);
  for (double& v : x) v = (std::clamp(std::nearbyint(v / scale) + zero, 0.0, 255.0) - zero) * scale;
  return x;
}

// Forward states of an LSTM over steps of `in` numbers each, with weights [in, 4·h] and [h, 4·h].
Numbers lstm_states(const Numbers& x, size_t in, const Numbers& w, const Numbers& r, size_t h, bool rounds) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  Numbers state(h, 0), cell(h, 0), out;
  const Numbers read = rounds ? rounded_to_bytes(x) : x;
  for (size_t t = 0; t < x.size() / in; ++t) {
    const Numbers before = rounds ? rounded_to_bytes(state) : state;
    Numbers gates(4 * h, 0);
    for (size_t g = 0; g < 4 * h; ++g) {
      for (size_t i = 0; i < in; ++i) gates[g] += read[t * in + i] * w[i * 4 * h + g];
      for (size_t i = 0; i < h; ++i) gates[g] += before[i] * r[i * 4 * h + g];
    }
    for (size_t i = 0; i < h; ++i) {
      cell[i] = sigmoid(gates[2 * h + i]) * cell[i] + sigmoid(gates[i]) * std::tanh(gates[3 * h + i]);
      state[i] = sigmoid(gates[h + i]) * std::tanh(cell[i]);
    }
    out.insert(out.end(), state.begin(), state.end());
  }
  return out;
}

}  // namespace

TEST_CASE("DynamicQuantizeLSTM rounds X and the state of each step to 8 bits") {
  constexpr size_t kSteps = 6, kIn = 3, kHidden = 2;
  const Numbers x = wave(kSteps * kIn, 0.3, 2);
  Numbers w, r;
  for (size_t i = 0; i < kIn * 4 * kHidden; ++i) w.push_back(std::nearbyint(100 * std::sin(1.3 * double(i))));
  for (size_t i = 0; i < kHidden * 4 * kHidden; ++i) r.push_back(std::nearbyint(100 * std::cos(0.9 * double(i))));
  const auto packed = [](const Numbers& of) {
    std::string out;
    for (const double v : of) out += static_cast<char>(static_cast<int8_t>(v));
    return out;
  };
  const auto states = [&](const std::vector<Attr>& more) {
    OnnxMaker m(21);
    m.opset(kOwn, 1).input("x", {kSteps, 1, kIn}).output("y");
    m.raw_weight("w", {1, kIn, 4 * kHidden}, packed(w), kInt8)
        .raw_weight("r", {1, kHidden, 4 * kHidden}, packed(r), kInt8);
    m.weight("s", {1}, Floats{0.02F}).raw_weight("z", {1}, std::string(1, '\0'), kInt8);
    std::vector<Attr> attributes{{"hidden_size", static_cast<int64_t>(kHidden)}};
    attributes.insert(attributes.end(), more.begin(), more.end());
    m.node("DynamicQuantizeLSTM", {"x", "w", "r", "", "", "", "", "", "s", "z", "s", "z"}, {"y"}, attributes, "", kOwn);
    const Results made = run_file(m, {{"x", x}});
    CHECK(made.refused == "");
    return made.refused.empty() ? made.numbers.at("y") : Numbers();
  };
  Numbers w_real = w, r_real = r;
  for (Numbers* of : {&w_real, &r_real})
    for (double& v : *of) v *= static_cast<double>(0.02F);
  const Numbers expected = lstm_states(x, kIn, w_real, r_real, kHidden, true);
  const Numbers plain = lstm_states(x, kIn, w_real, r_real, kHidden, false);
  check_near(states({}), expected, 1e-5);
  check_near(states({{"clip", 1e6F}}), expected, 1e-5);  // unrolled
  double apart = 0;
  for (size_t i = 0; i < plain.size(); ++i) apart = std::max(apart, std::abs(plain[i] - expected[i]));
  CHECK(apart > 1e-3);  // a missing rounding of activations would be detected
}

TEST_CASE("a scale of one element applies to all channels for every axis") {
  OnnxMaker m(13);
  m.input("x", {3}, kInt32).output("y").weight("s", {1}, Floats{0.5F}).node("DequantizeLinear", {"x", "s"}, {"y"});
  const Results made = run_file(m, {{"x", {2, 4, -6}}});
  CHECK(made.refused == "");
  if (made.refused.empty()) CHECK(made.numbers.at("y") == Numbers{1, 2, -3});
}

TEST_CASE("fused matmuls and convolutions of optimised files") {
  const Source a{{2, 3}, {1, 2, 3, 4, 5, 6}}, b{{2, 2}, {1, 0, 0, 2}};
  check_near(own("FusedMatMul", {a, b}, {whole("transA", 1), {"alpha", 0.5F}}).numbers.at("y0"),
             {0.5, 4, 1, 5, 1.5, 6});
  const Source batch{{2, 2, 1}, {1, 2, 3, 4}};  // two rows of two matrices of one column
  const Results product = own("FusedMatMul", {batch, Source{{2, 1, 1}, {10, 100}}}, {whole("transBatchA", 1)});
  check_near(product.numbers.at("y0"), {10, 30, 200, 400});
  CHECK(product.sizes.at("y0") == Dims{2, 2, 1});
  const Source x{{1, 1, 2, 2}, {1, -2, 3, -4}}, w{{1, 1, 1, 1}, {2}}, shift{{1}, {1}};
  check_near(
      own("FusedConv", {x, w, shift, x}, {{"activation", std::string("Clip")}, {"activation_params", Floats{-3, 5}}})
          .numbers.at("y0"),
      {4, -3, 5, -3});
  check_near(own("NhwcFusedConv", {Source{{1, 1, 2, 1}, {1, -2}}, w, kNone}, {{"activation", std::string("Relu")}})
                 .numbers.at("y0"),
             {2, 0});
  check_near(own("FusedGemm", {b, b, kNone},
                 {{"activation", std::string("LeakyRelu")}, {"activation_alpha", 0.1F}, {"alpha", -1.0F}})
                 .numbers.at("y0"),
             {-0.1, 0, 0, -0.4});
}

TEST_CASE("MoE routes rows to the selected experts") {
  const Source x{{2, 2}, {1, 2, 3, 4}}, router{{2, 3}, {0, 5, -9, 3, 0, 3.5}};
  Numbers first(3 * 2 * 2), second(3 * 2 * 2);
  for (size_t e = 0; e < 3; ++e)  // each a multiple of the identity
    for (size_t i = 0; i < 2; ++i) first[e * 4 + i * 3] = static_cast<double>(e + 1), second[e * 4 + i * 3] = 10;
  const Results made =
      own("MoE", {x, router, Source{{3, 2, 2}, first}, kNone, Source{{3, 2, 2}, second}},
          {whole("k", 2), whole("normalize_routing_weights", 1), {"activation_type", std::string("relu")}});
  REQUIRE(made.refused == "");
  const double near = 1 / (1 + std::exp(-5.0)), half = 1 / (1 + std::exp(-0.5));
  const double one = 10 * (2 * near + 1 * (1 - near)), two = 10 * (3 * half + 1 * (1 - half));
  check_near(made.numbers.at("y0"), {one, 2 * one, 3 * two, 4 * two});
}

TEST_CASE("tokens that would repeat an n-gram are excluded") {
  const Numbers scores = own("NGramRepeatBlock", {Source{{1, 4}, {1, 2, 0, 1}, kInt64}, Source{{1, 3}, {7, 8, 9}}},
                             {whole("ngram_size", 2)})
                             .numbers.at("y0");
  CHECK(scores[0] == 7);
  CHECK(scores[1] == 8);
  CHECK(std::isinf(scores[2]));
}

TEST_CASE("invalid inputs are errors") {
  const Source x{{2, 4}, wave(8, 0)}, three{{1, 2, 4}, wave(8, 0)}, one{{1}, {1}},
      codes{{2, 1, 16}, Numbers(32), kUint8}, scales{{2, 1}, {1, 1}}, lengths{{1}, {1}, kInt32};
  const auto refused = [](const char* op, const std::vector<Source>& sources, const std::vector<Attr>& attributes) {
    CAPTURE(op);
    const Results made = own(op, sources, attributes);
    CHECK(made.refused != "");
    CHECK(made.refused.find('\n') == std::string::npos);
  };
  const auto bits = [&](int64_t n, int64_t k, int64_t block, int64_t width) {
    refused("MatMulNBits", {x, codes, scales},
            {whole("N", n), whole("K", k), whole("block_size", block), whole("bits", width)});
  };
  bits(2, 4, 0, 4), bits(2, 4, 24, 4), bits(0, 4, 32, 4), bits(int64_t{1} << 62, int64_t{1} << 62, 32, 4),
      bits(2, 4, 32, 3);
  bits(2, 32, 32, 4), bits(3, 4, 32, 4);
  refused("MatMulNBits", {x}, {whole("N", 2), whole("K", 4), whole("block_size", 32)});
  refused("GatherBlockQuantized", {codes, lengths, scales}, {whole("block_size", 0)});
  refused("GatherBlockQuantized", {codes, lengths, scales}, {whole("gather_axis", 9)});
  for (const auto& [heads, kv] : {std::pair<int64_t, int64_t>{0, 0}, {4, 0}, {4, 3}, {-4, 2}, {int64_t{1} << 40, 1}})
    refused("GroupQueryAttention", {three, three, three, kNone, kNone, lengths, lengths},
            {whole("num_heads", heads), whole("kv_num_heads", kv)});
  refused("GroupQueryAttention", {three, three, three}, {whole("num_heads", 2), whole("kv_num_heads", 2)});
  refused("GroupQueryAttention", {x, x, x, kNone, kNone, lengths, lengths},
          {whole("num_heads", 2), whole("kv_num_heads", 2)});
  refused("GroupQueryAttention", {three, three, three, x, x, lengths, lengths},
          {whole("num_heads", 2), whole("kv_num_heads", 2)});
  for (const char* op : {"MultiHeadAttention", "Attention", "DecoderMaskedMultiHeadAttention"}) {
    refused(op, {three, three, three}, {whole("num_heads", 0)});
    refused(op, {three, three, three}, {whole("num_heads", 3)});
    refused(op, {one, one, one}, {whole("num_heads", 1)});
    refused(op, {three}, {whole("num_heads", 2)});
  }
  refused("MultiHeadAttention", {three, three, three, kNone, scales}, {whole("num_heads", 2)});
  refused("RotaryEmbedding", {x, lengths, x, x}, {});
  refused("RotaryEmbedding", {three, lengths, one, one}, {});
  refused("SkipLayerNormalization", {x, three, one}, {});
  refused("SkipLayerNormalization", {x}, {});
  refused("EmbedLayerNormalization", {lengths, kNone, x, x, kNone, one, one}, {});
  refused("GroupNorm", {x, one, one}, {whole("groups", 0), whole("activation", 0)});
  refused("QLinearAdd", {x, one, one}, {});
  refused("QLinearConcat", {one, one, x, one}, {whole("axis", 0)});
  refused("QGemm", {x, one}, {whole("transA", 1)});
  refused("FusedConv", {x, x}, {{"activation", std::string("Nothing")}});
  refused("FusedMatMul", {one, x}, {});
  refused("MoE", {x, x, three, kNone, three}, {whole("k", 99)});
  refused("QMoE", {x, x, codes, scales, kNone, codes, scales}, {whole("expert_weight_bits", 5)});
  refused("NGramRepeatBlock", {x, x}, {whole("ngram_size", 0)});
  const Source flow{{1, 2, 4}, wave(8, 0)}, kernel{{2, 1, 2}, wave(4, 0)};
  CHECK(own("CausalConvWithState", {flow, kernel}, {whole("channels_last", 0), whole("dilation", 1)}).refused == "");
  refused("CausalConvWithState", {flow, kernel}, {whole("channels_last", 1)});
  refused("CausalConvWithState", {flow, kernel}, {whole("dilation", 2)});
}

}  // namespace arenascope::test
