// SPDX-License-Identifier: MIT
// Sparse weights, constants and inputs.
#include <doctest/doctest.h>

#include "own_operators.h"

namespace arenascope::test {

TEST_CASE("sparse matrices are stored densely") {
  const Floats numbers{2, 3, -1};
  const Numbers x{1, 2, 3, 4};
  // 0 2 0 0 and 3 0 0 -1, times rows 1 to 4.
  for (const Ints& places : {Ints{1, 4, 7}, Ints{0, 1, 1, 0, 1, 3}}) {
    OnnxMaker m(21);
    m.input("x", {4, 1}).output("y").sparse_weight("a", {2, 4}, places, numbers).node("MatMul", {"a", "x"}, {"y"});
    const Results made = run_file(m, {{"x", x}});
    REQUIRE(made.refused == "");
    check_near(made.numbers.at("y"), {4, -1});
  }
  OnnxMaker m(21);
  m.opset(kOwn, 1).sparse_constant("a", {2, 4}, {7, 4, 1}, {-1, 3, 2}).sparse_input("s", {4, 2}).output("y");
  m.node("SparseToDenseMatMul", {"s", "a"}, {"y"}, {whole("transA", 1), whole("transB", 1), {"alpha", 0.5F}}, "", kOwn);
  const Results made = run_file(m, {{"s", {0, 1, 0, 0, 0, 0, 5, 0}}});
  REQUIRE(made.refused == "");
  check_near(made.numbers.at("y"), {0, -2.5, 0, 1.5});
  for (const Ints& places : {Ints{1, 4, 8}, Ints{-1, 4, 7}, Ints{1, 4}, Ints{0, 1, 1, 0, 2, 3}, Ints{}}) {
    OnnxMaker wrong(21);
    wrong.input("x", {4, 1}).output("y").sparse_weight("a", {2, 4}, places, numbers).node("MatMul", {"a", "x"}, {"y"});
    CHECK(run_file(wrong, {{"x", x}}).refused != "");
  }
  OnnxMaker large(21);
  for (const bool weight : {false, true}) {  // and known while a file is opened, if small
    OnnxMaker sized(21);
    sized.input("x", {3, 2}).output("y");
    if (weight)
      sized.sparse_weight("s", {2}, {0, 1}, {2, 3});
    else
      sized.sparse_constant("s", {2}, {0, 1}, {2, 3});
    sized.node("Cast", {"s"}, {"shape"}, {{"to", int64_t{kInt64}}}).node("Reshape", {"x", "shape"}, {"y"});
    const Results shaped = run_file(sized, {{"x", {1, 2, 3, 4, 5, 6}}});
    REQUIRE(shaped.refused == "");
    CHECK(shaped.sizes.at("y") == Dims{2, 3});
  }
  large.input("x", {4, 1}).output("y").sparse_weight("a", {int64_t{1} << 40, 4}, {1, 4, 7}, numbers);
  CHECK(run_file(large.node("MatMul", {"a", "x"}, {"y"}), {{"x", x}}).refused != "");
}

}  // namespace arenascope::test
