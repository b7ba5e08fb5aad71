// SPDX-License-Identifier: GPL-3.0-or-later
// The report that `run` prints, held against the auditor: of the recording of the same runs. A line that is not known
// here fails, so that nothing is told of a run that is held against nothing.
#include <arenascope/audit/audit.h>
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/app/cli/told_figures.h"

using namespace arenascope::test;

namespace {

struct Report {
  const Figures& audit;
  int run = 0;  // the fastest
  int nodes = 0, kinds = 0;
  std::map<int, std::string> node_of_step;
  Figures asked;
  Told in_nodes;                           // all nodes' time
  double sum = 0, shares = 0, waited = 0;  // of the table

  static constexpr double kApart = 60'000;  // ns: the executor's clock is read beside the recorded spans'

  std::string of_run(const char* what) const { return "run." + std::to_string(run) + "." + what; }

  // Step, time, share of all nodes' time, waiting, and GFLOP/s, which follows from the node's flops.
  void node(const std::smatch& m) {
    const std::string step = m[1];
    // A recorded graph's steps are its nodes' places in the order.
    const auto node = node_of_step.find(std::stoi(step));
    REQUIRE(node != node_of_step.end());
    const std::string id = "run." + std::to_string(run) + ".node." + node->second;
    const Told time = told(m[2], m[3]), share = told(m[4]), wait = told(m[5], m[6]), speed = told(m[7]);
    holds(time, asked, id + ".wall", kApart);
    holds(wait, asked, id + ".wait", kApart + 0.2 * asked[id + ".wait"]);  // each wait's clock is read apart
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

// What `audit --figure` says of each node of a run.
void ask_nodes(const std::string& file, Report& report, int steps) {
  const auto auditor = arenascope::audit::Auditor::open(file);
  REQUIRE(auditor.ok());
  for (int n = 0; n < steps; ++n) {
    const std::string node = std::to_string(n), id = "run." + std::to_string(report.run) + ".node." + node;
    for (const std::string& what : {id + ".wall", id + ".wait", "tensor.0.node." + node + ".flops"})
      if (const auto figure = auditor->ask(what)) report.asked[what] = figure->value;
    if (const auto step = auditor->ask("plan.0.step_of." + node))
      report.node_of_step[static_cast<int>(step->value)] = node;
  }
}

void check_head(const std::string& line, Report& r) {
  static const std::regex first(R"(^\S+ on (\d+) threads?: ([0-9.]+) (\S+), (one run|the fastest of \d+ runs)$)");
  static const std::regex arena(R"(^arena ([0-9.]+) (\S+) by \S+ over \S+, bound ([0-9.]+) (\S+), ratio ([0-9.]+)$)");
  static const std::regex waits(
      R"(^waited at barriers: ([0-9.]+) (\S+) summed over the threads, of ([0-9.]+) (\S+) in nodes$)");
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
    r.in_nodes = told(m[3], m[4]);
    double walls = 0;
    for (const auto& [id, value] : r.asked) walls += id.ends_with(".wall") ? value : 0;
    CHECK(std::abs(r.in_nodes.value - walls) <= r.in_nodes.rounding + 0.1 * walls + Report::kApart);
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
  static const std::regex packed(R"(^packed weights: ([0-9.]+) (\S+), in the forms that kernels read$)");
  static const std::regex lent(R"(^lent weights: ([0-9.]+) (\S+), of which ([0-9.]+) (\S+) lie in memory; .*$)");
  std::smatch m;
  if (std::regex_match(line, m, lent)) {
    const Told all = told(m[1], m[2]), there = told(m[3], m[4]);
    holds(all, r.audit, "kind.Mapped.active.peak");
    CHECK(there.value - there.rounding <= all.value + all.rounding);
    return;
  }
  if (std::regex_match(line, m, packed)) {
    const Told of = told(m[1], m[2]);  // they are persistent
    CHECK(of.value - of.rounding <= r.audit.at("kind.Persistent.active.peak"));
    return;
  }
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
  static const std::regex row(
      R"(^ *(\d+) \S+ .* ([0-9.]+) (ns|µs|ms|s) +([0-9.]+) +([0-9.]+) (ns|µs|ms|s) +([0-9.]+)$)");
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
  if (report.nodes < 20) {  // the table has all of them
    CHECK(std::abs(report.sum - report.in_nodes.value) <= 0.01 * report.in_nodes.value);
    CHECK(std::abs(report.shares - 100) <= 0.05 * report.nodes + 0.1);
  }
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
