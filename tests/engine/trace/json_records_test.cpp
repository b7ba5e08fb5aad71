// SPDX-License-Identifier: MIT
// JSON of traces: repairs, exact decimals, records, and what happens when memory runs out.
#include <arenascope/trace/gunzip.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/json_records.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/trace/json_repair.h"
#include "engine/trace/sample_traces.h"
#include "sanitized.h"
#include "support/limited_memory.h"
#ifdef ARENASCOPE_HAS_ZLIB
#include "support/gzip.h"
#endif

using namespace arenascope;
using namespace arenascope::trace;

namespace {

std::string repaired(std::string_view text) {
  JsonRepair repair(text);
  std::string out;
  for (std::string_view piece = repair.next(); !piece.empty(); piece = repair.next()) out += piece;
  CHECK(repair.position() == text.size());
  return out;
}

nlohmann::json random_value(std::mt19937& random, int depth) {
  switch (random() % (depth > 3 ? 5 : 7)) {
    case 0: return nullptr;
    case 1: return random() % 2 == 0;
    case 2: return static_cast<int64_t>(random()) - INT32_MAX;
    case 3: return std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
    case 4: {
      std::string text;
      for (size_t n = random() % 20; n > 0; --n) text += static_cast<char>(1 + random() % 0x7e);
      return text + "\xc3\xa9, ]";
    }
    case 5: {
      auto list = nlohmann::json::array();
      for (size_t n = random() % 4; n > 0; --n) list.push_back(random_value(random, depth + 1));
      return list;
    }
    default: {
      auto object = nlohmann::json::object();
      for (size_t n = random() % 4; n > 0; --n)
        object["k" + std::to_string(random() % 9)] = random_value(random, depth + 1);
      return object;
    }
  }
}

}  // namespace

TEST_CASE("valid JSON is not changed") {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    const nlohmann::json value = random_value(random, 0);
    for (const std::string& text : {value.dump(), value.dump(2), value.dump(-1, ' ', true)})
      CHECK(repaired(text) == text);
  }
}

TEST_CASE("repaired JSON of any bytes is valid wherever the structure is") {
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    std::string text = "[\"";
    for (size_t n = random() % 30; n > 0; --n) {
      const auto c = static_cast<char>(random());
      if (c != '"') text += c;
    }
    while (text.ends_with('\\')) text.pop_back();
    text += "\",{\"k\":nan,},]";
    CAPTURE(text);
    const auto value = nlohmann::json::parse(repaired(text), nullptr, false);
    REQUIRE(value.is_array());
    CHECK(value.size() == 2);
  }
}

TEST_CASE("decimal numbers are scaled exactly") {
  CHECK(scaled_decimal("0", 3) == 0);
  CHECK(scaled_decimal("-12.5", 3) == -12'500);
  CHECK(scaled_decimal("1850244461563845.0", 3) == 1850244461563845000);
  CHECK(scaled_decimal("1669783687404093.1234999999999999999", 3) == 1669783687404093123);
  CHECK(scaled_decimal("1669783687404093.1235", 3) == 1669783687404093124);
  CHECK(scaled_decimal("0.0004", 3) == 0);
  CHECK(scaled_decimal("0.0005", 3) == 1);
  CHECK(scaled_decimal("-0.0005", 3) == -1);
  CHECK(scaled_decimal("1.5e3", 3) == 1'500'000);
  CHECK(scaled_decimal("1.5E+3", 0) == 1500);
  CHECK(scaled_decimal("25e-1", 0) == 3);
  CHECK(scaled_decimal("1e-4000", 3) == 0);
  CHECK(scaled_decimal("9223372036854775807", 0) == INT64_MAX);
  CHECK(scaled_decimal("000000000000000000000000001", 0) == 1);
  for (const char* bad : {"", "-", ".", "e5", "1e", "1e5x", "12abc", " 1", "1.2.3", "9223372036854775808", "1e30",
                          "99999999999999999999999", "NaN"}) {
    CAPTURE(bad);
    CHECK_FALSE(scaled_decimal(bad, 0));
  }
  std::mt19937_64 random(5);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<int64_t>(random() >> (1 + random() % 62));
    const std::string digits = std::to_string(value), padded = std::string(4, '0') + digits;
    CHECK(scaled_decimal(digits, 0) == value);
    CHECK(scaled_decimal(padded.substr(0, padded.size() - 3) + "." + padded.substr(padded.size() - 3), 3) == value);
  }
}

TEST_CASE("records have their scalars and those of their object members") {
  std::vector<JsonRecord> records;
  const auto scan = scan_json_list(
      R"({"other":[{"a":0}],"traceEvents":[1,[{"a":1}],{"a":2,"args":{"b":true,"deep":{"c":3},"list":[4]},"a":5,"n":null},{}]})",
      "traceEvents", [&](const JsonRecord& record) { records.push_back(record); });
  CHECK(scan.found);
  CHECK(scan.complete);
  CHECK(scan.names.contains("other"));
  REQUIRE(records.size() == 2);
  CHECK(records[0]["a"].integer == 5);  // the last of two
  CHECK(records[0].of("args", "b").type == JsonScalar::Type::Boolean);
  CHECK(records[0].of("args", "c").type == JsonScalar::Type::None);
  CHECK(records[0]["n"].type == JsonScalar::Type::None);
  CHECK(records[1].members().empty());
  const auto cut = scan_json_list(R"([{"a":1},{"a":)", "traceEvents", [](const JsonRecord&) {});
  CHECK(cut.found);
  CHECK_FALSE(cut.complete);
  CHECK(cut.position == 14);
  JsonRecord record;
  CHECK(read_json_record(R"({"a":"x"})", record));
  CHECK(record["a"].text == "x");
  CHECK_FALSE(read_json_record("[1]", record));
  CHECK_FALSE(read_json_record(R"({"a":)", record));
}

TEST_CASE("the members of one record are limited, and the remainder is reported") {
  std::string args;
  for (int i = 0; i < 6000; ++i) args += "\"k" + std::to_string(i) + "\":1,";
  Session session;
  const auto report =
      open_trace(as_bytes("[{\"ph\":\"X\",\"ts\":1,\"name\":\"a\",\"args\":{" + args + "}}]"), "trace", session);
  REQUIRE(report.ok());
  CHECK(report->problem == "trace: 1,907 members of events with more than 4,096 of them: not read.");
}

TEST_CASE("a JSON trace that does not fit in memory is an error") {
  if (test::kSanitized) return;  // the shadow memory does not fit in the limit
  std::string text = "[";
  for (int i = 0; i < 200'000; ++i)
    text += R"({"ph":"B","name":"n)" + std::to_string(i) + R"(","pid":1,"tid":1,"ts":1,"args":{"a":[1,2,{"b":3}]}},)";
  text.back() = ']';
  const int refused = test::count_refusals(size_t{256} << 20, [&] {
    Session session;
    const auto report = import_chrome_json(as_bytes(text), "trace", session);
    return report.ok() ? 0 : report.error().message == "trace: out of memory while reading the file." ? 1 : 2;
  });
  CHECK(refused > 3);
}

#ifdef ARENASCOPE_HAS_ZLIB
TEST_CASE("decompression is limited in proportion to the input") {
  const std::string bomb = test::gzip_of('[', size_t{400} << 20);
  CHECK(bomb.size() < 500'000);
  const auto refused = gunzip(as_bytes(bomb), "bomb");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("bomb: cannot decompress") == 0);
  CHECK(refused.error().message.find("expected at most") != std::string::npos);
  CHECK(gunzip(as_bytes(test::gzip_of('[', size_t{60} << 20)), "small")->size() == size_t{60} << 20);
  CHECK_FALSE(gunzip(as_bytes(test::gzip_of('[', 1000)), "large", 999).ok());
  if (test::kSanitized) return;
  CHECK(test::with_limited_memory(size_t{320} << 20, [&] {
          Session session;
          const auto report = open_trace(as_bytes(bomb), "bomb", session);
          return report.ok() ? 0 : report.error().message == refused.error().message ? 1 : 2;
        }) == 1);
}
#endif
