// SPDX-License-Identifier: MIT
// The nodes of an ONNX file in the lowered graph, and the graph of the file itself.
#include <arenascope/base/layer_name.h>
#include <arenascope/graph/provenance.h>
#include <arenascope/schedule/describe.h>

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "onnx_maker.h"

namespace arenascope::models::test {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

const trace::TensorInfo& named(const trace::GraphInfo& graph, const std::string& name) {
  static const trace::TensorInfo none;
  const NodeId found = graph.find_named(name);
  CHECK_MESSAGE(found.valid(), name);
  return found.valid() ? graph.nodes[found.index()] : none;
}

}  // namespace

TEST_CASE("nodes of the graph are found by the names and operators of the file") {
  OnnxMaker m(17);
  m.input("x", {2, 4}).output("p").weight("thr", {}, Floats{5});
  m.node("Sub", {"x", "thr"}, {"h2"}, {}, "shift").node("Sqrt", {"h2"}, {"h3"}, {}, "root_of_negative");
  m.node("LogSoftmax", {"h3"}, {"p"}, {}, "prob");
  auto model = m.open();
  REQUIRE(model.ok());
  const trace::GraphInfo graph = describe_graph(model->graph);
  CHECK(named(graph, "root_of_negative").name == "h3");
  CHECK(named(graph, "root_of_negative").file_nodes == std::vector<trace::FileNodeInfo>{{"Sqrt", "root_of_negative"}});
  CHECK(named(graph, "h3").op == "SQRT");
  for (const trace::TensorInfo& node : graph.nodes) CHECK(node.file_nodes.size() == 1);
  CHECK(!graph.find_named("").valid());
  CHECK(model->file_graph == nullptr);  // there are no file nodes to expand
  CHECK(model->file_node_count == 3);
}

TEST_CASE("every iteration of a loop bears the names of its body") {
  OnnxMaker body(16), m(16);
  body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {4});
  body.output("go_out", {}, kBool).output("s_out", {4}).node("Identity", {"go"}, {"go_out"}, {}, "keep");
  body.node("Exp", {"s"}, {"s_out"}, {}, "grow");
  m.input("x", {4}).output("y").weight("times", {}, Ints{3});
  auto model = m.node("Loop", {"times", "", "x"}, {"y"}, {{"body", &body}}, "loop").open();
  REQUIRE(model.ok());
  const trace::GraphInfo graph = describe_graph(model->graph);
  CHECK(std::ranges::count_if(graph.nodes, [](const auto& node) { return node.is_named("grow"); }) == 3);
  CHECK(model->node_count == 7);
  CHECK(model->file_node_count == 3);
  REQUIRE(model->file_graph);
  CHECK(model->file_graph->of_file);
  CHECK(model->file_graph->nodes.size() == 3);
}

TEST_CASE("bodies of If, Loop and Scan are layers within each other, though a run decides which are executed") {
  OnnxMaker scan(16), yes(16), no(16), inner(16), outer(16), m(16);
  scan.input("sum", {3}).input("e", {3}).output("sum_out", {3}).node("Add", {"sum", "e"}, {"sum_out"}, {}, "deepest");
  yes.output("scanned").node("Scan", {"s", "x"}, {"scanned"}, {{"body", &scan}, {"num_scan_inputs", int64_t{1}}},
                             "scan");
  no.output("less").node("Sub", {"s", "s"}, {"less"}, {}, "less");
  inner.input("i", {}, kInt64).input("go", {}, kBool).input("s", {3});
  inner.output("go_out", {}, kBool).output("s_out", {3}).node("Identity", {"go"}, {"go_out"});
  inner.node("If", {"c2"}, {"s_out"}, {{"then_branch", &yes}, {"else_branch", &no}}, "inner_if");
  outer.output("looped").node("Loop", {"n", "c1", "first"}, {"looped"}, {{"body", &inner}}, "loop");
  OnnxMaker other(16);
  other.output("twice").node("Add", {"first", "first"}, {"twice"}, {}, "twice");
  m.input("x", {2, 3}).input("first", {3}).input("n", {}, kInt64).input("c1", {}, kBool).input("c2", {}, kBool);
  m.output("y").node("If", {"c1"}, {"y"}, {{"then_branch", &outer}, {"else_branch", &other}}, "outer_if");
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->file_graph);
  const trace::GraphInfo& file = *model->file_graph;
  CHECK(file.nodes.size() == 8);
  CHECK(model->file_node_count == 8);
  CHECK(named(file, "deepest").layer ==
        "If outer_if / then_branch / Loop loop / body / If inner_if / then_branch / Scan scan / body");
  CHECK(named(file, "scan").layer ==
        "If outer_if / then_branch / Loop loop / body / If inner_if / then_branch / Scan scan");
  CHECK(named(file, "outer_if").layer == "If outer_if");
  CHECK((file.nodes.back().flags & trace::kOutput) != 0);
  for (size_t i = 0; i < file.nodes.size(); ++i)  // inputs before users
    for (const trace::TensorRef source : file.nodes[i].sources) CHECK((source.is_leaf() || source.index() < i));
  // A body reads values of the graphs around it.
  const trace::TensorInfo& twice = named(file, "twice");
  REQUIRE(twice.sources.size() == 2);
  CHECK(file.leafs[twice.sources[0].index()].name == "first");
}

TEST_CASE("a local function is a layer of the file's graph") {
  OnnxMaker m(13);
  m.node("Relu", {"a"}, {"b"}, {}, "inside").function("f", {"a"}, {"b"});
  m.input("x", {4}).output("y").node("f", {"x"}, {"t"}, {}, "first", "own").node("f", {"t"}, {"y"}, {}, "again", "own");
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->file_graph);
  CHECK(named(*model->file_graph, "inside").layer == "function f");
  CHECK(named(*model->file_graph, "again").op == "own::f");
  CHECK(model->file_node_count == 3);
  const trace::GraphInfo graph = describe_graph(model->graph);
  CHECK(named(graph, "again/inside").op == "RELU");
}

TEST_CASE("parameters that are strings have the bytes of their characters") {
  OnnxMaker m(20);
  m.input("s", {3}, kString).output("y", {3}, kString).weight("end", {3}, std::vector<std::string>{"ab", "c", "ab"});
  m.node("StringConcat", {"s", "end"}, {"y"});
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK(model->parameter_bytes == 5);
}

TEST_CASE("constants that are numbers or lists have their bytes") {
  OnnxMaker m(20);
  m.input("x", {2}).output("y", {2});
  m.node("Constant", {}, {"a"}, {{"value_float", 1.0F}}).node("Constant", {}, {"b"}, {{"value_floats", Floats{1, 2}}});
  m.node("Constant", {}, {"axes"}, {{"value_ints", std::vector<int64_t>{0}}});
  m.node("Add", {"x", "a"}, {"s"}).node("Add", {"s", "b"}, {"t"}).node("ReduceSum", {"t", "axes"}, {"y"});
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK(model->parameter_bytes == 4 + 8 + 8);
}

TEST_CASE("parameters have the bytes of the file, and weights those that running takes") {
  OnnxMaker m(21);
  m.input("x", {1, 3, 4}).output("y", {1, 1, 1, 2}).opset("com.microsoft", 1);
  m.raw_weight("w", {1, 4, 8}, std::string(32, '\1'), 3).raw_weight("r", {1, 2, 8}, std::string(16, '\1'), 3);
  m.weight("ws", {1}, Floats{0.1F}).weight("rs", {1}, Floats{0.1F});
  m.raw_weight("wz", {1}, std::string(1, '\0'), 3).raw_weight("rz", {1}, std::string(1, '\0'), 3);
  m.node("DynamicQuantizeLSTM", {"x", "w", "r", "", "", "", "", "", "ws", "wz", "rs", "rz"}, {"y"},
         {{"hidden_size", int64_t{2}}}, "lstm", "com.microsoft");
  auto model = m.open();
  REQUIRE(model.ok());
  for (const std::string& problem : model->problems) FAIL_CHECK(problem);
  CHECK(model->parameter_bytes == 32 + 16 + 4 + 4 + 1 + 1);
  CHECK(model->weight_bytes() >= 4 * (32 + 16));  // opened as f32
  // The operators that it consists of are not in the file.
  CHECK(model->node_count == 1);
  for (const trace::TensorInfo& node : describe_graph(model->graph).nodes)
    CHECK(node.file_nodes == std::vector<trace::FileNodeInfo>{{"com.microsoft::DynamicQuantizeLSTM", "lstm"}});
}

}  // namespace arenascope::models::test
