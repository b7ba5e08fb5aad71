// SPDX-License-Identifier: MIT
// Operators with invalid attributes and shapes are rejected with an error message each; valid ones have the shapes of
// ONNX's specification.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine/models/onnx/lowering.h"
#include "onnx_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

using Ints = std::vector<int64_t>;

struct Input {
  std::vector<int64_t> sizes;
  int type = kFloat;
};

Attr text(const std::string& name, const std::string& value) { return {name, value}; }
Attr number(const std::string& name, int64_t value) { return {name, value}; }

// The first result's shape, or "refused". Inputs without sizes and type are omitted.
std::string made(const std::string& op, const std::vector<Input>& inputs, const std::vector<Attr>& attributes = {},
                 int64_t opset = 28, const std::vector<std::pair<std::string, Ints>>& weights = {}) {
  OnnxMaker m(opset);
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    names.push_back(inputs[i].type == 0 ? "" : "x" + std::to_string(i));
    if (inputs[i].type != 0) m.input(names.back(), inputs[i].sizes, inputs[i].type);
  }
  for (const auto& [name, numbers] : weights) {
    if (name == "kept")
      m.raw_weight(name, {static_cast<int64_t>(numbers.size())}, std::string(numbers.begin(), numbers.end()), kBool);
    else
      m.weight(name, {static_cast<int64_t>(numbers.size())}, numbers);
    names.push_back(name);
  }
  std::vector<std::string> results{"y"};
  if (op == "CausalConvWithState" || op == "LinearAttention") results.emplace_back("state");
  m.output("y").node(op, names, results, attributes);
  auto model = m.open();
  REQUIRE(model.ok());
  if (model->runnable()) return to_string(model->outputs[0].tensor.sizes());
  REQUIRE_FALSE(model->problems.empty());
  CHECK(model->problems[0].find('\n') == std::string::npos);
  return "refused";
}

const Input kNone{{}, 0};

}  // namespace

TEST_CASE("shifts and bits") {
  const Input a{{2, 3}, kUint8}, b{{3}, kUint8};
  CHECK(made("BitShift", {a, b}, {text("direction", "LEFT")}) == "[2, 3]");
  CHECK(made("BitShift", {a, b}, {text("direction", "RIGHT")}) == "[2, 3]");
  CHECK(made("BitShift", {a, b}) == "refused");
  CHECK(made("BitShift", {a, b}, {text("direction", "left")}) == "refused");
  CHECK(made("BitShift", {{{2}, kInt32}, {{2}, kInt32}}, {text("direction", "LEFT")}) == "[2]");
  CHECK(made("BitShift", {{{2}, kInt32}, {{2}, kInt32}}, {text("direction", "LEFT")}, 27) == "refused");
  CHECK(made("BitShift", {{{2}, kFloat}, {{2}, kFloat}}, {text("direction", "LEFT")}) == "refused");
  CHECK(made("BitShift", {a}, {text("direction", "LEFT")}) == "refused");
  for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) {
    CHECK(made(op, {a, b}) == "[2, 3]");
    CHECK(made(op, {a, {{4}, kUint8}}) == "refused");
    CHECK(made(op, {a, {{3}, kInt32}}) == "refused");
    CHECK(made(op, {{{2}}, {{2}}}) == "refused");
  }
  CHECK(made("BitwiseNot", {a}) == "[2, 3]");
  CHECK(made("BitwiseNot", {{{2}, kBool}}) == "refused");
  CHECK(made("BitCast", {{{2, 3}}}, {number("to", kInt32)}) == "[2, 3]");
  CHECK(made("BitCast", {{{2, 3}}}, {number("to", kInt64)}) == "refused");
  CHECK(made("BitCast", {{{2, 3}}}, {number("to", 22)}) == "refused");
  CHECK(made("BitCast", {{{2, 3}}}) == "refused");
}

TEST_CASE("invalid types and diagonals") {
  constexpr int64_t kBeyond = (int64_t{1} << 32) + kFloat;
  CHECK(made("Cast", {{{2, 3}}}, {number("to", kFloat)}) == "[2, 3]");
  CHECK(made("Cast", {{{2, 3}}}, {number("to", kBeyond)}) == "refused");
  CHECK(made("RandomNormal", {}, {number("dtype", kBeyond), {"shape", Ints{2}}}, 22) == "refused");
  CHECK(made("EyeLike", {{{2, 3}}}, {number("dtype", kBeyond)}, 22) == "refused");
  for (const int64_t k : {int64_t{1}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()})
    CHECK(made("EyeLike", {{{2, 3}}}, {number("k", k)}, 22) == "[2, 3]");
}

TEST_CASE("zero points along a missing dimension") {
  CHECK(made("ConvInteger", {{{1}, kUint8}, {{}, kUint8}, {{1}, kUint8}, {{2}, kUint8}}) == "refused");
  CHECK(made("DequantizeLinear", {{{}, kUint8}, {{2}}, {{2}, kUint8}}) == "refused");
}

TEST_CASE("overflowing sizes of empty tensors") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max() - 1;
  OnnxMaker m(20);
  m.weight("a", {0, kMax}, Ints{}).output("y").node("Concat", {"a", "a"}, {"y"}, {number("axis", 1)});
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK_FALSE(model->runnable());
}

TEST_CASE("transposed convolutions with output_shape") {
  const auto shape = [](int64_t size) {
    return std::vector<Attr>{{"output_shape", Ints{4, size}}, {"strides", Ints{1, 2}}};
  };
  const std::vector<Input> both{{{1, 1, 3, 3}}, {{1, 2, 3, 3}}};
  CHECK(made("ConvTranspose", both, shape(8), 11) == "[1, 2, 4, 8]");
  for (const int64_t odd : {int64_t{-1}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()})
    CHECK(made("ConvTranspose", both, shape(odd), 11) == "refused");
}

TEST_CASE("an image input without data takes no memory") {
  CHECK(made("ImageDecoder", {{{int64_t{1} << 36}, kUint8}}, {}, 20) == "refused");
}

TEST_CASE("unary functions") {
  for (const char* op : {"Acos", "Asin", "Atan", "Acosh", "Asinh", "Atanh", "Sinh", "Cosh", "Tan"}) {
    CAPTURE(op);
    CHECK(made(op, {{{2, 0, 3}}}) == "[2, 0, 3]");
    CHECK(made(op, {{{}}}) == "[]");
    CHECK(made(op, {{{2}, kInt32}}) == "refused");
    CHECK(made(op, {}) == "refused");
  }
  CHECK(made("IsInf", {{{4}}}, {number("detect_positive", 0), number("detect_negative", 0)}) == "[4]");
}

TEST_CASE("CumProd") {
  CHECK(made("CumProd", {{{2, 3}}}, {}, 26, {{"axis", {1}}}) == "[2, 3]");
  CHECK(made("CumProd", {{{2, 3}}}, {}, 26, {{"axis", {-2}}}) == "[2, 3]");
  CHECK(made("CumProd", {{{2, 3}}}, {}, 26, {{"axis", {2}}}) == "refused");
  CHECK(made("CumProd", {{{2, 3}}}, {}, 26, {{"axis", {0, 1}}}) == "refused");
  CHECK(made("CumProd", {{{2, 3}}, {{}, kInt64}}, {}, 26) == "refused");
}

TEST_CASE("GridSample") {
  const Input x{{2, 3, 5, 6}}, grid{{2, 4, 7, 2}};
  CHECK(made("GridSample", {x, grid}) == "[2, 3, 4, 7]");
  CHECK(made("GridSample", {x, grid}, {text("mode", "cubic"), text("padding_mode", "reflection")}) == "[2, 3, 4, 7]");
  CHECK(made("GridSample", {x, grid}, {text("mode", "odd")}) == "refused");
  CHECK(made("GridSample", {x, grid}, {text("padding_mode", "odd")}) == "refused");
  CHECK(made("GridSample", {x, {{2, 4, 7, 3}}}) == "refused");
  CHECK(made("GridSample", {x, {{1, 4, 7, 2}}}) == "refused");
  CHECK(made("GridSample", {{{2, 3, 0, 6}}, grid}) == "refused");
  CHECK(made("GridSample", {x}) == "refused");
  CHECK(made("AffineGrid", {{{2, 2, 3}}}, {}, 20, {{"size", {2, 3, 5, 6}}}) == "[2, 5, 6, 2]");
  CHECK(made("AffineGrid", {{{1, 3, 4}}}, {}, 20, {{"size", {1, 3, 4, 5, 6}}}) == "[1, 4, 5, 6, 3]");
  CHECK(made("AffineGrid", {{{2, 2, 3}}}, {}, 20, {{"size", {3, 3, 5, 6}}}) == "refused");
  CHECK(made("AffineGrid", {{{2, 2, 3}}}, {}, 20, {{"size", {2, 3, int64_t{1} << 40, int64_t{1} << 40}}}) == "refused");
  CHECK(made("AffineGrid", {{{2, 2, 3}}}, {}, 20, {{"size", {2, 3, -5, 6}}}) == "refused");
  CHECK(made("AffineGrid", {{{2, 2, 3}}}, {}, 20, {{"size", {2}}}) == "refused");
}

TEST_CASE("attention") {
  const Input q{{2, 8, 5, 16}}, k{{2, 2, 7, 16}}, v{{2, 2, 7, 12}};
  CHECK(made("Attention", {q, k, v}) == "[2, 8, 5, 12]");
  CHECK(made("Attention", {q, k, v, {{5, 7}}}, {number("is_causal", 1)}) == "[2, 8, 5, 12]");
  CHECK(made("Attention", {q, k, v, {{2, 1, 5, 4}, kBool}}) == "[2, 8, 5, 12]");
  CHECK(made("Attention", {{{2, 5, 64}}, {{2, 7, 32}}, {{2, 7, 32}}},
             {number("q_num_heads", 4), number("kv_num_heads", 2)}) == "[2, 5, 64]");
  CHECK(made("Attention", {{{2, 5, 64}}, {{2, 7, 32}}, {{2, 7, 32}}},
             {number("q_num_heads", 5), number("kv_num_heads", 2)}) == "refused");
  CHECK(made("Attention", {{{2, 5, 64}}, {{2, 7, 64}}, {{2, 7, 64}}}) == "refused");
  CHECK(made("Attention", {q, {{2, 3, 7, 16}}, {{2, 3, 7, 16}}}) == "refused");
  CHECK(made("Attention", {q, k, {{2, 2, 6, 12}}}) == "refused");
  CHECK(made("Attention", {q, {{2, 2, 7, 15}}, v}) == "refused");
  CHECK(made("Attention", {q, k, v, {{5, 9}}}) == "refused");
  CHECK(made("Attention", {q, k, v}, {number("qk_matmul_output_mode", 4)}) == "refused");
  CHECK(made("Attention", {q, k, v}, {number("left_window_size", -2)}) == "refused");
  CHECK(made("Attention", {q, k, v, kNone, {{2, 2, 3, 16}}}) == "refused");
  CHECK(made("Attention", {q, k, v, kNone, {{2, 2, 3, 16}}, {{2, 2, 3, 12}}}) == "[2, 8, 5, 12]");
  CHECK(made("Attention", {q, k, v, kNone, {{2, 2, 3, 15}}, {{2, 2, 3, 12}}}) == "refused");
  CHECK(made("Attention", {q, k}) == "refused");
}

TEST_CASE("operators around attention") {
  const Input x{{2, 4, 3, 8}}, angles{{2, 3, 4}};
  CHECK(made("RotaryEmbedding", {x, angles, angles}) == "[2, 4, 3, 8]");
  CHECK(made("RotaryEmbedding", {x, {{50, 4}}, {{50, 4}}, {{2, 3}, kInt64}}) == "[2, 4, 3, 8]");
  CHECK(made("RotaryEmbedding", {{{2, 3, 32}}, angles, angles}, {number("num_heads", 4)}) == "[2, 3, 32]");
  CHECK(made("RotaryEmbedding", {{{2, 3, 32}}, angles, angles}, {number("num_heads", 5)}) == "refused");
  CHECK(made("RotaryEmbedding", {{{2, 3, 32}}, angles, angles}) == "refused");
  CHECK(made("RotaryEmbedding", {x, angles, angles}, {number("rotary_embedding_dim", 9)}) == "refused");
  CHECK(made("RotaryEmbedding", {x, angles, angles}, {number("rotary_embedding_dim", -2)}) == "refused");
  CHECK(made("RotaryEmbedding", {x, {{2, 3, 3}}, {{2, 3, 3}}}) == "refused");
  CHECK(made("SwiGLU", {{{2, 3}}, {{2, 3}}}) == "[2, 3]");
  CHECK(made("SwiGLU", {{{2, 3}}, {{4}}}) == "refused");
  CHECK(made("CausalConvWithState", {{{2, 3, 5}}, {{3, 1, 4}}}) == "[2, 3, 5]");
  CHECK(made("CausalConvWithState", {{{2, 3, 5}}, {{3, 1, 4}}}, {text("activation", "odd")}) == "refused");
  CHECK(made("CausalConvWithState", {{{2, 3, 5}}, {{2, 1, 4}}}) == "refused");
  CHECK(made("CausalConvWithState", {{{2, 3, 5}}, {{3, 1, 4}}, kNone, {{2, 3, 2}}}) == "refused");
  const std::vector<Attr> heads = {number("q_num_heads", 4), number("kv_num_heads", 2), text("update_rule", "linear")};
  CHECK(made("LinearAttention", {{{2, 3, 16}}, {{2, 3, 8}}, {{2, 3, 6}}}, heads) == "[2, 3, 12]");
  CHECK(made("LinearAttention", {{{2, 3, 16}}, {{2, 4, 8}}, {{2, 3, 6}}}, heads) == "refused");
  CHECK(made("LinearAttention", {{{2, 3, 15}}, {{2, 3, 8}}, {{2, 3, 6}}}, heads) == "refused");
  CHECK(made("LinearAttention", {{{2, 3, 16}}, {{2, 3, 8}}, {{2, 3, 6}}}, {text("update_rule", "odd")}) == "refused");
}

TEST_CASE("Fourier transforms") {
  const auto length = [](int64_t n) { return std::vector<std::pair<std::string, Ints>>{{"length", {n}}}; };
  CHECK(made("DFT", {{{2, 10, 1}}}, {}, 17) == "[2, 10, 2]");
  CHECK(made("DFT", {{{2, 10, 1}}}, {number("onesided", 1)}, 17) == "[2, 6, 2]");
  CHECK(made("DFT", {{{2, 10, 2}}}, {number("inverse", 1)}, 17, length(16)) == "[2, 16, 2]");
  CHECK(made("DFT", {{{2, 10, 2}}}, {number("axis", 2)}, 17) == "refused");
  CHECK(made("DFT", {{{2, 10, 3}}}, {}, 17) == "refused");
  CHECK(made("DFT", {{{2, 10, 2}}}, {}, 17, length(0)) == "refused");
  CHECK(made("DFT", {{{2, 10, 2}}}, {}, 17, length(int64_t{1} << 50)) == "refused");
  CHECK(made("DFT", {{{10}}}, {}, 17) == "refused");
}

TEST_CASE("selection by constants") {
  const auto kept = [](Ints numbers) {
    return std::vector<std::pair<std::string, Ints>>{{"kept", std::move(numbers)}};
  };
  CHECK(made("Compress", {{{3, 4}}}, {number("axis", 1)}, 11, kept({1, 0, 1})) == "[3, 2]");
  CHECK(made("Compress", {{{3, 4}}}, {}, 11, kept({0, 1, 1, 1})) == "[3]");
  CHECK(made("Compress", {{{3, 4}}}, {number("axis", 0)}, 11, kept({1, 1, 1, 1})) == "refused");
  CHECK(made("Compress", {{{3, 4}}}, {number("axis", 2)}, 11, kept({1})) == "refused");
  CHECK(made("Compress", {{{3, 4}}, {{4}, kBool}}, {}, 11) == "[3, 4]");  // waits
  CHECK(made("NonZero", {{{3, 4}}}) == "[3, 4]");
  CHECK(made("NonZero", {}, {}, 13, {{"x", {0, 5, 0, 7}}}) == "[1, 2]");
  CHECK(made("Unique", {}, {}, 13, {{"x", {5, 3, 5, 7}}}) == "[3]");
  CHECK(made("Unique", {{{4}}}) == "[4]");
  CHECK(made("Det", {{{5, 3, 3}}}) == "[5]");
  CHECK(made("Det", {{{3, 4}}}) == "refused");
  CHECK(made("Det", {{{9, 9}}}) == "[]");
  CHECK(made("Det", {{{200, 200}}}) == "refused");
  CHECK(made("Inverse", {{{2, 3, 4}}}) == "refused");
  const std::vector<std::pair<std::string, Ints>> sizes = {{"image", {5, 5}}, {"block", {1, 5}}};
  CHECK(made("Col2Im", {{{1, 5, 5}}}, {}, 18, sizes) == "[1, 1, 5, 5]");
  CHECK(made("Col2Im", {{{1, 5, 6}}}, {}, 18, sizes) == "refused");
  CHECK(made("Col2Im", {{{1, 6, 5}}}, {}, 18, sizes) == "refused");
  CHECK(made("Col2Im", {{{1, 5, 5}}}, {Attr{"strides", Ints{0, 1}}}, 18, sizes) == "refused");
  CHECK(made("Col2Im", {{{1, 5, 5}}}, {Attr{"pads", Ints{1}}}, 18, sizes) == "refused");
}

TEST_CASE("integer convolutions") {
  const Input x{{1, 3, 5, 5}, kUint8}, w{{2, 3, 3, 3}, kUint8}, scale{{}}, zero{{}, kUint8};
  CHECK(made("ConvInteger", {x, w}) == "[1, 2, 3, 3]");
  CHECK(made("ConvInteger", {x, {{2, 4, 3, 3}, kUint8}}) == "refused");
  CHECK(made("QLinearConv", {x, scale, zero, w, scale, zero, scale, zero}) == "[1, 2, 3, 3]");
  CHECK(made("QLinearConv", {x, scale, zero, w, {{2}}, {{2}, kUint8}, scale, zero}) == "[1, 2, 3, 3]");
  CHECK(made("QLinearConv", {x, scale, zero, w, {{3}}, {{3}, kUint8}, scale, zero}) == "refused");
  CHECK(made("QLinearConv", {x, scale, zero, w, scale, zero, scale}) == "refused");
}

TEST_CASE("small types are stored wider, and computing in them is explicit") {
  constexpr int kInt4 = 22, kFloat8 = 17;
  CHECK(made("Cast", {{{3}, kInt4}}, {number("to", kFloat)}) == "[3]");
  CHECK(made("Cast", {{{3}}}, {number("to", kInt4)}) == "[3]");
  CHECK(made("Cast", {{{3}}}, {number("to", kFloat8)}) == "[3]");
  CHECK(made("Cast", {{{3}}}, {number("to", 99)}) == "refused");
  CHECK(made("Add", {{{3}, kInt4}, {{3}, kInt4}}) == "refused");
  CHECK(made("Relu", {{{3}, kFloat8}}) == "refused");
  CHECK(made("Transpose", {{{3, 2}, kInt4}}) == "[2, 3]");
  // A small type is kept by operators that only move data.
  OnnxMaker m(21);
  m.input("x", {2, 3}, kInt4).output("y");
  m.node("Transpose", {"x"}, {"t"}).node("Neg", {"t"}, {"y"});
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK_FALSE(model->runnable());
  REQUIRE_FALSE(model->problems.empty());
  CHECK(model->problems[0].find("INT4") != std::string::npos);
}

TEST_CASE("packed weights have the bytes of their shape") {
  constexpr int kUint4 = 21;
  for (const std::string& bytes : {std::string(2, '\x21'), std::string(1, '\x21'), std::string(3, '\x21')}) {
    OnnxMaker m(21);
    m.input("x", {3}).output("y", {}, kUint8);
    m.raw_weight("w", {3}, bytes, kUint4).node("Cast", {"w"}, {"y"}, {number("to", kUint8)});
    CHECK(m.open().ok() == (bytes.size() == 2));
  }
}

TEST_CASE("every operator checks presence, type and rank of its inputs") {
  const std::vector<std::vector<Input>> all{{},
                                            {kNone},
                                            {{{2, 3}}},
                                            {{{2, 3}}, {{2, 3}}},
                                            {kNone, {{2, 3}}},
                                            {{{2, 3}}, kNone, {{3}, kInt64}},
                                            {{{}}, {{}}, {{}}},
                                            {{{2}, kBool}, {{2}, kInt64}, {{2}, kUint8}, {{2}}, {{2}}},
                                            {{{1, 2, 3, 4, 5}}, {{0, 3}}, {{0}}, {{1}}}};
  CHECK(all_handlers().size() > 150);
  for (const auto& [name, handler] : all_handlers()) {
    const size_t colons = name.rfind("::");
    const std::string domain(colons == std::string_view::npos ? "" : name.substr(0, colons));
    const std::string op(name.substr(domain.empty() ? 0 : colons + 2));
    for (const auto& inputs : all) {
      OnnxMaker m(25);
      std::vector<std::string> names;
      for (const Input& input : inputs) {
        names.push_back(input.type == 0 ? "" : "x" + std::to_string(names.size()));
        if (input.type != 0) m.input(names.back(), input.sizes, input.type);
      }
      m.output("y").node(op, names, {"y"}, {}, "", domain);
      const auto model = m.open();
      CAPTURE(name);
      // An empty sequence or optional value is valid, and nothing is executed.
      const bool may_be_empty = op.starts_with("Sequence") || op.starts_with("Optional");
      if (model.ok() && !model->runnable() && !may_be_empty)
        CHECK(model->problems.size() + model->unsupported.size() > 0);
    }
  }
}
