// SPDX-License-Identifier: GPL-3.0-or-later
// The report as text and Markdown.
#include <algorithm>

#include <fmt/format.h>

#include "app/common/format.h"
#include "app/report/findings.h"
#include "app/report/report.h"

namespace arenascope::app {
namespace {

using Json = ReportJson;

std::string bytes_of(const Json& value) { return value.is_null() ? "not recorded" : format_bytes(value.get<Bytes>()); }
std::string time_of(const Json& value) {
  return value.is_null() ? "not recorded" : format_nanoseconds(value.get<Nanoseconds>());
}

struct Line {
  std::string label, value;
};

std::vector<Line> lines_of(const Json& report) {
  const Json& totals = report["totals"];
  std::vector<Line> lines{{"file", report["file"].get<std::string>()}};
  if (!report["model"].is_null()) lines.push_back({"model", report["model"].get<std::string>()});
  lines.push_back({"peak", bytes_of(totals["peak_bytes"])});
  lines.push_back({"reserved", bytes_of(totals["reserved_bytes"])});
  if (!totals["arena_bytes"].is_null())
    lines.push_back({"arena", fmt::format("{} planned by {} over {}, lower bound {}", bytes_of(totals["arena_bytes"]),
                                          report["planner"].get<std::string>(), report["order"].get<std::string>(),
                                          bytes_of(totals["lower_bound_bytes"]))});
  lines.push_back({"run", totals["run_nanoseconds"].is_null()
                              ? "not recorded"
                              : fmt::format("{}, median of {}", time_of(totals["run_nanoseconds"]),
                                            counted(totals["runs"].get<int64_t>(), "run"))});
  return lines;
}

bool was_run(const Json& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Json& node) { return !node["median_nanoseconds"].is_null(); });
}

}  // namespace

std::string report_text(const Json& report, size_t rows) {
  std::string out;
  for (const Line& line : lines_of(report)) out += fmt::format("{:<12} {}\n", line.label, line.value);
  const Json& parts = report["peak"]["parts"];
  if (!parts.empty()) out += fmt::format("\n{:<44} {:>12} {:>8}\n", "at the peak", "bytes", "blocks");
  for (size_t i = 0; i < std::min(rows, parts.size()); ++i)
    out += fmt::format("{:<44} {:>12} {:>8}\n", parts[i]["name"].get<std::string>(), bytes_of(parts[i]["bytes"]),
                       parts[i]["count"].get<int64_t>());
  const Json& findings = report["findings"];
  if (!findings.empty()) out += fmt::format("\n{:<12} {}\n", "saving", "finding");
  for (size_t i = 0; i < std::min(rows, findings.size()); ++i)
    out += fmt::format("{:<12} {}\n", finding_saving(findings[i]), findings[i]["sentence"].get<std::string>());
  const Json& nodes = report["nodes"];
  if (was_run(nodes)) {
    out += fmt::format("\n{:<44} {:<20} {:>12}\n", "slowest nodes", "op", "median");
    for (size_t i = 0; i < std::min(rows, nodes.size()); ++i)
      out += fmt::format("{:<44} {:<20} {:>12}\n", nodes[i]["name"].get<std::string>(),
                         nodes[i]["op"].get<std::string>(), time_of(nodes[i]["median_nanoseconds"]));
  }
  for (const Json& problem : report["problems"])
    out += fmt::format("{:<12} {}\n", "problem", problem.get<std::string>());
  return out;
}

std::string report_markdown(const Json& report, size_t rows) {
  std::string out = "| | |\n|---|---|\n";
  for (const Line& line : lines_of(report))
    out += fmt::format("| {} | {} |\n", line.label,
                       line.label == "file" || line.label == "model" ? markdown_code(line.value) : line.value);
  const Json& parts = report["peak"]["parts"];
  if (!parts.empty()) out += "\n| at the peak | bytes | blocks |\n|---|--:|--:|\n";
  for (size_t i = 0; i < std::min(rows, parts.size()); ++i)
    out += fmt::format("| {} | {} | {} |\n", markdown_code(parts[i]["name"].get<std::string>()),
                       bytes_of(parts[i]["bytes"]), parts[i]["count"].get<int64_t>());
  const Json& findings = report["findings"];
  if (!findings.empty()) out += "\n| saving | finding |\n|--:|---|\n";
  for (size_t i = 0; i < std::min(rows, findings.size()); ++i)
    out += fmt::format("| {} | {} |\n", finding_saving(findings[i]), finding_text(findings[i], markdown_code));
  const Json& nodes = report["nodes"];
  if (was_run(nodes)) {
    out += "\n| slowest nodes | op | median |\n|---|---|--:|\n";
    for (size_t i = 0; i < std::min(rows, nodes.size()); ++i)
      out += fmt::format("| {} | {} | {} |\n", markdown_code(nodes[i]["name"].get<std::string>()),
                         markdown_code(nodes[i]["op"].get<std::string>()), time_of(nodes[i]["median_nanoseconds"]));
  }
  for (const Json& problem : report["problems"]) out += fmt::format("\n> {}\n", problem.get<std::string>());
  return out;
}

}  // namespace arenascope::app
