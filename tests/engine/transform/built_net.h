// SPDX-License-Identifier: MIT
// A graph of one output, made by a function, with memory for its leafs.
#pragma once
#include <functional>

#include <arenascope/graph/builder.h>
#include <doctest/doctest.h>

namespace arenascope::test {

using Build = std::function<Tensor(GraphBuilder&)>;

struct BuiltNet {
  Context context;
  Graph graph;
  Tensor output;

  BuiltNet(const Build& build, size_t bytes) : context(*Context::create({.mem_size = bytes})) {
    GraphBuilder b(context);
    output = build(b);
    b.output(output);
    REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
    graph = *context.new_graph(128);
    REQUIRE(graph.expand(output).ok());
  }
};

}  // namespace arenascope::test
