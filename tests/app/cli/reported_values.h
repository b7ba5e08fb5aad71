// SPDX-License-Identifier: GPL-3.0-or-later
// Compares numbers printed in reports with the auditor.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/cli/child.h"

namespace arenascope::test {

using Figures = std::map<std::string, double>;

inline Figures audited(const std::string& file) {
  const Ended ended = cli({"audit", file, "--json"});
  REQUIRE_MESSAGE(ended.status == 0, ended.err);
  Figures out;
  const auto json = nlohmann::json::parse(ended.out);
  for (const auto& f : json["metrics"]) out[f["id"]] = f["value"];
  return out;
}

// Parses "1.25 ms" as nanoseconds, "3.75 MiB" as bytes, "1.0000" as a number, with half the value of its last digit
// as rounding.
struct ReportedValue {
  double value = 0, rounding = 0;
};
inline ReportedValue reported(const std::string& number, const std::string& unit = "") {
  static const std::map<std::string, double> units{{"", 1},        {"ns", 1},        {"µs", 1e3},
                                                   {"ms", 1e6},    {"s", 1e9},       {"B", 1},
                                                   {"KiB", 1024.}, {"MiB", 1048576}, {"GiB", 1073741824}};
  REQUIRE(units.contains(unit));
  const size_t point = number.find('.');
  const size_t digits = point == number.npos ? 0 : number.size() - point - 1;
  return {std::stod(number) * units.at(unit), 0.501 * std::pow(10.0, -static_cast<double>(digits)) * units.at(unit)};
}

// `tolerance`: possible difference between two clock readings.
inline void holds(const ReportedValue& t, const Figures& audit, const std::string& id, double tolerance = 0) {
  CAPTURE(id);
  REQUIRE(audit.contains(id));
  CHECK(std::abs(t.value - audit.at(id)) <= t.rounding + tolerance);
}

}  // namespace arenascope::test
