// SPDX-License-Identifier: MIT
// A model's own functions are replaced by what they consist of.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <arenascope/graph/op_params.h>

#include "onnx_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

std::string ops_of(const Model& model) {
  std::string out;
  for (const TensorImpl* node : model.graph.nodes()) out += (out.empty() ? "" : " ") + std::string(name(node->op));
  return out;
}

}  // namespace

TEST_CASE("a function is inlined") {
  OnnxMaker m;
  m.node("LeakyRelu", {"a"}, {"t"}, {{"alpha", 0.0F, "slope"}}).node("Add", {"t", "b"}, {"c"});
  m.function("steep", {"a", "b"}, {"c"}, {"slope"});
  m.input("x", {2, 3}).output("y").output("z");
  m.node("steep", {"x", "x"}, {"h"}, {{"slope", 0.25F}}, "first", "own");
  m.node("steep", {"h", "x"}, {"y"}, {{"slope", 0.5F}}, "second", "own");
  m.node("steep", {"y", "y"}, {"z"}, {}, "", "own");  // the operator's own slope
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->problems.empty());
  CHECK(ops_of(*model) == "LEAKY_RELU ADD LEAKY_RELU ADD LEAKY_RELU ADD");
  std::vector<float> slopes;
  for (const TensorImpl* node : model->graph.nodes())
    if (node->op == Op::LeakyRelu) slopes.push_back(node->params.get<AlphaParams>().alpha);
  CHECK(slopes == std::vector<float>{0.25F, 0.5F, 0.01F});
  const auto named = [&](const char* name) {
    return std::any_of(model->graph.nodes().begin(), model->graph.nodes().end(),
                       [&](const TensorImpl* node) { return std::string(node->name) == name; });
  };
  CHECK(named("first/t"));
  CHECK(named("second/t"));
  CHECK(named("z/t"));
  CHECK(to_string(model->outputs[1].tensor.sizes()) == "[2, 3]");
  CHECK(model->node_count == 6);
}

TEST_CASE("functions may call functions, forward attributes, and be used in subgraphs") {
  OnnxMaker m;
  m.node("Relu", {"a"}, {"b"}).function("inner", {"a"}, {"b"});
  m.node("inner", {"p"}, {"q"}, {}, "", "own").node("Exp", {"q"}, {"r"}).function("outer", {"p"}, {"r", "p"});
  OnnxMaker then, otherwise;
  then.output("t").node("outer", {"x"}, {"t", ""}, {}, "", "own");
  otherwise.output("e").node("Relu", {"x"}, {"e"});
  m.input("x", {4}).output("y").output("same").output("chosen");
  m.node("outer", {"x"}, {"y", "same"}, {}, "", "own");
  m.weight("yes", {}, std::vector<int64_t>{1}).node("Cast", {"yes"}, {"condition"}, {{"to", int64_t{kBool}}});
  m.node("If", {"condition"}, {"chosen"}, {{"then_branch", &then}, {"else_branch", &otherwise}});
  auto model = m.open();
  REQUIRE(model.ok());
  for (const std::string& problem : model->problems) FAIL_CHECK(problem);
  CHECK(ops_of(*model) == "RELU EXP COPY RELU EXP");  // x is also an output
  CHECK(model->outputs.size() == 3);
}

TEST_CASE("invalid functions are errors") {
  const auto unsupported_reason = [](OnnxMaker& m, const std::string& op, const std::vector<std::string>& inputs) {
    m.input("x", {4}).output("y").node(op, inputs, {"y"}, {}, "", "own");
    auto model = m.open();
    return model.ok() ? std::string() : model.error().message;
  };
  OnnxMaker self, many, doubled;
  self.node("f", {"a"}, {"b"}, {}, "", "own").function("f", {"a"}, {"b"});
  CHECK(unsupported_reason(self, "f", {"x"}).find("'f' calls itself") != std::string::npos);
  many.node("Relu", {"a"}, {"b"}).function("f", {"a"}, {"b"});
  CHECK(unsupported_reason(many, "f", {"x", "x"}).find("'f' has 1 inputs") != std::string::npos);
  // Each calls the next one twice: more than fits anywhere.
  for (int i = 0; i < 60; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    doubled.node(next, {"a"}, {"t"}, {}, "", "own").node(next, {"t"}, {"b"}, {}, "", "own");
    doubled.function("f" + std::to_string(i), {"a"}, {"b"});
  }
  doubled.function("f60", {"a"}, {"b"});
  CHECK(unsupported_reason(doubled, "f0", {"x"}).find("million") != std::string::npos);
}

TEST_CASE("a function uses its own opset") {
  OnnxMaker m(13);  // in which axes are no attribute
  m.node("Unsqueeze", {"a"}, {"b"}, {{"axes", std::vector<int64_t>{0}}}).function("f", {"a"}, {"b"}, {}, 11);
  m.input("x", {4}).output("y").node("f", {"x"}, {"y"}, {}, "call", "own");
  auto model = m.open();
  REQUIRE(model.ok());
  for (const std::string& problem : model->problems) FAIL_CHECK(problem);
  CHECK(to_string(model->outputs[0].tensor.sizes()) == "[1, 4]");
  const auto layers = model->context.layer_names();
  CHECK(std::find(layers.begin(), layers.end(), "f call") != layers.end());
}
