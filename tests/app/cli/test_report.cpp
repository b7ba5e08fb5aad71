// SPDX-License-Identifier: GPL-3.0-or-later
// The report that `run` prints, held against the auditor: of the recording of the same runs. A line that is not known
// here fails, so that nothing is told of a run that is held against nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;

namespace {

using Figures = std::map<std::string, double>;

Figures audited(const std::string& file) {
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
Told told(const std::string& number, const std::string& unit = "") {
  static const std::map<std::string, double> units{{"", 1},        {"ns", 1},        {"µs", 1e3},
                                                   {"ms", 1e6},    {"s", 1e9},       {"B", 1},
                                                   {"KiB", 1024.}, {"MiB", 1048576}, {"GiB", 1073741824}};
  REQUIRE(units.contains(unit));
  const size_t point = number.find('.');
  const size_t digits = point == number.npos ? 0 : number.size() - point - 1;
  return {std::stod(number) * units.at(unit), 0.501 * std::pow(10.0, -static_cast<double>(digits)) * units.at(unit)};
}

// `beside`: what two readings of the clock may lie apart.
void holds(const Told& t, const Figures& audit, const std::string& id, double beside = 0) {
  CAPTURE(id);
  REQUIRE(audit.contains(id));
  CHECK(std::abs(t.value - audit.at(id)) <= t.rounding + beside);
}

struct Report {
  const Figures& audit;
  int run = 0;  // the fastest
  int nodes = 0, kinds = 0;
  std::map<int, std::string> node_of_step;
  Figures asked;

  static constexpr double kApart = 60'000;  // ns: the executor's clock is read beside the recorded spans'

  std::string of_run(const char* what) const { return "run." + std::to_string(run) + "." + what; }

  void node(const std::smatch& m) {
    const std::string step = m[1];
    // A recorded graph's steps are its nodes' places in the order.
    const auto node = node_of_step.find(std::stoi(step));
    REQUIRE(node != node_of_step.end());
    const std::string id = "run." + std::to_string(run) + ".node." + node->second;
    holds(told(m[2], m[3]), asked, id + ".wall", kApart);
    ++nodes;
  }
};

// What `audit --figure` says of each node of a run.
void ask_nodes(const std::string& file, Report& report, int steps) {
  for (int n = 0; n < steps; ++n) {
    const std::string id = "run." + std::to_string(report.run) + ".node." + std::to_string(n) + ".wall";
    const Ended wall = cli({"audit", file, "--json", "--figure", id});
    if (wall.status == 0) report.asked[id] = nlohmann::json::parse(wall.out)["figures"][0]["value"];
    const Ended one = cli({"audit", file, "--json", "--figure", "plan.0.step_of." + std::to_string(n)});
    if (one.status == 0) report.node_of_step[nlohmann::json::parse(one.out)["figures"][0]["value"]] = std::to_string(n);
  }
}

void check_head(const std::string& line, Report& r) {
  static const std::regex first(R"(^\S+ on (\d+) threads?: ([0-9.]+) (\S+), (one run|the fastest of \d+ runs)$)");
  static const std::regex arena(R"(^arena ([0-9.]+) (\S+) by \S+ over \S+, bound ([0-9.]+) (\S+), ratio ([0-9.]+)$)");
  static const std::regex waits(R"(^waited at barriers: ([0-9.]+) (\S+) summed over the threads, of .* in nodes$)");
  static const std::regex said(
      R"(^(chosen|not chosen): |^\d+ of the \d+ runs went on one thread|: \d+ times?, of \d+ nodes as written$)");
  std::smatch m;
  if (std::regex_match(line, m, first)) {
    holds(told(m[2], m[3]), r.audit, r.of_run("lasted"), Report::kApart);
    return holds(told(m[1]), r.audit, r.of_run("threads"));
  }
  if (std::regex_match(line, m, arena)) {
    holds(told(m[1], m[2]), r.audit, "plan.0.arena");
    holds(told(m[3], m[4]), r.audit, "plan.0.lower_bound");
    return holds(told(m[5]), r.audit, "plan.0.ratio");
  }
  if (std::regex_match(line, m, waits)) {
    const auto waited = r.audit.find(r.of_run("barriers.waited"));
    const Told t = told(m[1], m[2]);
    const double other = waited == r.audit.end() ? 0 : waited->second;
    CHECK(std::abs(t.value - other) <= t.rounding + 0.2 * other + Report::kApart);  // each wait's clock is read apart
    return;
  }
  CHECK_MESSAGE(std::regex_search(line, said), line);  // of ways of computing, which no recording tells
}

void check_memory(const std::string& line, Report& r) {
  static const std::map<std::string, std::string> names{
      {"default", "Default"},  {"persistent", "Persistent"},  {"workspace", "Workspace"},
      {"kv_cache", "KVCache"}, {"host_pinned", "HostPinned"}, {"host_pageable", "HostPageable"},
      {"mapped", "Mapped"}};
  static const std::regex row(
      R"(^(\S+) +([0-9.]+) (\S+) +([0-9.]+) (\S+) +([0-9.]+) (\S+) +([0-9.]+) (\S+) +(\d+) +(\d+)$)");
  std::smatch m;
  REQUIRE_MESSAGE(std::regex_match(line, m, row), line);
  REQUIRE(names.contains(m[1]));
  const std::string kind = "kind." + names.at(m[1]) + ".";
  holds(told(m[2], m[3]), r.audit, kind + "active.peak");
  holds(told(m[4], m[5]), r.audit, kind + "reserved.peak");
  holds(told(m[6], m[7]), r.audit, kind + "cached");
  holds(told(m[8], m[9]), r.audit, kind + "waste");
  holds(told(m[10]), r.audit, kind + "hits");
  holds(told(m[11]), r.audit, kind + "misses");
  ++r.kinds;
}

// The run that the report is of: what it says of its length is nearest to that.
int told_run(const Figures& audit, const std::string& report, int runs) {
  std::smatch m;
  REQUIRE(std::regex_search(report, m, std::regex(R"(threads?: ([0-9.]+) (\S+),)")));
  const double lasted = told(m[1], m[2]).value;
  const auto apart = [&](int run) { return std::abs(audit.at("run." + std::to_string(run) + ".lasted") - lasted); };
  int best = 0;
  for (int run = 1; run < runs; ++run)
    if (apart(run) < apart(best)) best = run;
  return best;
}

void check_report(const std::vector<std::string>& arguments) {
  const TempFolder folder;
  const std::string file = folder / "run.pftrace";
  std::vector<std::string> all{"run"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  for (const char* more : {"--repeat", "3", "--record"}) all.push_back(more);
  all.push_back(file);
  const Ended ended = cli(all);
  REQUIRE_MESSAGE(ended.status == 0, ended.err);
  const Figures audit = audited(file);
  Report report{.audit = audit, .run = told_run(audit, ended.out, 3)};
  ask_nodes(file, report, static_cast<int>(audit.at("plan.0.steps")));
  static const std::regex row(R"(^ *(\d+) \S+ .* ([0-9.]+) (ns|µs|ms|s) +[0-9.]+ +[0-9.]+ (ns|µs|ms|s) +[0-9.]+$)");
  std::istringstream lines(ended.out);
  std::string line;
  int table = 0;  // 0: before the tables, 1: nodes, 2: memory, 3: results, which are no figures
  while (std::getline(lines, line)) {
    const int before = table;
    table = line.starts_with(" step op")  ? 1
            : line.starts_with("memory ") ? 2
            : line.starts_with("output ") ? 3
                                          : table;
    if (line.empty() || table != before || table == 3) continue;
    if (table == 0) check_head(line, report);
    if (table == 2) check_memory(line, report);
    if (table != 1) continue;
    std::smatch m;
    REQUIRE_MESSAGE(std::regex_match(line, m, row), line);
    report.node(m);
  }
  CHECK(report.nodes >= 5);
  CHECK(report.kinds >= 2);
}

}  // namespace

TEST_CASE("the report of a run tells what the auditor makes of its recording") {
  check_report({"zoo:mnist_cnn", "--threads", "2"});
  check_report({"zoo:mnist_cnn", "--threads", "2", "--memory", "eager"});
}

TEST_CASE("and of a device's run: a node takes from the beginning of its first kernel to the end of its last") {
  if (cli({"devices"}).out.find("opencl:0") == std::string::npos) return;
  check_report({"zoo:nano_gpt", "--backend", "opencl"});
}
