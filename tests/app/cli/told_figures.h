// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that a report prints, held against the auditor.
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
  for (const auto& f : json["figures"]) out[f["id"]] = f["value"];
  return out;
}

// "1.25 ms" as nanoseconds, "3.75 MiB" as bytes, "1.0000"; and half of what its last digit stands for.
struct Told {
  double value = 0, rounding = 0;
};
inline Told told(const std::string& number, const std::string& unit = "") {
  static const std::map<std::string, double> units{{"", 1},        {"ns", 1},        {"µs", 1e3},
                                                   {"ms", 1e6},    {"s", 1e9},       {"B", 1},
                                                   {"KiB", 1024.}, {"MiB", 1048576}, {"GiB", 1073741824}};
  REQUIRE(units.contains(unit));
  const size_t point = number.find('.');
  const size_t digits = point == number.npos ? 0 : number.size() - point - 1;
  return {std::stod(number) * units.at(unit), 0.501 * std::pow(10.0, -static_cast<double>(digits)) * units.at(unit)};
}

// `beside`: what two readings of the clock may lie apart.
inline void holds(const Told& t, const Figures& audit, const std::string& id, double beside = 0) {
  CAPTURE(id);
  REQUIRE(audit.contains(id));
  CHECK(std::abs(t.value - audit.at(id)) <= t.rounding + beside);
}

}  // namespace arenascope::test
