// SPDX-License-Identifier: MIT
// Graphs in DOT: ggml's dumps, the language, and hostile input.
#include <arenascope/trace/convert.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <arenascope/trace/unknown_size.h>
#include <doctest/doctest.h>

#include "sample_session.h"
#include "sample_traces.h"

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
  CHECK(file.problem.find("2 edges were left out") != std::string::npos);
  REQUIRE(file.snapshot->problems.size() == 1);
  for (size_t i = 0; i < file.graph->nodes.size(); ++i)
    for (const TensorRef source : file.graph->nodes[i].sources) CHECK(source.index() < i);
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

TEST_CASE("other text is not a DOT graph") {
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
