// SPDX-License-Identifier: MIT
// Operators are lowered to the ops, parameters and shapes of ONNX's specification.
#include <arenascope/models/npy.h>
#include <doctest/doctest.h>

#include <algorithm>

#include "onnx_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

using Ints = std::vector<int64_t>;

// One operator over inputs of the given shapes; its first result's type, shape and the ops that make it.
struct Lowered {
  std::string shape, problem;
  std::vector<Op> ops;
  Model model;
};

Lowered lower(const OnnxMaker& m, const OpenOptions& options = {}) {
  auto model = m.open(options);
  REQUIRE(model.ok());
  Lowered out;
  out.problem = model->problems.empty() ? "" : model->problems[0];
  if (model->outputs[0].tensor) out.shape = to_string(model->outputs[0].tensor.sizes());
  if (model->graph.defined())
    for (const TensorImpl* node : model->graph.nodes()) out.ops.push_back(node->op);
  out.model = std::move(*model);
  return out;
}

Lowered one(const std::string& op, const std::vector<std::vector<int64_t>>& inputs,
            const std::vector<Attr>& attributes = {}, int64_t opset = 13) {
  OnnxMaker m(opset);
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    names.push_back("x" + std::to_string(i));
    m.input(names.back(), inputs[i]);
  }
  std::vector<std::string> results{"y"};
  if (op == "TopK") results.emplace_back("places");
  m.output("y").node(op, names, results, attributes);
  return lower(m);
}

}  // namespace

TEST_CASE("convolutions and pools: pads, strides, auto_pad and groups") {
  CHECK(one("Conv", {{1, 4, 8, 8}, {6, 4, 3, 3}}).shape == "[1, 6, 6, 6]");
  CHECK(one("Conv", {{1, 4, 8, 8}, {6, 2, 3, 3}}, {{"group", int64_t{2}}, {"pads", Ints{1, 1, 1, 1}}}).shape ==
        "[1, 6, 8, 8]");
  CHECK(one("Conv", {{1, 1, 7}, {1, 1, 3}}, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{2}}}).shape ==
        "[1, 1, 4]");
  CHECK(one("Conv", {{1, 1, 4, 4, 4}, {2, 1, 2, 2, 2}}).shape == "[1, 2, 3, 3, 3]");
  CHECK(!one("Conv", {{1, 1, 8, 8}, {1, 1, 3, 3}}, {{"strides", Ints{0, 1}}}).problem.empty());
  CHECK(!one("Conv", {{1, 1, 8, 8}, {1, 1, 3, 3}}, {{"kernel_shape", Ints{5, 5}}}).problem.empty());
  CHECK(one("ConvTranspose", {{1, 2, 3, 3}, {2, 2, 3, 3}}, {{"strides", Ints{2, 2}}}).shape == "[1, 2, 7, 7]");
  CHECK(one("ConvTranspose", {{1, 1, 3, 3}, {1, 2, 3, 3}}, {{"strides", Ints{3, 2}}, {"output_shape", Ints{10, 8}}})
            .shape == "[1, 2, 10, 8]");
  CHECK(
      one("MaxPool", {{1, 1, 5, 5}}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", int64_t{1}}})
          .shape == "[1, 1, 3, 3]");
  CHECK(one("AveragePool", {{1, 1, 5, 5}}, {{"kernel_shape", Ints{3, 3}}, {"auto_pad", std::string("SAME_LOWER")}})
            .shape == "[1, 1, 5, 5]");
  CHECK(one("GlobalAveragePool", {{1, 3, 5, 7}}).shape == "[1, 3, 1, 1]");
  CHECK(!one("MaxPool", {{1, 1, 5, 5}}).problem.empty());
}

TEST_CASE("asymmetric pads become op parameters") {
  const auto low = one("Conv", {{1, 1, 7}, {1, 1, 3}}, {{"auto_pad", std::string("SAME_LOWER")}, {"strides", Ints{2}}});
  CHECK(low.shape == "[1, 1, 4]");
  const auto p = low.model.outputs[0].tensor->params.get<ConvParams>();
  CHECK(p.pads_begin[0] == 1);
  CHECK(p.pads_end[0] == 1);
  const auto even =
      one("Conv", {{1, 1, 8}, {1, 1, 3}}, {{"auto_pad", std::string("SAME_LOWER")}, {"strides", Ints{2}}});
  const auto q = even.model.outputs[0].tensor->params.get<ConvParams>();
  CHECK(q.pads_begin[0] == 1);
  CHECK(q.pads_end[0] == 0);
}

TEST_CASE("matmuls become MUL_MAT for all transpositions") {
  for (int64_t ta : {0, 1})
    for (int64_t tb : {0, 1}) {
      const auto y =
          one("Gemm", {ta ? Ints{3, 2} : Ints{2, 3}, tb ? Ints{4, 3} : Ints{3, 4}}, {{"transA", ta}, {"transB", tb}});
      CHECK(y.shape == "[2, 4]");
      CHECK(y.ops.back() == Op::MulMat);
    }
  const auto biased = one("Gemm", {{2, 3}, {3, 4}, {4}});
  CHECK(biased.model.outputs[0].tensor->sources.size() == 3);
  const auto scaled = one("Gemm", {{2, 3}, {3, 4}, {2, 1}}, {{"beta", 0.5f}});
  CHECK(scaled.ops.back() == Op::Add);
  CHECK(one("MatMul", {{5, 2, 3}, {3, 4}}).shape == "[5, 2, 4]");
  CHECK(one("MatMul", {{5, 1, 2, 3}, {6, 3, 4}}).shape == "[5, 6, 2, 4]");
  CHECK(one("MatMul", {{3}, {3, 4}}).shape == "[4]");
  CHECK(one("MatMul", {{2, 3}, {3}}).shape == "[2]");
  CHECK(one("MatMul", {{3}, {3}}).shape == "[]");
  CHECK(!one("MatMul", {{2, 3}, {2, 3}}).problem.empty());
  CHECK(one("Einsum", {{2, 3, 4}, {2, 4, 5}}, {{"equation", std::string("bij, bjk -> bik")}}).shape == "[2, 3, 5]");
  CHECK(one("Einsum", {{3, 4}}, {{"equation", std::string("ij->ji")}}).shape == "[4, 3]");
  CHECK(!one("Einsum", {{3, 4}}, {{"equation", std::string("ii->i")}}).problem.empty());
}

TEST_CASE("computed shapes are folded to constants") {
  OnnxMaker m;
  m.input("x", {2, 3, 4})
      .output("y")
      .weight("zero", {1}, Ints{0})
      .weight("one", {1}, Ints{1})
      .weight("rest", {1}, Ints{-1});
  m.node("Shape", {"x"}, {"s"})
      .node("Slice", {"s", "zero", "one"}, {"n"})
      .node("Concat", {"n", "rest"}, {"t"}, {{"axis", int64_t{0}}})
      .node("Reshape", {"x", "t"}, {"y0"})
      .node("Relu", {"y0"}, {"y"});
  const auto y = lower(m);
  CHECK(y.shape == "[2, 12]");
  CHECK(y.ops == std::vector<Op>{Op::Reshape, Op::Relu});
}

TEST_CASE("large constants are generated at loading, including reshape and transpose") {
  OnnxMaker m;
  m.input("x", {1, 200}).output("y").weight("s", {2}, Ints{300, 400}).weight("t", {2}, Ints{200, 600});
  m.node("ConstantOfShape", {"s"}, {"c"}).node("Reshape", {"c", "t"}, {"w"}).node("MatMul", {"x", "w"}, {"y"});
  auto y = lower(m);
  CHECK(y.shape == "[1, 600]");
  CHECK(y.ops == std::vector<Op>{Op::MulMat});
  CHECK(y.model.weight_bytes() == 300 * 400 * 4);
  CHECK(y.model.parameter_bytes == 4 * 8);  // only the two shape tensors, 4 int64 in total
}

TEST_CASE("a target shape that is an input uses its provided values") {
  OnnxMaker m;
  m.input("x", {2, 6})
      .input("t", {2}, kInt64)
      .output("y")
      .node("Reshape", {"x", "t"}, {"y0"})
      .node("Relu", {"y0"}, {"y"});
  CHECK(!lower(m).problem.empty());
  auto shape = host_tensor({2}, DType::I64);
  REQUIRE(shape.ok());
  shape->data_as<int64_t>()[0] = 4;
  shape->data_as<int64_t>()[1] = -1;
  OpenOptions options;
  options.inputs["t"] = *shape;
  auto y = lower(m, options);
  CHECK(y.shape == "[4, 3]");
  CHECK(y.model.fixed_inputs == std::vector<std::string>{"t"});
}

TEST_CASE("data movement operators") {
  CHECK(one("Transpose", {{2, 3, 4}}).shape == "[4, 3, 2]");
  CHECK(one("Flatten", {{2, 3, 4}}, {{"axis", int64_t{-1}}}).shape == "[6, 4]");
  CHECK(one("Concat", {{2, 3}, {2, 5}}, {{"axis", int64_t{-1}}}).shape == "[2, 8]");
  CHECK(one("SpaceToDepth", {{1, 2, 4, 6}}, {{"blocksize", int64_t{2}}}).shape == "[1, 8, 2, 3]");
  CHECK(one("Split", {{6, 2}}).shape == "[6, 2]");
  CHECK(one("Unsqueeze", {{2, 3}}, {{"axes", Ints{0, -1}}}, 11).shape == "[1, 2, 3, 1]");
  CHECK(one("Squeeze", {{1, 2, 1}}, {}, 11).shape == "[2]");
  CHECK(one("Slice", {{5, 4}}, {{"starts", Ints{1, -3}}, {"ends", Ints{1000, -1}}}, 9).shape == "[4, 2]");
  CHECK(one("Pad", {{2, 3}}, {{"pads", Ints{1, 0, 0, 2}}, {"mode", std::string("edge")}}, 10).shape == "[3, 5]");
  CHECK(!one("Transpose", {{2, 3}}, {{"perm", Ints{0, 0}}}).problem.empty());
  CHECK(!one("Unsqueeze", {{2}}, {{"axes", Ints(8, 0)}}, 11).problem.empty());
}

TEST_CASE("normalisations, reductions and other row operators") {
  CHECK(one("Softmax", {{2, 3, 4}}, {}, 9).shape == "[2, 3, 4]");
  CHECK(one("Softmax", {{2, 3, 4}}).ops == std::vector<Op>{Op::SoftMax});
  CHECK(one("ReduceLogSumExp", {{2, 3}}, {{"keepdims", int64_t{0}}, {"axes", Ints{1}}}).shape == "[2]");
  CHECK(one("ReduceMean", {{2, 3}}, {{"axes", Ints{-1}}}).shape == "[2, 1]");
  CHECK(one("ArgMax", {{2, 3}}, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}).shape == "[2]");
  CHECK(one("TopK", {{2, 5}}, {{"k", int64_t{3}}}, 9).problem.empty());
  CHECK(one("Hardmax", {{2, 5}}).shape == "[2, 5]");
  CHECK(one("InstanceNormalization", {{2, 3, 4}, {3}, {3}}).ops == std::vector<Op>{Op::GroupNorm});
  CHECK(one("BatchNormalization", {{2, 3, 4}, {3}, {3}, {3}, {3}}).ops == std::vector<Op>{Op::BatchNorm});
  CHECK(one("Sum", {{2}, {2}, {2}}).ops == std::vector<Op>{Op::Add, Op::Add});
  CHECK(one("LSTM", {{5, 2, 3}, {1, 16, 3}, {1, 16, 4}}, {{"hidden_size", int64_t{4}}}).shape == "[5, 1, 2, 4]");
  CHECK(one("GRU", {{5, 2, 3}, {2, 12, 3}, {2, 12, 4}},
            {{"hidden_size", int64_t{4}}, {"direction", std::string("bidirectional")}})
            .shape == "[5, 2, 2, 4]");
  CHECK(
      one("RNN", {{2, 5, 3}, {1, 4, 3}, {1, 4, 4}}, {{"hidden_size", int64_t{4}}, {"layout", int64_t{1}}}, 14).shape ==
      "[2, 5, 1, 4]");
  CHECK(one("Dropout", {{2, 3}}).ops == std::vector<Op>{Op::Copy});
}

TEST_CASE("a GRU or RNN with default activations is one op") {
  const auto count = [](const std::string& op, bool lengths, const std::vector<Attr>& attributes) {
    const int64_t gates = op == "GRU" ? 3 : 1;
    OnnxMaker m(14);
    m.input("x", {5, 2, 3}).input("w", {2, gates * 4, 3}).input("r", {2, gates * 4, 4}).output("y");
    std::vector<std::string> inputs{"x", "w", "r"};
    if (lengths) m.input("n", {2}, kInt32), inputs.insert(inputs.end(), {"", "n"});
    std::vector<Attr> all{{"hidden_size", int64_t{4}}, {"direction", std::string("bidirectional")}};
    all.insert(all.end(), attributes.begin(), attributes.end());
    const Lowered made = lower(m.node(op, inputs, {"y"}, all));
    CHECK(made.problem.empty());
    CHECK(made.shape == "[5, 2, 2, 4]");
    return std::count(made.ops.begin(), made.ops.end(), op == "GRU" ? Op::Gru : Op::Rnn);
  };
  CHECK(count("GRU", false, {}) == 1);
  CHECK(count("GRU", false, {{"linear_before_reset", int64_t{1}}}) == 1);
  CHECK(count("GRU", true, {}) == 1);
  CHECK(count("RNN", false, {}) == 1);
  CHECK(count("RNN", true, {}) == 2);  // one per direction
  CHECK(count("GRU", false, {{"clip", 3.0f}}) == 0);
}

TEST_CASE("an If with a known condition is replaced by its branch") {
  OnnxMaker yes, no;
  yes.output("a").node("Relu", {"x"}, {"a"});
  no.output("b").node("Neg", {"x"}, {"b"});
  for (int64_t same : {0, 1}) {
    OnnxMaker m;
    m.input("x", {2}).output("y").weight("p", {}, Ints{1}).weight("q", {}, Ints{same});
    m.node("Equal", {"p", "q"}, {"c"}).node("If", {"c"}, {"y"}, {{"then_branch", &yes}, {"else_branch", &no}});
    CHECK(lower(m).ops == std::vector<Op>{same ? Op::Relu : Op::Neg});
  }
  OnnxMaker open;
  open.input("x", {2})
      .input("z", {})
      .output("y")
      .node("Cast", {"z"}, {"c"}, {{"to", int64_t{kBool}}})
      .node("If", {"c"}, {"y"}, {{"then_branch", &yes}, {"else_branch", &no}});
  const Lowered waiting = lower(open);
  CHECK(waiting.problem.empty());
  REQUIRE(waiting.model.deferred);
  CHECK(waiting.model.deferred->why.find("condition") != std::string::npos);
}

TEST_CASE("layers come from names, or from narrow cuts of the graph") {
  OnnxMaker named, numbered;
  named.input("x", {2}).output("net/l5/b");
  numbered.input("0", {2}).output("24");
  std::string last = "x";
  for (int layer = 0; layer < 6; ++layer)
    for (const char* part : {"a", "r", "b"}) {
      const std::string next = "net/l" + std::to_string(layer) + "/" + part;
      named.node("Relu", {last}, {next});
      last = next;
    }
  for (int i = 0; i < 24; ++i) numbered.node("Relu", {std::to_string(i)}, {std::to_string(i + 1)});
  auto a = named.open(), b = numbered.open();
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  CHECK(a->context.layer_names().size() == 6);
  CHECK(a->context.layer_names()[0] == "l0");
  CHECK(b->context.layer_names().size() == 6);
  CHECK(b->context.layer_names()[0] == "1 … 4");
}

TEST_CASE("a few large groups of names are layers too") {
  OnnxMaker m;
  m.input("x", {2}).output("block9/op999");
  std::string last = "x";
  for (int i = 0; i < 1000; ++i) {
    const std::string next = "block" + std::to_string(i / 100) + "/op" + std::to_string(i);
    m.node("Relu", {last}, {next});
    last = next;
  }
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK(model->context.layer_names().size() == 10);
  CHECK(model->context.layer_names()[0] == "block0");
}

TEST_CASE("op names and the complete graph are not layers") {
  OnnxMaker named, whole;
  named.input("x", {2}).output("p2o.Relu.23");
  whole.input("x", {2}).output("y");
  std::string last = "x";
  for (int i = 0; i < 24; ++i) {
    const char* op = i % 4 == 0 ? "Neg" : i % 4 == 1 ? "Sigmoid" : i % 4 == 2 ? "Tanh" : "Relu";
    const std::string next = "p2o." + std::string(op) + "." + std::to_string(i);
    named.node(op, {last}, {next});
    last = next;
  }
  // Two values are always live, so that the only cut is at the end.
  whole.node("Relu", {"x"}, {"a0"}).node("Neg", {"x"}, {"b0"});
  for (int i = 0; i < 6; ++i) {
    const std::string at = std::to_string(i), next = std::to_string(i + 1);
    whole.node("Relu", {"a" + at}, {"a" + next}).node("Neg", {"b" + at}, {"b" + next});
  }
  whole.node("Add", {"a6", "b6"}, {"y"});
  auto a = named.open(), b = whole.open();
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  CHECK(a->context.layer_names().size() == 6);
  CHECK(a->context.layer_names()[0] == "p2o.Neg.0 … p2o.Relu.3");
  CHECK(b->context.layer_names().empty());
}
