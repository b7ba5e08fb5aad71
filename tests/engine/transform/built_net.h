// SPDX-License-Identifier: MIT
// A graph of one output, made by a function, with memory for its leafs.
#pragma once
#include <algorithm>
#include <functional>
#include <string>

#include <arenascope/graph/graph_text.h>
#include <doctest/doctest.h>

namespace arenascope::test {

using Build = std::function<Tensor(GraphBuilder&)>;

// Builds a graph from its text (graph_text.h), whose lines are separated by ';'; the last one is the output. A source
// =0.5 is a weight of one element with that name.
inline Build from_text(const std::string& text) {
  return [text](GraphBuilder& b) {
    std::string lines, last;
    for (size_t begin = 0, numbers = 0; begin < text.size();) {
      const size_t end = std::min(text.find(';', begin), text.size());
      std::string line;
      const auto tokens = graph_tokens(std::string_view(text).substr(begin, end - begin));
      REQUIRE_MESSAGE(tokens.ok(), (tokens.ok() ? "" : tokens.error().message));
      for (std::string token : *tokens) {
        if (line.empty()) last = token;
        if (token.size() > 1 && token.front() == '=') {
          const std::string name = "number" + std::to_string(numbers++);
          lines += name + " = weight f32 1 name=\"" + token + "\"\n";
          token = name;
        } else if (token.starts_with("name=")) {
          token = "name=\"" + token.substr(5) + "\"";
        }
        line += token + " ";
      }
      lines += line + "\n";
      begin = end + 1;
    }
    auto graph = parse_graph(lines, b.context());
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().message));
    return graph->tensors.at(last);
  };
}

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
