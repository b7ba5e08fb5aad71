// SPDX-License-Identifier: MIT
#include <arenascope/run/runner.h>
#include <arenascope/schedule/describe.h>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "own_operators.h"

namespace arenascope::test {

TEST_CASE("the names of the file are found in the graph that runs, though nodes are rewritten and fused") {
  OnnxMaker m(17);
  m.input("x", {8, 16}).output("y").weight("w", {16, 16}, Floats(256, 0.1F)).weight("b", {16}, Floats(16, 1));
  m.weight("half", {}, Floats{0.5F}).weight("one", {}, Floats{1}).weight("root", {}, Floats{1.41421356F});
  m.node("MatMul", {"x", "w"}, {"xw"}, {}, "fc").node("Add", {"xw", "b"}, {"h"}, {}, "bias");
  // x·(1 + erf(x / √2)) / 2, which a rule replaces by GELU.
  m.node("Div", {"h", "root"}, {"scaled"}, {}, "gelu/div").node("Erf", {"scaled"}, {"e"}, {}, "gelu/erf");
  m.node("Add", {"e", "one"}, {"e1"}, {}, "gelu/add").node("Mul", {"h", "e1"}, {"he"}, {}, "gelu/mul");
  m.node("Mul", {"he", "half"}, {"g"}, {}, "gelu/half").node("Identity", {"g"}, {"i"}, {}, "same");
  m.node("Neg", {"i"}, {"n"}, {}, "neg").node("Sigmoid", {"n"}, {"y"}, {}, "sigmoid");
  auto model = m.open();
  REQUIRE(model.ok());
  RunnerOptions options;
  options.fuse = options.rewrite = true;
  options.threads = 1;
  auto runner = Runner::open(std::move(*model), options);
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  const trace::GraphInfo graph = describe_graph((*runner)->plan().graph);
  CHECK(graph.nodes.size() < 8);
  for (const char* name : {"fc", "bias", "gelu/div", "gelu/erf", "gelu/add", "gelu/mul", "gelu/half", "neg", "sigmoid"})
    CHECK_MESSAGE(graph.find_named(name).valid(), name);
}

}  // namespace arenascope::test
