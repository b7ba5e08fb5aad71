// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include <arenascope/base/dot_escape.h>
#include <arenascope/graph/builder.h>
#include <arenascope/graph/dot.h>
#include <arenascope/graph/graph.h>

namespace arenascope {

TEST_CASE("the export names every node, leaf and use") {
  GraphBuilder b(*Context::create({1 << 16, nullptr, true}));
  const Tensor x = b.input("x", {2, 3}), w = b.weight("w", {4, 3});
  const Tensor y = b.mul_mat(w, x, {}, "y");
  const Tensor z = b.add(y, y, "z");
  b.output(z);
  Graph g = *b.context().new_graph(8);
  REQUIRE(g.expand(z).ok());
  CHECK(to_dot(g) ==
        "digraph arenascope {\n"
        "  rankdir=TB;\n"
        "  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
        "  l0 [label=\"w\\nf32 [4, 3]\", shape=ellipse];\n"
        "  l1 [label=\"x\\nf32 [2, 3]\", shape=ellipse, style=bold];\n"
        "  n0 [label=\"MUL_MAT\\ny\\nf32 [2, 4]\"];\n"
        "  n1 [label=\"ADD\\nz\\nf32 [2, 4]\", style=bold];\n"
        "  l0 -> n0;\n"
        "  l1 -> n0;\n"
        "  n0 -> n1;\n"
        "  n0 -> n1;\n"
        "}\n");
}

TEST_CASE("names may contain any bytes") {
  CHECK(dot_escape("plain/name:0") == "plain/name:0");
  CHECK(dot_escape("a\"b\\c\nd\te") == "a\\\"b\\\\c\\nd e");
  CHECK(dot_escape("层 é 🙂") == "层 é 🙂");
  CHECK(dot_escape("\xff\xc3(\xed\xa0\x80\xc0\xaf") == std::string(2, '?') + "(" + std::string(5, '?'));
  CHECK(dot_escape("cut \xe5\xb1") == "cut " + std::string(2, '?'));
  CHECK(dot_escape(std::string("\0|", 2)) == " |");
  CHECK(dot_escape("a|{b}\x7f<\xff>", kDotRecordSymbols) == "a\\|\\{b\\} \\<?\\>");
}

TEST_CASE("10,000 nodes are written in milliseconds, in linear time") {
  const auto text_of = [](int nodes) {
    GraphBuilder b(*Context::create({size_t{1} << 25, nullptr, true}));
    Tensor t = b.input("x", {1});
    for (int i = 0; i < nodes; ++i) t = b.add(t, t, "sum");
    Graph g = *b.context().new_graph(static_cast<size_t>(nodes));
    REQUIRE(g.expand(t).ok());
    const auto start = std::chrono::steady_clock::now();
    const std::string text = to_dot(g);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MESSAGE(nodes << " nodes: " << seconds * 1e3 << " ms, " << text.size() << " bytes");
    CHECK(seconds < 1.0);  // quadratic exports take longer than this on any machine that tests
    return text.size();
  };
  CHECK(text_of(20000) < 2.2 * static_cast<double>(text_of(10000)));
}

}  // namespace arenascope
