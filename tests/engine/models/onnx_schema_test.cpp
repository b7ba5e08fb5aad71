// SPDX-License-Identifier: MIT
// The table of ONNX's operator schemas, and nodes that violate their schema.
#include "engine/models/onnx/onnx_schema.h"
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "onnx_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

using Strings = std::vector<std::string>;

// The schema error for a node whose input x is f32[2, 3]; empty if the node is valid.
std::string said(int64_t opset, const std::string& op, const Strings& inputs, const std::vector<Attr>& attributes = {},
                 const Strings& outputs = {"y"}, const std::string& domain = "") {
  OnnxMaker m(opset);
  m.input("x", {2, 3}).input("i", {2, 3}, kInt64).input("b", {2, 3}, kBool).output("y");
  m.node(op, inputs, outputs, attributes, "n", domain);
  auto model = m.open();
  REQUIRE(model.ok());
  if (model->runnable()) return "";
  REQUIRE_FALSE(model->problems.empty());
  CHECK(model->problems[0].find('\n') == std::string::npos);
  return model->problems[0];
}

}  // namespace

TEST_CASE("the schema table has every operator of every opset") {
  const auto names = ir::Schemas::names();
  CHECK(names.size() == 227);
  CHECK(ir::Schemas::newest_opset("") == 28);
  CHECK(ir::Schemas::newest_opset("ai.onnx.ml") == 5);
  CHECK(ir::Schemas::newest_opset("ai.onnx.preview") == 1);
  CHECK(ir::Schemas::newest_opset("ai.onnx.preview.training") == 1);
  CHECK(ir::Schemas::newest_opset("com.microsoft") == 0);
  ir::Schemas schemas;
  int bodies = 0;
  for (const std::string& name : names) {
    CAPTURE(name);
    const size_t colons = name.find("::");
    const std::string domain = colons == name.npos ? "" : name.substr(0, colons);
    const std::string op = colons == name.npos ? name : name.substr(colons + 2);
    for (int64_t opset = ir::Schemas::first_opset(domain, op); opset <= 28; ++opset) {
      const ir::Schema* schema = schemas.find(domain, op, opset);
      REQUIRE(schema);
      CHECK(schema->op == op);
      CHECK(schema->since <= opset);
      CHECK((schema->gone || !schema->outputs.empty()));
      for (const auto* formals : {&schema->inputs, &schema->outputs})
        for (const ir::Formal& formal : *formals) CHECK(formal.allowed != 0);
      for (const ir::AttributeRule& rule : schema->attributes) CHECK((rule.kind >= 1 && rule.kind <= 14));
      if (!schema->body || opset != schema->since) continue;
      ++bodies;
      for (const ir::Node& node : schema->body->nodes) {
        CAPTURE(node.op);
        REQUIRE(schemas.find("", node.op, node.opset));
        CHECK(ir::schema_mismatch(node, *schemas.find("", node.op, node.opset), {}) == "");
      }
    }
  }
  CHECK(bodies == 40);
}

TEST_CASE("schemas are versioned by opset") {
  ir::Schemas schemas;
  CHECK(schemas.find("", "Mish", 17) == nullptr);
  CHECK(ir::Schemas::first_opset("", "Mish") == 18);
  CHECK(schemas.find("", "Upsample", 9)->gone == false);
  CHECK(schemas.find("", "Upsample", 10)->gone);
  CHECK(schemas.find("", "ReduceSum", 11)->attribute("axes"));
  CHECK(schemas.find("", "ReduceSum", 13)->attribute("axes") == nullptr);
  const ir::Schema* celu = schemas.find("", "Celu", 28);
  REQUIRE(celu->attribute("alpha")->usual);
  CHECK(celu->attribute("alpha")->usual->f == 1.0F);
  CHECK(celu->body->nodes.size() == 5);
  CHECK(schemas.find("", "Celu", 27)->body == nullptr);
  CHECK(schemas.find("", "MeanVarianceNormalization", 13)->body->nodes.size() !=
        schemas.find("", "MeanVarianceNormalization", 18)->body->nodes.size());
  const auto& constants = schemas.find("", "PRelu", 16)->body->nodes[0].attributes;
  REQUIRE(constants.at("value").tensor);
  CHECK(constants.at("value").tensor->byte_count == 4);
}

TEST_CASE("unknown attributes and attributes of the wrong type") {
  CHECK(said(13, "Relu", {"x"}) == "");
  CHECK(said(13, "Relu", {"x"}, {{"slope", 1.0F}}) ==
        "Relu 'n': Relu of opset 13 has no attribute 'slope', and none at all");
  CHECK(said(13, "Softmax", {"x"}, {{"axs", int64_t{1}}}) ==
        "Softmax 'n': Softmax of opset 13 has no attribute 'axs', but 'axis'");
  CHECK(said(13, "ReduceSum", {"x"}, {{"axes", std::vector<int64_t>{1}}}) ==
        "ReduceSum 'n': ReduceSum of opset 13 has no attribute 'axes', but keepdims, noop_with_empty_axes");
  CHECK(said(11, "ReduceSum", {"x"}, {{"axes", std::vector<int64_t>{1}}}) == "");
  CHECK(said(13, "Relu", {"x"}, {{"__mark", int64_t{1}}}) == "");
  CHECK(said(13, "Softmax", {"x"}, {{"axis", 1.0F}}) ==
        "Softmax 'n': attribute 'axis' is a number, in opset 13 it is an integer");
  CHECK(said(13, "Transpose", {"x"}, {{"perm", int64_t{1}}}) ==
        "Transpose 'n': attribute 'perm' is an integer, in opset 13 it is integers");
  CHECK(said(13, "Concat", {"x", "x"}) == "Concat 'n': attribute 'axis' is missing");
  CHECK(said(13, "Softmax", {"x"}, {{"axis", int64_t{1}}, {"axis", int64_t{0}}}) ==
        "Softmax 'n': attribute 'axis' is duplicated");
}

TEST_CASE("unexpected inputs and outputs, and wrong types") {
  CHECK(said(13, "Relu", {"x", "x"}) == "Relu 'n': it has 2 inputs, Relu of opset 13 has 1");
  CHECK(said(13, "Add", {"x"}) == "Add 'n': it has 1 input, Add of opset 13 has 2");
  CHECK(said(13, "Add", {"x", ""}) == "Add 'n': input 1 ('B') is missing");
  CHECK(said(13, "Clip", {"x", "", ""}) == "");
  CHECK(said(13, "Clip", {"x", "", "", ""}) == "Clip 'n': it has 4 inputs, Clip of opset 13 has 1 to 3");
  CHECK(said(13, "Relu", {"x"}, {}, {"y", "z"}) == "Relu 'n': it has 2 results, Relu of opset 13 has 1");
  CHECK(said(13, "Max", {}) == "Max 'n': it has 0 inputs, Max of opset 13 has 1 or more");
  CHECK(said(13, "Not", {"x"}) == "Not 'n': input 'x' is of type FLOAT, 'X' of Not in opset 13 may be BOOL");
  CHECK(said(13, "Add", {"x", "i"}) ==
        "Add 'n': inputs 'x' and 'i' are of types FLOAT and INT64, which must be the same");
  CHECK(said(13, "Where", {"b", "x", "x"}) == "");
}

TEST_CASE("fields ignored by ONNX Runtime are accepted") {
  OnnxMaker m(13);
  m.input("x", {2, 3}).output("y").node("Constant", {}, {"c"}, {{"value_float", 2.0F}, {"axis", int64_t{1}}});
  m.node("Mul", {"x", "c"}, {"y"});
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK(model->runnable());
  OnnxMaker old(11);  // as ONNX Runtime's own tools write it
  old.input("x", {2, 3}).weight("g", {3}, std::vector<float>(3, 1)).output("y");
  old.node("LayerNormalization", {"x", "g"}, {"y"}, {{"nonsense", int64_t{1}}});
  auto normal = old.open();
  REQUIRE(normal.ok());
  CHECK(normal->runnable());
  CHECK(said(9, "ThresholdedRelu", {"x"}) == "");
}

TEST_CASE("operators missing in an opset") {
  CHECK(said(13, "Mish", {"x"}) == "Mish 'n': operator Mish does not exist before opset 18; the model uses opset 13");
  CHECK(said(10, "Upsample", {"x", "x"}) ==
        "Upsample 'n': operator Upsample was removed in opset 10; the model uses opset 10");
  CHECK(said(13, "Nonsense", {"x"}) == "Nonsense 'n': operator Nonsense is not supported");
  CHECK(said(29, "Relu", {"x"}).find("opset 29; opsets up to 28 are supported") != std::string::npos);
}

TEST_CASE("an operator without a handler is lowered by its function body") {
  OnnxMaker m(28);
  m.input("x", {2, 3}).input("z", {2, 3}).output("y");
  m.node("SwiGLU", {"x", "z"}, {"y"}, {{"alpha", 2.0F}}, "gate");
  auto model = m.open();
  REQUIRE(model.ok());
  for (const std::string& problem : model->problems) FAIL_CHECK(problem);
  CHECK(model->ops == decltype(model->ops){{"SwiGLU", 1}});
  CHECK(model->node_count == 1);
  REQUIRE(model->outputs[0].tensor);
  CHECK(model->outputs[0].tensor->op == Op::Mul);
  const auto layers = model->context.layer_names();
  CHECK(std::find(layers.begin(), layers.end(), "SwiGLU gate") != layers.end());
  OnnxMaker wrong(28);
  wrong.input("x", {2, 3}).input("z", {2, 4}).output("y").node("SwiGLU", {"x", "z"}, {"y"}, {}, "gate");
  auto refused = wrong.open();
  REQUIRE(refused.ok());
  REQUIRE(refused->problems.size() == 1);
  CHECK(refused->problems[0].starts_with("SwiGLU 'gate': its Mul: "));
}

TEST_CASE("the schema check does not slow down opening") {
  OnnxMaker m(13);
  m.input("x", {2, 3}).output("y").node("Relu", {"x"}, {"y"});
  const auto bytes = m.bytes();
  REQUIRE(open_onnx(bytes, "").ok());
  auto least = std::chrono::nanoseconds::max();
  for (int i = 0; i < 20; ++i) {
    ir::Schemas schemas;
    const auto start = std::chrono::steady_clock::now();
    for (const char* op :
         {"Conv", "Relu", "Gemm", "Reshape", "Add", "LSTM", "Attention", "Resize", "Softmax", "Concat"})
      REQUIRE(schemas.find("", op, 25));
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - start);
  }
  CHECK(least < std::chrono::milliseconds(1));
}
