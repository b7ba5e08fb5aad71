// SPDX-License-Identifier: MIT
// Operators without a kernel: a model with one is opened, drawn, printed and planned; the error of a run names it.
#include <algorithm>

#include <arenascope/graph/dot.h>
#include <arenascope/graph/graph_text.h>
#include <arenascope/graph/opaque.h>
#include <arenascope/run/runner.h>
#include <arenascope/run/transform_model.h>
#include <doctest/doctest.h>

#include "own_operators.h"

namespace arenascope::test {
namespace {

void check_box(const models::Model& model, const std::string& op) {
  CHECK_FALSE(model.runnable());
  CHECK(model.unsupported == std::map<std::string, int64_t>{{op, 1}});
  REQUIRE(model.graph.defined());
  const auto nodes = model.graph.nodes();
  REQUIRE(std::any_of(nodes.begin(), nodes.end(), [&](const TensorImpl* node) { return opaque_op(*node) == op; }));
  CHECK(to_dot(model.graph).find("OPAQUE") != std::string::npos);
  const auto parsed = parse_graph(to_text(model.graph), *Context::create({.no_alloc = true, .grow = true}));
  REQUIRE_MESSAGE(parsed.ok(), parsed.error().message);
  CHECK(to_text(parsed->graph) == to_text(model.graph));

  auto devices = open_devices("cpu");
  REQUIRE(devices.ok());
  CompileOptions options;
  options.rewrite = options.fuse = true;
  const auto program = transform_model(model, *devices, options);
  REQUIRE_MESSAGE(program.ok(), program.error().message);
  const auto plan = plan_memory(program->transformed, "two-level", "depth-first");
  REQUIRE_MESSAGE(plan.ok(), plan.error().message);
  CHECK(plan->arena_bytes > 0);
  const auto compiled = compile(model, *devices, options);
  REQUIRE_FALSE(compiled.ok());
  CHECK(compiled.error().message.find(op) != std::string::npos);
}

}  // namespace

TEST_CASE("operators without a kernel are boxes that are drawn and planned") {
  for (const std::string op :
       {"com.microsoft::CDist", "com.microsoft::CropAndResize", "com.microsoft::DynamicTimeWarping",
        "com.microsoft::EngramGate", "com.microsoft::GatherPacked", "com.microsoft::MurmurHash3",
        "com.microsoft::NGramHashMapping", "com.microsoft::SparseAttention", "com.microsoft::WordConvEmbedding",
        "com.microsoft.nchwc::Conv", "com.microsoft.nchwc::ReorderInput", "com.acme::FlashThing"}) {
    CAPTURE(op);
    const size_t colons = op.find("::");
    const std::string domain = op.substr(0, colons);
    OnnxMaker m(21);
    m.opset(domain, 1).input("x", {2, 8, 4, 4}).value("b", {2, 8, 4, 4}).output("y", {2, 8, 4, 4});
    m.node("Relu", {"x"}, {"a"})
        .node(op.substr(colons + 2), {"a"}, {"b"}, {whole("anything", 3)}, "box", domain)
        .node("Neg", {"b"}, {"y"});
    const auto model = m.open();
    REQUIRE_MESSAGE(model.ok(), model.error().message);
    check_box(*model, op);
  }
}

TEST_CASE("a search is a box; its decoder is not expanded") {
  for (const std::string op : {"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"}) {
    CAPTURE(op);
    OnnxMaker decoder(21), m(21);
    decoder.input("ids", {1, 1}, kInt32).output("logits", {1, 1, 5});
    decoder.node("Cast", {"ids"}, {"logits"}, {{"to", int64_t{kFloat}}});
    m.opset(kOwn, 1).input("x", {1, 4}).output("sequences", {1, 1, 16}, kInt32);
    m.weight("longest", {1}, Ints{16});
    m.node("Relu", {"x"}, {"r"}).node("Cast", {"r"}, {"ids"}, {{"to", int64_t{kInt32}}});
    m.node(op, {"ids", "longest"}, {"sequences"}, {Attr{"decoder", &decoder}, whole("eos_token_id", 1)}, "", kOwn);
    const auto model = m.open();
    REQUIRE_MESSAGE(model.ok(), model.error().message);
    check_box(*model, "com.microsoft::" + op);
  }
}

}  // namespace arenascope::test
