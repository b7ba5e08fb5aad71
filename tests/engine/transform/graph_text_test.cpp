// SPDX-License-Identifier: MIT
// The textual form of graphs: the graph of a text has the same text, for every op, for random networks and for what the
// transforms make of them.
#include <arenascope/graph/graph_text.h>

#include <algorithm>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/precision.h>
#include <doctest/doctest.h>

#include "tests/engine/transform/random_networks.h"

using namespace arenascope;

namespace {

Context descriptors() { return *Context::create({.no_alloc = true, .grow = true}); }

Result<ParsedGraph> parsed(std::string_view text) { return parse_graph(text, descriptors()); }

std::string error_of(std::string_view text) {
  const auto graph = parsed(text);
  return graph ? "" : graph.error().message;
}

void check_round_trip(const Graph& graph) {
  const std::string text = to_text(graph);
  CAPTURE(text);
  const auto again = parsed(text);
  REQUIRE_MESSAGE(again.ok(), again.error().message);
  CHECK(to_text(again->graph) == text);
  REQUIRE(again->graph.nodes().size() == graph.nodes().size());
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const TensorImpl &a = *graph.nodes()[i], &b = *again->graph.nodes()[i];
    CHECK(a.op == b.op);
    CHECK(a.flags == b.flags);
    if (!a.name.empty()) CHECK(std::string_view(a.name) == std::string_view(b.name));
    CHECK(std::ranges::equal(a.strides.span(), b.strides.span()));
  }
}

}  // namespace

TEST_CASE("a graph is printed and parsed") {
  const char* const text =
      "x = input f32 [1,3,8,8]\n"
      "w = weight f32 [4,3,3,3]\n"
      "layer \"encoder\"\n"
      "c = CONV x w pads_begin=[1,1] pads_end=[1,1] -> f32 [1,4,8,8]\n"
      "s = SOFT_MAX c axis=1 -> f32 [1,4,8,8]\n"
      "r = RESHAPE s sizes=[4,64] -> f32 [4,64]\n"
      "f = FUSED x w s { CONV sources=2 strides=[2,2] pads_begin=[1,1] pads_end=[1,1] ; ADD v0 s2 ; RELU v1 } -> f32 "
      "[1,4,4,4]\n"
      "output r\n";
  std::string unfused;  // the sizes of s do not suit the fused node
  for (std::string_view lines = text; !lines.empty();) {
    const std::string_view line = lines.substr(0, lines.find('\n') + 1);
    if (!line.starts_with("f = ")) unfused += line;
    lines.remove_prefix(line.size());
  }
  const auto graph = parsed(unfused);
  REQUIRE_MESSAGE(graph.ok(), graph.error().message);
  CHECK(to_text(graph->graph) == unfused);
  CHECK(graph->tensors.at("r").impl()->has(kFlagOutput));
  CHECK(error_of(text).starts_with("line 7: "));
}

TEST_CASE("parameters are given in order or by name") {
  const char* const given = "x = input f32 2 3 4\n";
  const auto same = [&](const char* left, const char* right) {
    const auto a = parsed(std::string(given) + left), b = parsed(std::string(given) + right);
    REQUIRE_MESSAGE(a.ok(), a.error().message);
    REQUIRE_MESSAGE(b.ok(), b.error().message);
    CHECK(to_text(a->graph) == to_text(b->graph));
  };
  same("y = RESHAPE x 6 4", "y = RESHAPE x sizes=[6, 4] -> f32 [6,4]");
  same("y = PERMUTE x 0 2 1", "y = PERMUTE x axes=[0,2,1]");
  same("y = REDUCE_SUM x 1 2", "y = REDUCE_SUM x axes=[1,2] keep_dims=true");
  same("y = SLICE x 1 0 2", "y = VIEW x sizes=[2,2,4] strides=[12,4,1]");
  same("y = CAST x f16", "y = CAST x dtype=f16");
  same("y = CLAMP x 0 6", "y = CLAMP x high=6 low=0");
}

TEST_CASE("errors name the line and what is wrong") {
  const std::string given = "x = input f32 2 3\n\n# a comment\n";
  CHECK(error_of(given + "y = RELU z") == "line 4: 'z' is not defined before this line");
  CHECK(error_of(given + "y = RELUX x") == "line 4: unknown op 'RELUX'");
  CHECK(error_of(given + "x = RELU x") == "line 4: 'x' is defined twice");
  CHECK(error_of(given + "y = RELU x 3") == "line 4: 'RELU' does not accept the argument '3'");
  CHECK(error_of(given + "y = RELU x axis=3") == "line 4: 'RELU' has no parameter 'axis'");
  CHECK(error_of(given + "y = SOFT_MAX x one") == "line 4: 'SOFT_MAX': invalid axis 'one'");
  CHECK(error_of(given + "y = RELU x -> f32 [3,2]") == "line 4: 'y' is f32 [2,3], expected f32 [3,2]");
  CHECK(error_of(given + "y = input") == "line 4: leaf tensor: expected a data type and sizes");
  CHECK(error_of(given + "output y") == "line 4: the output 'y' is not defined");
  CHECK(error_of(given + ",") == "line 4: node: expected a name, =, an op and its inputs");
  CHECK(error_of(given + "y = FUSED x") == "line 4: FUSED: expected its ops in braces after its inputs");
  CHECK(error_of(given + "y = FUSED x { RELU x }") == "line 4: FUSED: expected an operand such as s0 or v0, found 'x'");
  CHECK(error_of(given + "y = MUL_MAT x").starts_with("line 4: "));
  CHECK(error_of(given + "y = 3") == "line 4: unknown op '3'");
  CHECK(error_of(given + "y = MUL_MAT x 3") == "line 4: 'MUL_MAT': expected 2 inputs, found 1");
  CHECK(error_of(given + "y = CLAMP \"x") == "line 4: expected a closing quote, found the end of the line");
  CHECK(error_of(given + "y = RELU x -> f32 [2,3] name=\"y") ==
        "line 4: expected a closing quote, found the end of the line");
}

TEST_CASE("malformed entries of FUSED are errors") {
  const auto error_of_entry = [](const std::string& entry) {
    return error_of("x = input f32 2 3\nw = weight f32 4 3\ny = FUSED x w { " + entry + " }");
  };
  CHECK(error_of_entry("RELU s0") == "");
  CHECK(error_of_entry("RELU s0junk") == "line 3: FUSED: expected an operand such as s0 or v0, found 's0junk'");
  CHECK(error_of_entry("RELU \"\"") == "line 3: FUSED: expected an operand such as s0 or v0, found ''");
  CHECK(error_of_entry("RELU s0 s1") == "line 3: FUSED: RELU: expected p=NUMBER or q=NUMBER, found 's1'");
  CHECK(error_of_entry("RELU s0 axis=1") == "line 3: FUSED: RELU: expected p=NUMBER or q=NUMBER, found 'axis=1'");
  CHECK(error_of_entry("CLAMP s0 p=0 q=1.5abc") == "line 3: FUSED: expected a number, found '1.5abc'");
  CHECK(error_of_entry("CAST s0 dtype=f16 p=1") == "line 3: FUSED: CAST: expected an operand and dtype=…");
  CHECK(error_of_entry("MUL_MAT sources=1x ; RELU v0") ==
        "line 3: FUSED: sources: expected an integer from 0 to 2, found '1x'");
}

TEST_CASE("marks of a layout or memory are accepted only where they apply") {
  const std::string given = "x = input f32 2 3 4 5\n";
  CHECK(error_of(given + "y = RELU x -> f32 [2,3,4,5] channels_last host") == "");
  CHECK(error_of("z = input f32 2 3\ny = RELU z -> f32 [2,3] channels_last") ==
        "line 2: 'y' cannot be channels_last: it has 2 dimensions, expected 4");
  CHECK(error_of(given + "y = PERMUTE x 0 1 3 2 -> f32 [2,3,5,4] channels_last") ==
        "line 2: 'y' cannot be channels_last: it is a view");
  CHECK(error_of("x = input f32 2 3 host") == "line 1: 'x' cannot be host: it is a leaf");
}

TEST_CASE("a view that is not contiguous is copied before it is reshaped") {
  const auto graph = parsed("x = input f32 2 3\nt = TRANSPOSE x\ny = RESHAPE t 6\n");
  REQUIRE_MESSAGE(graph.ok(), graph.error().message);
  CHECK(graph->tensors.at("y")->sources[0]->op == Op::Cont);
}

TEST_CASE("every op has a text that restores its parameters") {
  for (const OpCase& op : op_cases(true)) {
    CAPTURE(op.name);
    const Context context = descriptors();
    auto built = op.build(context);
    REQUIRE(built.ok());
    Graph graph = *Context(context).new_graph(16);
    REQUIRE(graph.expand(built->output).ok());
    check_round_trip(graph);
    const auto again = parsed(to_text(graph));
    REQUIRE(again.ok());
    const TensorImpl &a = *built->output, &b = *again->graph.nodes().back();
    CHECK(to_text(again->graph) == to_text(graph));
    // The remaining ops have parameters beyond the rank of the input, which are not used.
    const bool has_unused = a.op == Op::Permute || a.op == Op::Conv || a.op == Op::ConvTranspose ||
                            a.op == Op::MaxPoolBack || info(a.op).family == OpFamily::Window;
    if (!has_unused && a.op != Op::Fused) CHECK(OpParams(a.params) == OpParams(b.params));
  }
}

TEST_CASE("random networks and their transforms keep their text") {
  const auto backend = cpu::make_cpu_backend();
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const test::RandomNetwork network(seed);
    check_round_trip(network.graph);
    const auto fused = fuse_graph(network.graph, *backend);
    REQUIRE(fused.ok());
    check_round_trip(fused->graph);
    const auto laid_out = lay_out_images(fused->graph, *backend);
    REQUIRE(laid_out.ok());
    check_round_trip(laid_out->graph);
    if (const auto half = convert_precision(network.graph)) check_round_trip(half->graph);
  }
}
