// SPDX-License-Identifier: MIT
// Graphs in DOT: ggml's dumps, the language, and hostile input.
#include <arenascope/trace/convert.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <arenascope/trace/unknown_size.h>
#include <doctest/doctest.h>

#include <chrono>

#include "sample_session.h"
#include "sample_traces.h"
#include "tests/sanitized.h"
#include "tests/support/limited_memory.h"

using namespace arenascope;
using namespace arenascope::trace;

namespace {

struct DotFile {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const GraphInfo> graph;
  std::string problem;
};

DotFile read_dot(const std::string& text) {
  Session session;
  const auto report = open_trace(as_bytes(text), "graph.dot", session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  CHECK(report->kind == TraceKind::Dot);
  DotFile out{session.snapshot(), nullptr, report->problem};
  REQUIRE(out.snapshot->graphs.size() == 1);
  out.graph = out.snapshot->graphs[0];
  return out;
}

std::string error_of(const std::string& text) {
  Session session;
  const auto report = import_dot(as_bytes(text), "graph.dot", session);
  return report.ok() ? "" : report.error().message;
}

std::vector<std::string> names_of(const std::vector<TensorInfo>& list) {
  std::vector<std::string> names;
  for (const TensorInfo& tensor : list) names.push_back(tensor.name);
  return names;
}

}  // namespace

TEST_CASE("a dump of ggml opens as a graph of nodes and constants without sizes") {
  const DotFile file = read_dot(test::ggml_dot());
  CHECK(file.graph->model == "graph");
  CHECK(names_of(file.graph->nodes) == std::vector<std::string>{"h", "0x2000"});
  CHECK(names_of(file.graph->leafs) == std::vector<std::string>{"w", "0x4000"});
  CHECK(file.graph->nodes[0].op == "X*Y");
  CHECK(file.graph->nodes[1].op == "relu(x)");
  CHECK(file.graph->nodes[0].parameters == "f32 [4, 2]");
  CHECK(file.graph->leafs[0].parameters == "q4_K [256, 4]");
  CHECK(file.graph->nodes[0].sources == std::vector{TensorRef::leaf(LeafId(0)), TensorRef::leaf(LeafId(1))});
  CHECK(file.graph->nodes[1].sources == std::vector{TensorRef::node(NodeId(0))});
  CHECK(file.graph->edges == 3);
  for (const TensorInfo& node : file.graph->nodes) CHECK(has_unknown_size(node));
  CHECK(file.snapshot->plans.empty());
  CHECK(file.snapshot->event_count == 0);
  CHECK(file.problem.empty());
}

TEST_CASE("the DOT language is read: comments, chains, groups, subgraphs, HTML and joined texts") {
  const DotFile file = read_dot(R"DOT(// a comment
# another
strict digraph "my graph" {
  graph [rankdir=LR]; node [shape=box]
  subgraph cluster_0 { label = "block 0"; a [label="Conv first\nlayer"]; subgraph cluster_1 { b } }
  a -> b -> { c d } [color = red, weight = 2];
  /* e comes last */
  e [label=<<b>Relu</b> x>];
  c:p:n -> e; d -> e
  f [label="one" + " two \"three\""]
})DOT");
  const GraphInfo& graph = *file.graph;
  CHECK(graph.model == "my graph");
  CHECK(names_of(graph.nodes) == std::vector<std::string>{"first layer", "b", "c", "d", "x", "two \"three\""});
  CHECK(graph.nodes[0].op == "Conv");
  CHECK(graph.nodes[4].op == "Relu");
  CHECK(graph.nodes[0].layer == "block 0");
  CHECK(graph.nodes[1].layer == "block 0 / cluster_1");
  CHECK(graph.nodes[2].layer.empty());
  CHECK(graph.nodes[4].sources == std::vector{TensorRef::node(NodeId(2)), TensorRef::node(NodeId(3))});
  CHECK(graph.edges == 5);
}

TEST_CASE("nodes are ordered by their edges, and edges that close a cycle are counted") {
  const DotFile file = read_dot("digraph { z -> y -> x; y -> y; a -> b -> c -> a }");
  CHECK(file.graph->nodes[0].name == "z");
  CHECK(file.problem == "graph.dot: 2 edges that close a cycle: left out.");
  REQUIRE(file.snapshot->problems.size() == 1);
  for (size_t i = 0; i < file.graph->nodes.size(); ++i)
    for (const TensorRef source : file.graph->nodes[i].sources) CHECK(source.index() < i);
}

TEST_CASE("edges into constants are counted separately") {
  const DotFile file = read_dot(R"DOT(digraph {
  w [shape = record; label = "w (f32)|CONST 0 [2]"]; a [shape = record; label = "a (f32)|0 [2]|relu"];
  w -> a -> w; a -> a; a -> w
})DOT");
  CHECK(file.graph->edges == 1);
  CHECK(file.problem == "graph.dot: 2 edges into constants: left out; 1 edge that closes a cycle: left out.");
}

TEST_CASE("a subgraph as the end of an edge has each of its nodes once") {
  const DotFile file = read_dot("digraph { { a -> b; a -> c } -> d; { a -> { x y } y } -> e; f -> { } }");
  const GraphInfo& graph = *file.graph;
  CHECK(names_of(graph.nodes) == std::vector<std::string>{"a", "b", "c", "d", "x", "y", "e", "f"});
  CHECK(graph.nodes[3].sources.size() == 3);
  CHECK(graph.nodes[6].sources.size() == 3);
  CHECK(graph.edges == 2 + 3 + 2 + 3);
}

TEST_CASE("a group without a title is not a layer; a node keeps its first cluster") {
  const DotFile file = read_dot(R"DOT(digraph {
  a; b;
  { rank = same; c; d }
  subgraph cluster_0 { a; c; { rank = same; e } label = "block 0" }
  subgraph cluster_1 { graph [label = "block 1"]; d; a; { f } }
  label = "not a node";
})DOT");
  const GraphInfo& graph = *file.graph;
  CHECK(names_of(graph.nodes) == std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
  std::vector<std::string> layers;
  for (const TensorInfo& node : graph.nodes) layers.push_back(node.layer);
  CHECK(layers == std::vector<std::string>{"block 0", "", "block 0", "block 1", "block 0", "block 1"});
}

TEST_CASE("the shape of a record is kept when its node is mentioned again") {
  const DotFile file =
      read_dot("digraph { a [shape=record; label=\"{Conv first}\"]; a; node [shape=box]; a [color=red]; a -> b }");
  CHECK(file.graph->nodes[0].op == "Conv");
  CHECK(file.graph->nodes[0].name == "first");
}

TEST_CASE("escapes of a label are replaced once, and control characters are blanks") {
  const DotFile file = read_dot(
      "digraph { a [shape=record; label=\"Load|C:\\\\new\"]; b [label=\"Load C:\\\\new\"];"
      "c [label=\"Load x\\\x1by\x7fz\\\x7f\"] }");
  CHECK(names_of(file.graph->nodes) == std::vector<std::string>{"C:\\new", "C:\\new", "x y z"});
  for (const TensorInfo& node : file.graph->nodes) CHECK(node.op == "Load");
}

TEST_CASE("long titles of nested subgraphs need no memory per node of each title") {
  if (test::kSanitized) return;
  std::string text = "digraph {";
  for (int i = 0; i < 60; ++i)
    text += "subgraph cluster_" + std::to_string(i) + "{label=\"" + std::string(20'000, 'x') + "\";";
  for (int i = 0; i < 50'000; ++i) text += "n" + std::to_string(i) + ";";
  const int result = test::with_limited_memory(size_t{200} << 20, [&] {
    const std::string error = error_of(text + std::string(61, '}'));
    return error.find("the labels of the subgraphs") != std::string::npos ? 0 : error.empty() ? 2 : 1;
  });
  CHECK(result == 0);
}

TEST_CASE("a graph that needs more memory than there is has an error") {
  if (test::kSanitized) return;
  std::string text = "digraph {";
  for (int i = 0; i < 100'000; ++i) text += "n" + std::to_string(i) + ";";
  text += "}";
  const int result = test::with_limited_memory(
      size_t{8} << 20, [&] { return error_of(text) == "graph.dot: out of memory while reading the file." ? 0 : 1; });
  CHECK(result == 0);
}

TEST_CASE("many empty subgraphs after many nodes take linear time") {
  std::string text = "digraph {{";
  for (int i = 0; i < 400'000; ++i) text += "n;";
  for (int i = 0; i < 400'000; ++i) text += "{}";
  const auto start = std::chrono::steady_clock::now();
  CHECK(read_dot(text + "}}").graph->nodes.size() == 1);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("malformed DOT has an error with file and line") {
  CHECK(error_of("digraph { a -> }").starts_with("graph.dot: line 1 of the DOT graph: expected a node"));
  CHECK(error_of("digraph {\n a [label=\"x]\n}").find("line 3") != std::string::npos);
  CHECK(error_of("digraph { a").find("expected '}'") != std::string::npos);
  CHECK(error_of("digraph { a [x=] }").find("value of an attribute") != std::string::npos);
  CHECK(error_of("digraph { e [label=<<b>] }").find("HTML label has no end") != std::string::npos);
  CHECK(error_of("digraph { }").find("has no nodes") != std::string::npos);
  CHECK(error_of("graph").find("expected '{'") != std::string::npos);
  std::string deep = "digraph {";
  for (int i = 0; i < 100; ++i) deep += "{";
  CHECK(error_of(deep).find("64 levels") != std::string::npos);
  CHECK(error_of("digraph { a [label=\"" + std::string(70'000, 'x') + "\"] }").find("65536") != std::string::npos);
  std::string product = "digraph { {";
  for (int i = 0; i < 2000; ++i) product += " n" + std::to_string(i);
  CHECK(error_of(product + "} -> {" + product.substr(11) + "} }").find("2,000,000 edges") != std::string::npos);
}

TEST_CASE("other text is not a DOT graph, and DOT is listed among the known formats") {
  Session session;
  const auto report = open_trace(as_bytes(std::string("graphviz")), "graph.dot", session);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().message.find("DOT graph") != std::string::npos);
  for (const char* text : {"graphviz", "id,lower,upper\n", "digraph", "graph of costs", "{\"digraph\": 1}"})
    CHECK(sniff(as_bytes(std::string(text))) != TraceKind::Dot);
}

TEST_CASE("the graph of a recording is written as DOT and read back") {
  Session session;
  test::fill(session, {.runs = 1});
  const auto before = session.snapshot();
  const std::string text = to_string(*before, Format::Dot);
  const DotFile file = read_dot(text);
  const GraphInfo &from = *before->graphs[0], &to = *file.graph;
  REQUIRE(to.nodes.size() == from.nodes.size());
  REQUIRE(to.leafs.size() == from.leafs.size());
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    CHECK(to.nodes[i].name == from.nodes[i].name);
    CHECK(to.nodes[i].op == from.nodes[i].op);
    CHECK(to.nodes[i].layer == from.nodes[i].layer);
    CHECK(to.nodes[i].sources == from.nodes[i].sources);
  }
  CHECK(to_string(*Session().snapshot(), Format::Dot) == "digraph G {\n}\n");
  CHECK(*format_of("a.dot") == Format::Dot);
}

namespace {

GraphInfo graph_of(const std::string& layer) {
  GraphInfo graph;
  graph.id = GraphId(0);
  graph.model = "model";
  graph.nodes = {TensorInfo{.name = "n", .op = "ADD", .layer = layer, .dtype = "f32", .shape = {1}}};
  return graph;
}

std::string dot_of(const GraphInfo& graph) {
  struct Text : TextOut {
    std::string text;
    void put(std::string_view more) override { text += more; }
  } out;
  to_dot(graph, out);
  return out.text;
}

}  // namespace

TEST_CASE("layers of any depth are written in linear size and read back") {
  std::string layer = "a";
  for (int i = 0; i < 10'000; ++i) layer += " / b";
  const std::string text = dot_of(graph_of(layer));
  CHECK(text.size() < 50'000);
  CHECK(read_dot(text).graph->nodes[0].layer == layer);
  for (int i = 0; i < 1'000'000; ++i) layer += " / b";
  CHECK(dot_of(graph_of(layer)).size() < 5'000'000);
  for (const char* nested : {"a / b", "a / b / c", "a /  / b", "a", "x\"{y}\\z / |"}) {
    CAPTURE(nested);
    const std::string expected = std::string(nested) == "a /  / b" ? "a / b" : nested;
    CHECK(read_dot(dot_of(graph_of(nested))).graph->nodes[0].layer == expected);
  }
}

TEST_CASE("names of any bytes are written as valid UTF-8 and keep their fields") {
  GraphInfo graph = graph_of("l\xff");
  graph.model = "C:\\models\n\"x\"";
  graph.nodes[0].name = "C:\\new|{<\xc3>}\x7f\"";
  const DotFile file = read_dot(dot_of(graph));
  CHECK(file.graph->model == "C:\\models \"x\"");
  CHECK(file.graph->nodes[0].name == "C:\\new|{<?>} \"");
  CHECK(file.graph->nodes[0].layer == "l?");
  CHECK(file.graph->nodes[0].op == "ADD");
}
