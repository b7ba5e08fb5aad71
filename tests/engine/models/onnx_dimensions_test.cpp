// SPDX-License-Identifier: MIT
// Sizes assumed for free dimensions do not contradict each other: equations from nodes, symbols and names.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/models/onnx/dimension_equations.h"
#include "onnx_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

using Sizes = std::map<std::string, int64_t>;
using Ints = std::vector<int64_t>;

Sizes sizes_of(const Model& model) {
  Sizes out;
  for (const FreeDimension& free : model.free_dimensions) out[free.key()] = free.size;
  return out;
}

Sizes opened(const OnnxMaker& m, const Sizes& specified = {}) {
  OpenOptions options;
  options.dims = specified;
  auto model = m.open(options);
  REQUIRE(model.ok());
  for (const std::string& problem : model->problems) FAIL_CHECK(problem);
  CHECK(model->runnable());
  return sizes_of(*model);
}

// Attention of x [1, s, 8] over a cache [1, p, 8] and x, with a mask [1, t] or [s, t] added to the scores.
void add_cached_attention(OnnxMaker& m) {
  m.output("y").output("present");
  m.node("Concat", {"cache", "x"}, {"present"}, {{"axis", int64_t{1}}});
  m.node("Transpose", {"present"}, {"keys"}, {{"perm", Ints{0, 2, 1}}});
  m.node("MatMul", {"x", "keys"}, {"scores"}).node("Add", {"scores", "mask"}, {"masked"});
  m.node("Softmax", {"masked"}, {"weights"}).node("MatMul", {"weights", "present"}, {"y"});
}

}  // namespace

TEST_CASE("a mask has as many columns as there are keys of the past and of the run") {
  OnnxMaker m;
  m.symbolic_input("x", {"1", "s", "8"}).symbolic_input("cache", {"1", "p", "8"}).symbolic_input("mask", {"1", "t"});
  add_cached_attention(m);
  const Sizes sizes = opened(m);
  CHECK(sizes.at("t") == sizes.at("s") + sizes.at("p"));
  CHECK(opened(m, {{"t", 10}, {"p", 3}}) == Sizes{{"t", 10}, {"p", 3}, {"s", 7}});
  CHECK(opened(m, {{"s", 4}, {"p", 3}}).at("t") == 7);
}

TEST_CASE("dimensions without names are related by nodes too") {
  OnnxMaker m;
  m.symbolic_input("x", {"1", "", "8"}).symbolic_input("cache", {"1", "", "8"}).symbolic_input("mask", {"", ""});
  add_cached_attention(m);
  const Sizes sizes = opened(m);
  CHECK(sizes.at("mask:1") == sizes.at("x:1") + sizes.at("cache:1"));
  CHECK((sizes.at("mask:0") == 1 || sizes.at("mask:0") == sizes.at("x:1")));
}

TEST_CASE("a symbol that is no name is not shared between dimensions") {
  for (const char* unknown : {"?", "-1", "None"}) {
    OnnxMaker m;
    m.symbolic_input("x", {"1", "3", unknown, unknown}).node("Neg", {"x"}, {"y"}).output("y");
    CHECK(opened(m, {{"x:2", 48}, {"x:3", 192}}) == Sizes{{"x:2", 48}, {"x:3", 192}});
  }
}

// As exporters write it: the mask is built from the shapes of other inputs.
TEST_CASE("sizes are followed through the shapes that a graph computes") {
  OnnxMaker m(13);
  m.symbolic_input("x", {"1", "s", "8"}).symbolic_input("cache", {"1", "p", "8"}).symbolic_input("given", {"1", "t"});
  m.weight("one", {1}, Ints{1}).weight("table", {1, 4096}, std::vector<float>(4096));
  m.weight("zero", {1}, Ints{0});
  m.node("Shape", {"x"}, {"xs"}).node("Gather", {"xs", "one"}, {"s"});
  m.node("Shape", {"cache"}, {"cs"}).node("Gather", {"cs", "one"}, {"p"});
  m.node("Add", {"s", "p"}, {"total"});
  m.node("Slice", {"table", "zero", "total", "one"}, {"row"}).node("Add", {"row", "given"}, {"both"});
  m.node("Concat", {"one", "s", "total"}, {"target"}, {{"axis", int64_t{0}}})
      .node("Expand", {"both", "target"}, {"mask"});
  add_cached_attention(m);
  const Sizes sizes = opened(m);
  CHECK(sizes.at("t") == sizes.at("s") + sizes.at("p"));
}

TEST_CASE("symbols that are expressions have their value") {
  OnnxMaker m;
  m.symbolic_input("x", {"1", "s", "8"}).symbolic_input("cache", {"1", "past_length", "8"});
  m.symbolic_input("mask", {"1", "past_length + 1"});
  add_cached_attention(m);
  const Sizes sizes = opened(m);
  CHECK(sizes.at("past_length + 1") == sizes.at("past_length") + 1);
  CHECK(sizes.at("s") == 1);
  CHECK(parse_linear_size("2*n - m + 3") == LinearSize{3, {{"m", -1}, {"n", 2}}});
  CHECK(parse_linear_size("n") == LinearSize::dimension("n"));
  for (const char* text : {"", "n*m", "floor(n/2)", "2*", "n/2"}) CHECK_FALSE(parse_linear_size(text).has_value());
}

TEST_CASE("names relate sizes where no node does") {
  OnnxMaker m;
  m.symbolic_input("ids", {"b", "sequence_length"}, kInt64);
  m.symbolic_input("mask", {"b", "total_sequence_length"}).symbolic_input("past", {"b", "past_sequence_length"});
  m.output("x").output("y").output("z").node("Neg", {"ids"}, {"x"}).node("Neg", {"mask"}, {"y"});
  m.node("Neg", {"past"}, {"z"});
  Sizes sizes = opened(m);
  CHECK(sizes.at("total_sequence_length") == sizes.at("sequence_length") + sizes.at("past_sequence_length"));
  CHECK(sizes.at("past_sequence_length") == 1);
  sizes = opened(m, {{"total_sequence_length", 1}});
  CHECK(sizes.at("past_sequence_length") == 0);
  CHECK(sizes.at("sequence_length") == 1);
}

TEST_CASE("an equation that no sizes satisfy is ignored") {
  DimensionEquations equations({"a", "b", "c"}, {{"k", 4}});
  const auto a = LinearSize::dimension("a"), b = LinearSize::dimension("b"), c = LinearSize::dimension("c");
  equations.add(c, *a.plus(b));
  equations.add(c, a);  // b = 0
  equations.add(c, *c.plus(LinearSize::number(1)));
  CHECK(equations.solved() == std::map<std::string, LinearSize>{{"c", *a.plus(b)}});
  equations.add(b, LinearSize::number(3));
  CHECK(equations.solved().at("c") == LinearSize{3, {{"a", 1}}});
  equations.add(b, LinearSize::number(5));
  CHECK(equations.solved().at("b") == LinearSize::number(3));
  CHECK(equations.of_symbol("k") == LinearSize::number(4));
  CHECK(equations.of_symbol("k + a") == LinearSize{4, {{"a", 1}}});
  CHECK_FALSE(equations.of_symbol("q").has_value());
}

TEST_CASE("ONNX Runtime's attention with a past has a mask of all keys") {
  OnnxMaker m;
  m.opset("com.microsoft", 1).symbolic_input("x", {"b", "s", "8"}).symbolic_input("mask", {"b", "t"}, kInt32);
  m.symbolic_input("past", {"2", "b", "2", "p", "4"}).output("y").output("present");
  m.weight("w", {8, 24}, std::vector<float>(192, 0.1F)).weight("bias", {24}, std::vector<float>(24));
  m.node("Attention", {"x", "w", "bias", "mask", "past"}, {"y", "present"}, {{"num_heads", int64_t{2}}}, "",
         "com.microsoft");
  const Sizes sizes = opened(m);
  CHECK(sizes.at("t") == sizes.at("s") + sizes.at("p"));
}

TEST_CASE("sizes of nodes without the inputs that they need are unknown") {
  for (const char* op : {"Sub", "Where", "Add", "Concat", "Gather", "Reshape", "Expand"}) {
    CAPTURE(op);
    for (size_t count = 0; count < 3; ++count) {
      OnnxMaker m;
      m.symbolic_input("x", {"n", "4"}).output("y").weight("k", {1}, std::vector<int64_t>{0});
      m.node(op, std::vector<std::string>(count, "k"), {"v"}).node("Neg", {"x"}, {"y"});
      const auto model = open_onnx(m.bytes(), "");
      if (!model) CHECK(!model.error().message.empty());
    }
  }
}

// Each node doubles the elements or the rank of its input.
TEST_CASE("sizes that double in every node are followed as far as they are small") {
  for (const bool elements : {true, false}) {
    CAPTURE(elements);
    OnnxMaker m;
    m.symbolic_input("x", {"n", "2", "3"}, kInt64).output("y", {}, kInt64);
    m.node("Shape", {"x"}, {"s0"});
    std::string last = elements ? "s0" : "x";
    for (int i = 1; i <= 40; ++i) {
      const std::string next = "d" + std::to_string(i);
      m.node(elements ? "Concat" : "Gather", {last, last}, {next}, {{"axis", int64_t{0}}});
      last = next;
    }
    m.node("Identity", {last}, {"y"});
    const auto model = open_onnx(m.bytes(), "");
    if (!model) CHECK(!model.error().message.empty());
  }
}
