// SPDX-License-Identifier: MIT
// Results of ScatterElements and ScatterND, compared with a loop over single elements.
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "file_runs.h"

namespace arenascope::test {
namespace {

using models::test::OnnxMaker;
using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;

TEST_CASE("scatter along each axis, the last of several updates of one element wins") {
  const Dims sizes{3, 4, 5};
  for (const int type : {1, 10, int{models::test::kInt64}, int{models::test::kBool}})  // 1: f32, 10: f16
    for (int axis = 0; axis < 3; ++axis)
      for (const bool known : {true, false}) {
        CAPTURE(type);
        CAPTURE(axis);
        CAPTURE(known);
        const Dims part{2, 3, 4};  // smaller in each dimension; some indices along the axis repeat
        Numbers x(60), u(24), expected;
        Ints places;
        const bool truth = type == models::test::kBool;
        for (size_t i = 0; i < 60; ++i) x[i] = truth ? static_cast<double>(i % 2) : static_cast<double>(i);
        for (size_t i = 0; i < 24; ++i) {
          u[i] = truth ? static_cast<double>(i % 3 == 0) : 100 + static_cast<double>(i);
          places.push_back(static_cast<int64_t>(i * 7 % static_cast<size_t>(2 * sizes[axis])) - sizes[axis]);
        }
        expected = x;
        for (int64_t i = 0; i < 24; ++i) {
          int64_t at[3] = {i / 12, i / 4 % 3, i % 4};
          at[axis] = (places[static_cast<size_t>(i)] + sizes[axis]) % sizes[axis];
          expected[static_cast<size_t>((at[0] * 4 + at[1]) * 5 + at[2])] = u[static_cast<size_t>(i)];
        }
        OnnxMaker m(18);
        m.input("x", {3, 4, 5}, type).input("u", {2, 3, 4}, type).output("y", {3, 4, 5}, type);
        std::vector<Given> given{{"x", x}, {"u", u}};
        if (known)
          m.weight("i", {2, 3, 4}, places);
        else
          m.input("i", {2, 3, 4}, models::test::kInt64), given.push_back({"i", {places.begin(), places.end()}});
        m.node("ScatterElements", {"x", "i", "u"}, {"y"}, {{"axis", int64_t{axis - 3}}});
        const Results made = run_file(m, given);
        CHECK(made.refused == "");
        if (made.refused.empty()) CHECK(made.numbers.at("y") == expected);
        if (known) continue;
        given.back().numbers[5] = static_cast<double>(axis == 1 ? -sizes[axis] - 1 : sizes[axis]);
        const std::string bad = fmt::format("index {} is out of range", given.back().numbers[5]);
        CHECK(run_file(m, given).refused.find(bad) != std::string::npos);
      }
}

TEST_CASE("scatter of one row, of nothing, and of constants") {
  OnnxMaker line(18);
  line.input("x", {4}).input("i", {3}, models::test::kInt64).input("u", {3}).output("y");
  line.node("ScatterElements", {"x", "i", "u"}, {"y"});
  CHECK(run_file(line, {{"x", {1, 2, 3, 4}}, {"i", {-1, 0, 3}}, {"u", {7, 8, 9}}}).numbers.at("y") ==
        Numbers{8, 2, 3, 9});
  OnnxMaker none(18);
  none.input("x", {2, 2}).input("i", {0, 2}, models::test::kInt64).input("u", {0, 2}).output("y");
  none.node("ScatterElements", {"x", "i", "u"}, {"y"});
  const Results made = run_file(none, {{"x", {1, 2, 3, 4}}, {"i", {}}, {"u", {}}});
  CHECK(made.refused == "");
  CHECK(made.numbers.at("y") == Numbers{1, 2, 3, 4});
  OnnxMaker shape(18);
  shape.input("x", {2, 3})
      .output("y")
      .weight("s", {2}, Ints{2, 3})
      .weight("i", {1}, Ints{1})
      .weight("u", {1}, Ints{-1});
  shape.weight("t", {1, 1}, Ints{0}).weight("six", {1}, Ints{6});
  shape.node("ScatterElements", {"s", "i", "u"}, {"q"}).node("ScatterND", {"q", "t", "six"}, {"r"});
  shape.node("Reshape", {"x", "r"}, {"y"});
  const Results known = run_file(shape, {{"x", {1, 2, 3, 4, 5, 6}}});
  CHECK(known.refused == "");
  CHECK(known.sizes.at("y") == Dims{6, 1});
}

TEST_CASE("ScatterND with computed index tuples") {
  for (const int64_t width : {1, 2, 3})
    for (const int64_t row : {3, 40}) {  // short ones and whole ones
      CAPTURE(width);
      CAPTURE(row);
      const Ints shape{3, width > 1 ? 4 : row, width > 1 ? (width > 2 ? 2 : row) : 2};
      Ints all = shape;
      if (width == 3) all.push_back(row);
      int64_t rows = 1, length = 1;
      for (size_t d = 0; d < all.size(); ++d) (static_cast<int64_t>(d) < width ? rows : length) *= all[d];
      Numbers x(static_cast<size_t>(rows * length)), tuples, u(static_cast<size_t>(5 * length));
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
      for (size_t i = 0; i < u.size(); ++i) u[i] = -1 - static_cast<double>(i);
      Numbers expected = x;
      for (int64_t k = 0; k < 5; ++k) {  // the last index equals the first
        int64_t at = 0;
        for (int64_t d = 0; d < width; ++d) {
          const int64_t size = all[static_cast<size_t>(d)], place = (k % 4 * 5 + d) % size;
          tuples.push_back(static_cast<double>(k % 2 == 0 ? place : place - size));
          at = at * size + place;
        }
        for (int64_t i = 0; i < length; ++i)
          expected[static_cast<size_t>(at * length + i)] = u[static_cast<size_t>(k * length + i)];
      }
      Ints updates{5};
      updates.insert(updates.end(), all.begin() + width, all.end());
      OnnxMaker m(18);
      m.input("x", all).input("i", {5, width}, models::test::kInt64).input("u", updates).output("y");
      m.node("ScatterND", {"x", "i", "u"}, {"y"});
      const Results made = run_file(m, {{"x", x}, {"i", tuples}, {"u", u}});
      CHECK(made.refused == "");
      if (made.refused.empty()) CHECK(made.numbers.at("y") == expected);
      tuples[static_cast<size_t>(width - 1)] = static_cast<double>(all[static_cast<size_t>(width - 1)]);
      CHECK(run_file(m, {{"x", x}, {"i", tuples}, {"u", u}}).refused.find("is out of range") != std::string::npos);
    }
}

}  // namespace
}  // namespace arenascope::test
