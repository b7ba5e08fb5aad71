// SPDX-License-Identifier: MIT
#include <arenascope/base/fnv1a.h>
#include <arenascope/base/round_up.h>
#include <arenascope/base/trimmed.h>
#include <doctest/doctest.h>

using namespace arenascope;

TEST_CASE("text is trimmed at both ends") {
  CHECK(trimmed("") == "");
  CHECK(trimmed(" \t\r\n") == "");
  CHECK(trimmed(" a b\n") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed("\va ", " ") == "\va");
}

TEST_CASE("sizes are rounded up to multiples of any unit") {
  CHECK(round_up(0, 7) == 0);
  CHECK(round_up(1, 7) == 7);
  CHECK(round_up(7, 7) == 7);
  CHECK(round_up(8, 7) == 14);
}

TEST_CASE("the hash of a text continues that of the text before it") {
  CHECK(fnv1a("") == 0xCBF29CE484222325u);
  CHECK(fnv1a("a") == 0xAF63DC4C8601EC8Cu);
  CHECK(fnv1a("b", fnv1a("a")) == fnv1a("ab"));
}
