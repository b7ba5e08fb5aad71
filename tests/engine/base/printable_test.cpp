// SPDX-License-Identifier: MIT
#include <arenascope/base/csv.h>
#include <arenascope/base/printable.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using namespace arenascope;

TEST_CASE("what a terminal would obey is made visible") {
  CHECK(printable("conv1/Relu:0 ü 张量") == "conv1/Relu:0 ü 张量");
  CHECK(printable("\x1b[31mred\x1b[0m") == "\\u001b[31mred\\u001b[0m");
  CHECK(printable("a\nb\tc\rd") == "a\\nb\\tc\\u000dd");
  CHECK(printable_lines("a\nb\tc") == "a\nb\tc");
  CHECK(printable("\xc2\x9b"
                  "2J") == "\\u009b2J");  // C1: CSI
  CHECK(printable("\x9b"
                  "2J") == "\\x9b2J");  // the same byte alone is no UTF-8
  CHECK(printable("\xe2\x80\xae"
                  "cod") == "\\u202ecod");                           // right-to-left override
  CHECK(printable("\xe2\x81\xa6\xe2\x80\x8b") == "\\u2066\\u200b");  // isolate, zero-width space
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");             // a surrogate
  CHECK(printable("\xc0\xaf\xff") == "\\xc0\\xaf\\xff");             // overlong, and none
  CHECK(printable(std::string_view("\0x", 2)) == "\\u0000x");
}

TEST_CASE("of any bytes at all, what is printed is UTF-8 without controls") {
  std::mt19937 random(1);
  for (int i = 0; i < 2'000; ++i) {
    std::string text;
    for (int k = 0; k < 20; ++k) text += static_cast<char>(random());
    const std::string shown = printable(text), json = json_string(text);
    for (const std::string& out : {shown, json}) {
      for (size_t at = 0; at < out.size();) {
        const size_t n = utf8_length(out, at);
        REQUIRE(n > 0);
        REQUIRE(static_cast<unsigned char>(out[at]) >= 0x20);
        at += n;
      }
    }
  }
}

TEST_CASE("a JSON string is valid and means the same") {
  CHECK(json_string("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(json_string("\n\x1b\xc2\x9b") == "\"\\u000a\\u001b\\u009b\"");
  CHECK(json_string("\xff") == "\"\\ufffd\"");
}

TEST_CASE("no cell of a table is a formula, and numbers stay numbers") {
  for (const char* formula : {"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "-", "+a"}) {
    CAPTURE(formula);
    CHECK(csv_guarded(formula) == "'" + std::string(formula));
    CHECK(csv_unguarded(csv_guarded(formula)) == formula);
  }
  for (const char* text : {"", "-1", "+2.5", "-1e-9", "-inf", "relu", "'quoted", "a=b", "1+1"}) {
    CAPTURE(text);
    CHECK(csv_guarded(text) == text);
    CHECK(csv_unguarded(text) == text);
  }
}

TEST_CASE("the text of a CSV field is the one that was written") {
  for (const char* text : {"relu", "a,b", "say \"x\"", "\"", "\"\"", "two\nlines", "=1+1", "=1+1,2", ""}) {
    CAPTURE(text);
    const std::string record = csv_field(text) + ",next";
    CHECK(record.substr(csv_field_end(record)) == ",next");
    CHECK(csv_text(csv_field(text)) == text);
  }
  CHECK(csv_field_end("\"open,1\n") == 8);
  for (const char* field : {"\"", "\"open", "\"open\"\"", "\"a\"b", "\"a\"b\""}) CHECK_FALSE(csv_text(field));
}

TEST_CASE("a CSV field is quoted where it holds a separator, a quote or a line break") {
  CHECK(csv_field("relu") == "relu");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("two\nlines\r") == "\"two\nlines\r\"");
  CHECK(csv_field("=1+1,2") == "\"'=1+1,2\"");
}
