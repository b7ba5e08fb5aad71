// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_limits.h"

#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace arenascope::cli {
namespace {

constexpr const char* kForm =
    "a limit has the form METRIC+AMOUNT, such as peak+2%, arena+0, reserved+64MiB, node-time+1ms";

const std::map<std::string_view, double>& units_of(trace::Metric metric) {
  static const std::map<std::string_view, double> bytes{{"", 1},         {"B", 1},    {"KiB", 0x1p10}, {"MiB", 0x1p20},
                                                        {"GiB", 0x1p30}, {"kB", 1e3}, {"MB", 1e6},     {"GB", 1e9}};
  static const std::map<std::string_view, double> times{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  return trace::is_time(metric) ? times : bytes;
}

std::string names_of(const std::map<std::string_view, double>& units) {
  std::string out = "%";
  for (const auto& [unit, factor] : units)
    if (!unit.empty()) out += fmt::format(", {}", unit);
  return out;
}

Result<GrowthLimit> parse_limit(const std::string& text) {
  const size_t plus = text.find('+');
  if (plus == std::string::npos) return Error{fmt::format("'{}': {}", text, kForm)};
  const auto metric = trace::parse_metric(text.substr(0, plus));
  if (!metric) {
    std::string known;
    for (size_t i = 0; i < trace::kMetrics; ++i) known += fmt::format(" {}", name(static_cast<trace::Metric>(i)));
    return Error{fmt::format("'{}': unknown metric '{}'; available:{}", text, text.substr(0, plus), known)};
  }
  GrowthLimit limit{*metric, 0, false, text};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + plus + 1, end, limit.amount);
  if (error != std::errc() || !(limit.amount >= 0) || !std::isfinite(limit.amount))
    return Error{fmt::format("'{}': {}", text, kForm)};
  const std::string_view unit(rest, end);
  if (unit == "%") {
    limit.is_percent = true;
    return limit;
  }
  const auto& units = units_of(*metric);
  const auto found = units.find(unit);
  if (found == units.end() && !(limit.amount == 0 && unit.empty()))
    return Error{fmt::format("'{}': unknown unit '{}'; available: {}", text, unit, names_of(units))};
  if (found != units.end()) limit.amount *= found->second;
  return limit;
}

}  // namespace

bool GrowthLimit::exceeded_by(const trace::MetricChange& change) const {
  return change.known() && change.change() > (is_percent ? *change.a * amount / 100 : amount);
}

Result<std::vector<GrowthLimit>> parse_growth_limits(const std::string& text) {
  std::vector<GrowthLimit> limits;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    auto limit = parse_limit(text.substr(begin, end - begin));
    if (!limit) return limit.error();
    limits.push_back(*limit);
    begin = end + 1;
  }
  return limits;
}

}  // namespace arenascope::cli
