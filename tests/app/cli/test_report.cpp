// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the report of `run` with the audit of the recording of the same runs. Unknown lines fail, so that every
// reported value is checked.
#include <arenascope/audit/audit.h>
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/app/cli/reported_values.h"

using namespace arenascope::test;

namespace {

struct Report {
  const Figures& audit;
  int run = 0;  // index of the fastest run
  int nodes = 0, kinds = 0;
  std::map<int, std::string> node_of_step;
  Figures asked;
  ReportedValue in_nodes;                  // total time of all nodes
  double sum = 0, shares = 0, waited = 0;  // totals of the table

  static constexpr double kApart = 60'000;  // ns: the executor's clock is read separately from the recorded spans'

  std::string of_run(const char* what) const { return "run." + std::to_string(run) + "." + what; }

  // Step, time, share of the total, wait, and GFLOP/s, which follows from the FLOPs of the node.
  void node(const std::smatch& m) {
    const std::string step = m[1];
    // Steps are the positions of nodes in the recorded order.
    const auto node = node_of_step.find(std::stoi(step));
    REQUIRE(node != node_of_step.end());
    const std::string id = "run." + std::to_string(run) + ".node." + node->second;
    const ReportedValue time = reported(m[2], m[3]), share = reported(m[4]), wait = reported(m[5], m[6]),
                        speed = reported(m[7]);
    holds(time, asked, id + ".wall", kApart);
    holds(wait, asked, id + ".wait",
          kApart + 0.2 * asked[id + ".wait"]);  // waits are measured with separate clock readings
    CHECK(std::abs(share.value - 100 * time.value / in_nodes.value) <=
          share.rounding + 100 * (time.rounding / in_nodes.value +
                                  time.value * in_nodes.rounding / in_nodes.value / in_nodes.value));
    const double flops = asked.at("tensor.0.node." + node->second + ".flops");
    CHECK(std::abs(speed.value - flops / time.value) <=
          speed.rounding + flops * time.rounding / time.value / (time.value - time.rounding));
    sum += time.value;
    shares += share.value;
    waited += wait.value;
    ++nodes;
  }
};

// Audited values of each node of a run.
void ask_nodes(const std::string& file, Report& report, int steps) {
  const auto auditor = arenascope::audit::Auditor::open(file);
  REQUIRE(auditor.ok());
  for (int n = 0; n < steps; ++n) {
    const std::string node = std::to_string(n), id = "run." + std::to_string(report.run) + ".node." + node;
    for (const std::string& what : {id + ".wall", id + ".wait", "tensor.0.node." + node + ".flops"})
      if (const auto figure = auditor->ask(what)) report.asked[what] = figure->value;
    if (const auto step = auditor->ask("plan.0.step_of." + node))
      report.node_of_step[static_cast<int>(step->value) + 1] = node;  // the report counts from 1
  }
}

void check_head(const std::string& line, Report& r) {
  static const std::regex first(R"(^\S+ on (\d+) threads?: ([0-9.]+) (\S+), (one run|the fastest of \d+ runs)$)");
  static const std::regex arena(
      R"(^arena ([0-9.]+) (\S+) by \S+ over \S+, lower bound ([0-9.]+) (\S+), ratio ([0-9.]+)$)");
  static const std::regex waits(
      R"(^barrier wait: ([0-9.]+) (\S+) summed over all threads, of ([0-9.]+) (\S+) in nodes$)");
  static const std::regex notes(
      R"(^(chosen|rejected): |^graph for |^\d+ of the \d+ runs used one thread|: \d+ times?, of \d+ nodes as written$)");
  std::smatch m;
  if (std::regex_match(line, m, first)) {
    holds(reported(m[2], m[3]), r.audit, r.of_run("lasted"), Report::kApart);
    return holds(reported(m[1]), r.audit, r.of_run("threads"));
  }
  if (std::regex_match(line, m, arena)) {
    holds(reported(m[1], m[2]), r.audit, "plan.0.arena");
    holds(reported(m[3], m[4]), r.audit, "plan.0.lower_bound");
    return holds(reported(m[5]), r.audit, "plan.0.ratio");
  }
  if (std::regex_match(line, m, waits)) {
    const auto waited = r.audit.find(r.of_run("barriers.waited"));
    const ReportedValue t = reported(m[1], m[2]);
    const double other = waited == r.audit.end() ? 0 : waited->second;
    CHECK(std::abs(t.value - other) <=
          t.rounding + 0.2 * other + Report::kApart);  // waits are measured with separate clock readings
    r.in_nodes = reported(m[3], m[4]);
    double walls = 0;
    for (const auto& [id, value] : r.asked) walls += id.ends_with(".wall") ? value : 0;
    CHECK(std::abs(r.in_nodes.value - walls) <= r.in_nodes.rounding + 0.1 * walls + Report::kApart);
    return;
  }
  CHECK_MESSAGE(std::regex_search(line, notes), line);  // about algorithms, which a recording does not contain
}

void check_memory(const std::string& line, Report& r) {
  static const std::map<std::string, std::string> names{
      {"default", "Default"},  {"persistent", "Persistent"},  {"workspace", "Workspace"},
      {"kv_cache", "KVCache"}, {"host_pinned", "HostPinned"}, {"host_pageable", "HostPageable"},
      {"mapped", "Mapped"}};
  static const std::regex row(
      R"(^(\S+) +([0-9.]+) (\S+) +([0-9.]+) (\S+) +([0-9.]+) (\S+) +([0-9.]+) (\S+) +(\d+) +(\d+)$)");
  static const std::regex packed(R"(^packed weights: ([0-9.]+) (\S+)$)");
  static const std::regex weights(
      R"(^weights: ([0-9.]+) (\S+) borrowed from files, ([0-9.]+) (\S+) copied, ([0-9.]+) (\S+) packed$)");
  std::smatch m;
  if (std::regex_match(line, m, weights)) {
    const ReportedValue borrowed = reported(m[1], m[2]), copied = reported(m[3], m[4]);
    const auto peak = [&](const char* kind) { return r.audit.count(kind) ? r.audit.at(kind) : 0; };
    CHECK(borrowed.value - borrowed.rounding <= peak("kind.Mapped.active.peak"));
    CHECK(copied.value - copied.rounding <= peak("kind.Mapped.active.peak") + peak("kind.Persistent.active.peak"));
    return;
  }
  if (std::regex_match(line, m, packed)) {
    const ReportedValue of = reported(m[1], m[2]);  // they are persistent
    CHECK(of.value - of.rounding <= r.audit.at("kind.Persistent.active.peak"));
    return;
  }
  REQUIRE_MESSAGE(std::regex_match(line, m, row), line);
  REQUIRE(names.contains(m[1]));
  const std::string kind = "kind." + names.at(m[1]) + ".";
  holds(reported(m[2], m[3]), r.audit, kind + "active.peak");
  holds(reported(m[4], m[5]), r.audit, kind + "reserved.peak");
  holds(reported(m[6], m[7]), r.audit, kind + "cached");
  holds(reported(m[8], m[9]), r.audit, kind + "waste");
  holds(reported(m[10]), r.audit, kind + "hits");
  holds(reported(m[11]), r.audit, kind + "misses");
  ++r.kinds;
}

// Index of the reported run: the one whose duration is closest to the report.
int reported_run(const Figures& audit, const std::string& report, int runs) {
  std::smatch m;
  REQUIRE(std::regex_search(report, m, std::regex(R"(threads?: ([0-9.]+) (\S+),)")));
  const double lasted = reported(m[1], m[2]).value;
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
  Report report{.audit = audit, .run = reported_run(audit, ended.out, 3)};
  ask_nodes(file, report, static_cast<int>(audit.at("plan.0.steps")));
  static const std::regex row(
      R"(^ *(\d+) \S+ .* ([0-9.]+) (ns|µs|ms|s) +([0-9.]+) +([0-9.]+) (ns|µs|ms|s) +([0-9.]+)$)");
  std::istringstream lines(ended.out);
  std::string line;
  int table = 0;  // 0: before the tables, 1: nodes, 2: memory, 3: results, which are not audited
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
  if (report.nodes < 20) {  // the table lists all nodes
    CHECK(std::abs(report.sum - report.in_nodes.value) <= 0.01 * report.in_nodes.value);
    CHECK(std::abs(report.shares - 100) <= 0.05 * report.nodes + 0.1);
  }
  CHECK(report.kinds >= 2);
}

}  // namespace

TEST_CASE("the report of a run matches the audit of its recording") {
  check_report({"zoo:mnist_cnn", "--threads", "2"});
  check_report({"zoo:mnist_cnn", "--threads", "2", "--memory", "eager"});
}

TEST_CASE("the report of a device run: a node lasts from the start of its first kernel to the end of its last") {
  if (cli({"devices"}).out.find("opencl:0") == std::string::npos) return;
  check_report({"zoo:nano_gpt", "--backend", "opencl", "--backend-option", "replay=off"});
}
