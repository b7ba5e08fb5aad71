// SPDX-License-Identifier: MIT
// ONNX Runtime contrib operators over branches, hashes, masked windows and packed rows, compared with scalar loops.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <arenascope/models/host_array.h>

#include "own_operators.h"

namespace arenascope::test {

TEST_CASE("hyper-connection branches are normalised separately, mixed and gated") {
  constexpr size_t kRows = 2, kBranches = 3, kWidth = 4;
  const Source grouped = of({kRows, kBranches, kWidth}, 0.2), scale = of({kBranches, kWidth}, 1.1);
  const Source flat{{kRows, kBranches * kWidth}, grouped.numbers};
  Numbers expected = normed(grouped.numbers, kWidth, 1e-3);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] *= scale.numbers[i % (kBranches * kWidth)];
  const Results norm = own("BranchwiseRMSNorm", {grouped, scale}, {{"epsilon", 1e-3F}});
  REQUIRE(norm.refused == "");
  check_near(norm.numbers.at("y0"), expected);
  const Results flat_norm = own("BranchwiseRMSNorm", {flat, Source{{kBranches * kWidth}, scale.numbers}},
                                {{"epsilon", 1e-3F}, whole("num_branches", kBranches)});
  REQUIRE(flat_norm.refused == "");
  check_near(flat_norm.numbers.at("y0"), expected);
  CHECK(flat_norm.sizes.at("y0") == Dims{kRows, kBranches * kWidth});

  const Source gate = of({kRows, kBranches}, 2), mix = of({kRows, kBranches, kBranches}, 0.5),
               made = of({kRows, kWidth}, 1.7);
  Numbers reduced(kRows * kWidth), mixed(kRows * kBranches * kWidth);
  for (size_t r = 0; r < kRows; ++r)
    for (size_t b = 0; b < kBranches; ++b)
      for (size_t h = 0; h < kWidth; ++h) {
        const double g = gate.numbers[r * kBranches + b];
        reduced[r * kWidth + h] += 0.5 * g * grouped.numbers[(r * kBranches + b) * kWidth + h];
        double& y = mixed[(r * kBranches + b) * kWidth + h];
        y = g * made.numbers[r * kWidth + h];
        for (size_t from = 0; from < kBranches; ++from)
          y += mix.numbers[(r * kBranches + from) * kBranches + b] *
               grouped.numbers[(r * kBranches + from) * kWidth + h];
      }
  const Results pre =
      own("HyperConnectionPreMix", {flat, gate}, {{"reduction_scale", 0.5F}, whole("num_branches", kBranches)});
  REQUIRE(pre.refused == "");
  check_near(pre.numbers.at("y0"), reduced);
  const Results post = own("HyperConnectionPostMix", {grouped, made, gate, mix});
  REQUIRE(post.refused == "");
  check_near(post.numbers.at("y0"), mixed);

  const Source key = of({1, kRows, kBranches, kWidth}, 0.4), query = of({1, kRows, kBranches, kWidth}, 2.4),
               value = of({1, kRows, kWidth}, 0.9);
  const Numbers k = normed(key.numbers, kWidth), q = normed(query.numbers, kWidth);
  Numbers gated, again;
  for (size_t r = 0; r < kRows * kBranches; ++r) {
    double dot = 0;
    for (size_t h = 0; h < kWidth; ++h) {
      const double s = scale.numbers[r % kBranches * kWidth + h];
      dot += k[r * kWidth + h] * s * q[r * kWidth + h] * s / std::sqrt(double{kWidth});
    }
    const double open = sigmoid((dot < 0 ? -1 : 1) * std::sqrt(std::max(std::abs(dot), 1e-6)));
    for (size_t h = 0; h < kWidth; ++h) gated.push_back(open * value.numbers[r / kBranches * kWidth + h]);
  }
  again = normed(gated, kWidth);
  for (size_t i = 0; i < again.size(); ++i) again[i] *= scale.numbers[i % (kBranches * kWidth)];
  const Results engram = own("EngramGate", {key, query, value, scale, scale, scale}, {}, 2);
  REQUIRE(engram.refused == "");
  check_near(engram.numbers.at("y0"), gated);
  check_near(engram.numbers.at("y1"), again);
}

TEST_CASE("the router selects groups by their two best experts, then the best experts of these") {
  const Source even{{1, 6}, {0, 0, 0, 0, 0, 0}}, bias{{6}, {0.9, 0.1, 0.6, 0.5, 0.7, 0.0}};
  // The sums of the pairs are 1.0, 1.1 and 0.7: the second pair is best, and both of its experts are chosen.
  const double half = std::log(0.5);
  const Results one = own("MoEGroupRouter", {even, bias},
                          {whole("top_k", 2), whole("n_group", 3), whole("topk_group", 1), {"router_sentinel", -7.0F}});
  REQUIRE(one.refused == "");
  check_near(one.numbers.at("y0"), {-7, -7, half, half, -7, -7});
  const Results by_best =
      own("MoEGroupRouter", {even, bias},
          {whole("top_k", 1), whole("n_group", 3), whole("group_topk", 1), {"router_sentinel", -7.0F}});
  REQUIRE(by_best.refused == "");
  check_near(by_best.numbers.at("y0"), {half, -7, -7, -7, -7, -7});
  OnnxMaker m(21);
  m.opset(kOwn, 1).input("x", {1, 2}).output("scores").output("weights").weight("b", {2}, Floats{1, 2});
  m.node("MoEGroupRouter", {"x", "b"}, {"", "scores", "weights"}, {whole("top_k", 1)}, "", kOwn);
  const Results scores = run_file(m, {{"x", {0, std::log(3)}}});
  REQUIRE(scores.refused == "");
  check_near(scores.numbers.at("scores"), {1.5, 2.75});
  check_near(scores.numbers.at("weights"), {0.5, 0.75});
}

TEST_CASE("MurmurHash3 equals the reference implementation for numbers and their bytes") {
  const auto of_words = [](const std::vector<std::string>& words, int64_t seed) {
    OnnxMaker m(21);
    m.opset(kOwn, 1).output("y").weight("x", {static_cast<int64_t>(words.size())}, words);
    m.node("MurmurHash3", {"x"}, {"y"}, {whole("seed", seed)}, "", kOwn);
    const Results made = run_file(m, {});
    REQUIRE(made.refused == "");
    return made.numbers.at("y");
  };
  CHECK(of_words({"", "hello", "hello, world", "The quick brown fox jumps over the lazy dog", "aaaa"}, 0)[3] ==
        0x2e4ff723);
  CHECK(of_words({"", "hello", "hello, world"}, 0) == Numbers{0, 0x248bfa47, 0x149bbb7f});
  CHECK(of_words({"", "aaaa", "aaa", "aa", "a"}, 0x9747b28c) ==
        Numbers{0xebb6c228, 0x5a97808a, 0x283e0130, 0x5d211726, 0x7fa09ea6});
  const auto of_numbers = [](int type, double number, int64_t positive) {
    const Results made =
        own("MurmurHash3", {Source{{1}, {number}, type}}, {whole("positive", positive), whole("seed", 0)});
    REQUIRE(made.refused == "");
    return made.numbers.at("y0")[0];
  };
  const auto bytes = [&](const void* number, size_t size) {
    return of_words({std::string(static_cast<const char*>(number), size)}, 0)[0];
  };
  const int32_t word = -2023406815;  // 21 43 65 87
  CHECK(of_numbers(kInt32, word, 1) == 0xf55b516b);
  CHECK(of_numbers(kInt32, word, 0) == static_cast<double>(static_cast<int32_t>(0xf55b516b)));
  const int64_t two = 0x6200000061;
  CHECK(of_numbers(kInt64, static_cast<double>(two), 1) == bytes(&two, 8));
  const float quarter = 0.25F;
  CHECK(of_numbers(kFloat, 0.25, 1) == bytes(&quarter, 4));
  const double third = 1.0 / 3;
  CHECK(of_numbers(kDouble, third, 1) == bytes(&third, 8));
}

TEST_CASE("a mask limits window rows; word embeddings are computed from characters") {
  const Results line =
      own("MaxpoolWithMask", {Source{{1, 1, 6}, {1, 5, 2, 8, 3, 4}}, Source{{1, 1, 6}, {1, 1, 0, 1, 1, 1}, kInt32}},
          {{"kernel_shape", Ints{2}}});
  REQUIRE(line.refused == "");
  const double lowest = static_cast<double>(-3.402823466e38F);
  CHECK(line.numbers.at("y0") == Numbers{5, 5, lowest, 8, 4});
  // Elements masked in the first row of a plane do not mask those of the next row.
  const Results plane = own(
      "MaxpoolWithMask", {Source{{1, 1, 2, 3}, {9, 2, 7, 4, 5, 6}}, Source{{1, 1, 2, 3}, {0, 0, 1, 1, 1, 0}, kInt32}},
      {{"kernel_shape", Ints{2, 2}}});
  REQUIRE(plane.refused == "");
  CHECK(plane.numbers.at("y0") == Numbers{9, 5});

  const Ints letters{1, 2, 0, 0, 2, 1, 2, 1, 0, 1, 2, 2};
  const Numbers table{9, 0.5, -1}, weight{1, 0.5}, bias{0.1};
  Numbers expected;
  for (size_t w = 0; w < 3; ++w) {
    size_t length = 0;
    for (size_t i = 0; i < 4; ++i) length += letters[w * 4] > 0 && letters[w * 4 + i] > 0 ? 1 : 0;
    double best = length == 0 ? 0 : -2;
    for (size_t i = 0; length > 0 && i + 1 < std::max<size_t>(length, 2); ++i) {
      const auto letter = [&](size_t at) { return table[static_cast<size_t>(letters[w * 4 + at])]; };
      best = std::max(best, std::tanh(letter(i) * weight[0] + letter(i + 1) * weight[1] + bias[0]));
    }
    expected.push_back(best);
  }
  const Results words =
      own("WordConvEmbedding", {Source{{3, 4}, {letters.begin(), letters.end()}, kInt32}, Source{{1, 1, 2, 1}, weight},
                                Source{{1}, bias}, Source{{3, 1}, table}});
  REQUIRE(words.refused == "");
  check_near(words.numbers.at("y0"), expected);
  CHECK(own("SampleOp", {Source{{2}, {3, 4}}}).numbers.at("y0") == Numbers{3, 4});
}

TEST_CASE("rows and columns of block-quantised weights with embedded scales") {
  const auto text = [](float scale, bool half) {
    std::string out(half ? 2 : 4, '\0');
    const uint16_t small = models::float_to_half(scale);
    half ? std::memcpy(out.data(), &small, 2) : std::memcpy(out.data(), &scale, 4);
    return out;
  };
  const auto codes = [](size_t count, unsigned start) {
    std::string out(count, '\0');
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<char>((start + 37 * i) & 255U);
    return out;
  };
  const auto nibble = [](const std::string& bytes, size_t i) {
    return static_cast<unsigned char>(bytes[i % 16]) >> (i < 16 ? 0 : 4) & 15;
  };
  const auto as_numbers = [](const std::string& bytes) {
    Numbers out;
    for (const char c : bytes) out.push_back(static_cast<unsigned char>(c));
    return out;
  };
  constexpr size_t kDepth = 40;
  for (const int64_t kind : {0, 1}) {
    std::string blob;
    Numbers expected(2);
    const Numbers x = wave(kDepth, 0.2);
    for (size_t n = 0; n < 2; ++n)
      for (size_t b = 0; b < 2; ++b) {
        const float scale = 0.1F * static_cast<float>(n + b + 1);
        const auto zero = static_cast<int>(kind == 0 ? 8 : 3 + n + b);
        const std::string q = codes(16, static_cast<unsigned>(11 * n + 5 * b));
        blob += text(scale, false) + (kind == 0 ? "" : std::string(1, static_cast<char>(zero))) + q;
        for (size_t i = 0; i < 32 && b * 32 + i < kDepth; ++i)
          expected[n] += x[b * 32 + i] * (nibble(q, i) - zero) * static_cast<double>(scale);
      }
    OnnxMaker m(21);
    m.opset(kOwn, 1).input("x", {1, kDepth}).input("given", {static_cast<int64_t>(blob.size())}, kUint8);
    m.output("y").output("z").raw_weight("b", {static_cast<int64_t>(blob.size())}, blob, kUint8);
    m.weight("s", {2}, Ints{kDepth, 2});
    m.node("MatMulFpQ4", {"x", "b", "s"}, {"y"}, {whole("blk_quant_type", kind)}, "", kOwn);
    m.node("MatMulFpQ4", {"x", "given", "s"}, {"z"}, {whole("blk_quant_type", kind)}, "", kOwn);
    const Results made = run_file(m, {{"x", x}, {"given", as_numbers(blob)}});
    REQUIRE(made.refused == "");
    check_near(made.numbers.at("y"), expected);
    CHECK(made.numbers.at("z") == made.numbers.at("y"));
  }

  const auto rows = [&](int64_t kind, int64_t width, const std::string& data) {
    OnnxMaker m(21);
    const Ints sizes{2, static_cast<int64_t>(data.size() / 2)};
    m.opset(kOwn, 1).input("i", {3}, kInt64).input("given", sizes, kUint8).output("y").output("z");
    m.raw_weight("w", sizes, data, kUint8);
    for (const auto& [from, to] : {std::pair{"w", "y"}, {"given", "z"}})
      m.node("GatherPacked", {from, "i"}, {to},
             {whole("packed_type", kind), whole("K", width), whole("output_dtype", 1)}, "", kOwn);
    // An id that is out of range selects the first row.
    const Results made = run_file(m, {{"i", {1, -4, 2}}, {"given", as_numbers(data)}});
    REQUIRE(made.refused == "");
    CHECK(made.numbers.at("z") == made.numbers.at("y"));
    return made.numbers.at("y");
  };
  const std::string first = codes(16, 3), second = codes(16, 90);
  constexpr int kLevels[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  const auto expected = [&](size_t width, auto&& value) {
    Numbers out;
    for (const auto& [data, scale] : {std::pair<const std::string&, double>{second, 0.5}, {first, 0.25}, {first, 0.25}})
      for (size_t i = 0; i < width; ++i) out.push_back(value(data, i) * scale);
    return out;
  };
  const std::string both = text(0.25F, true) + first + text(0.5F, true) + second;
  check_near(rows(2, 32, both), expected(32, [&](const std::string& q, size_t i) { return nibble(q, i) - 8; }));
  check_near(rows(20, 32, both), expected(32, [&](const std::string& q, size_t i) { return kLevels[nibble(q, i)]; }));
  check_near(rows(42, 64, both), expected(64, [&](const std::string& q, size_t i) {
               return (static_cast<unsigned char>(q[i / 4]) >> (2 * (i % 4)) & 3) - 1;
             }));
}

TEST_CASE("sparse matrices are stored densely") {
  const Floats numbers{2, 3, -1};
  const Numbers x{1, 2, 3, 4};
  // 0 2 0 0 and 3 0 0 -1, times rows 1 to 4.
  for (const Ints& places : {Ints{1, 4, 7}, Ints{0, 1, 1, 0, 1, 3}}) {
    OnnxMaker m(21);
    m.input("x", {4, 1}).output("y").sparse_weight("a", {2, 4}, places, numbers).node("MatMul", {"a", "x"}, {"y"});
    const Results made = run_file(m, {{"x", x}});
    REQUIRE(made.refused == "");
    check_near(made.numbers.at("y"), {4, -1});
  }
  OnnxMaker m(21);
  m.opset(kOwn, 1).sparse_constant("a", {2, 4}, {7, 4, 1}, {-1, 3, 2}).sparse_input("s", {4, 2}).output("y");
  m.node("SparseToDenseMatMul", {"s", "a"}, {"y"}, {whole("transA", 1), whole("transB", 1), {"alpha", 0.5F}}, "", kOwn);
  const Results made = run_file(m, {{"s", {0, 1, 0, 0, 0, 0, 5, 0}}});
  REQUIRE(made.refused == "");
  check_near(made.numbers.at("y"), {0, -2.5, 0, 1.5});
  for (const Ints& places : {Ints{1, 4, 8}, Ints{-1, 4, 7}, Ints{1, 4}, Ints{0, 1, 1, 0, 2, 3}, Ints{}}) {
    OnnxMaker wrong(21);
    wrong.input("x", {4, 1}).output("y").sparse_weight("a", {2, 4}, places, numbers).node("MatMul", {"a", "x"}, {"y"});
    CHECK(run_file(wrong, {{"x", x}}).refused != "");
  }
  OnnxMaker large(21);
  for (const bool weight : {false, true}) {  // and known while a file is opened, if small
    OnnxMaker sized(21);
    sized.input("x", {3, 2}).output("y");
    if (weight)
      sized.sparse_weight("s", {2}, {0, 1}, {2, 3});
    else
      sized.sparse_constant("s", {2}, {0, 1}, {2, 3});
    sized.node("Cast", {"s"}, {"shape"}, {{"to", int64_t{kInt64}}}).node("Reshape", {"x", "shape"}, {"y"});
    const Results shaped = run_file(sized, {{"x", {1, 2, 3, 4, 5, 6}}});
    REQUIRE(shaped.refused == "");
    CHECK(shaped.sizes.at("y") == Dims{2, 3});
  }
  large.input("x", {4, 1}).output("y").sparse_weight("a", {int64_t{1} << 40, 4}, {1, 4, 7}, numbers);
  CHECK(run_file(large.node("MatMul", {"a", "x"}, {"y"}), {{"x", x}}).refused != "");
}

}  // namespace arenascope::test
