// SPDX-License-Identifier: GPL-3.0-or-later
// Every planner over every order, of models whose weights are never made.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/app/cli/child.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

// The names that the command itself lists: "planners are all, none, …; orders are all, …".
std::set<std::string> listed(const std::string& text, const std::string& head) {
  std::set<std::string> names;
  const size_t begin = text.find(head);
  if (begin == std::string::npos) return names;
  std::istringstream in(text.substr(begin + head.size(), text.find_first_of(";\n", begin) - begin - head.size()));
  for (std::string name; std::getline(in >> std::ws, name, ',');)
    if (name != "all") names.insert(name);
  return names;
}

void check_everything(const std::string& model) {
  const std::string names = cli({"plan", model, "--planner", "?"}).err;
  const auto planners = listed(names, "planners are "), orders = listed(names, "orders are ");
  CHECK(planners.size() >= 10);
  CHECK(orders.size() >= 4);
  for (const char* name : {"none", "two-level", "greedy-by-size", "search"}) CHECK(planners.count(name) == 1);
  for (const char* name : {"depth-first", "breadth-first", "search"}) CHECK(orders.count(name) == 1);

  const Ended ended = cli({"plan", model, "--planner", "all", "--order", "all", "--json"});
  REQUIRE(ended.status == 0);
  MESSAGE(model << ": " << ended.cpu_seconds << " s of processor, " << ended.wall_seconds << " s, "
                << ended.peak_bytes / 1000000 << " MB");
  if (!kSanitized) {
    CHECK(ended.cpu_seconds < 1);   // what was asked for
    CHECK(ended.wall_seconds < 5);  // others may be using the machine
    CHECK(ended.peak_bytes < 200'000'000);
  }
  const Json object = Json::parse(ended.out, nullptr, false);
  REQUIRE(object.is_object());
  CHECK(object["buffers"] > 50);

  std::set<std::pair<std::string, std::string>> pairs;
  std::map<std::string, int64_t> searched, bound, none;
  int64_t best = INT64_MAX;
  for (const Json& result : object["results"]) {
    const std::string planner = result["planner"], order = result["order"];
    CAPTURE(planner);
    CAPTURE(order);
    CHECK(pairs.emplace(planner, order).second);
    CHECK(planners.count(planner) == 1);
    CHECK(orders.count(order) == 1);
    const int64_t arena = result["arena_bytes"], lower = result["lower_bound_bytes"];
    CHECK(lower > 0);
    CHECK(arena >= lower);
    CHECK(result["ratio"].get<double>() == doctest::Approx(double(arena) / double(lower)));
    CHECK(result["seconds"] >= 0.0);
    CHECK(bound.emplace(order, lower).first->second == lower);  // the bound is the order's, whoever plans
    if (planner == "search") searched[order] = arena;
    if (planner == "none") none[order] = arena;
    best = std::min(best, arena);
  }
  CHECK(pairs.size() == planners.size() * orders.size());
  for (const Json& result : object["results"]) {
    const std::string order = result["order"];
    CAPTURE(order);
    CHECK(searched[order] <= result["arena_bytes"]);
  }
  for (const auto& [order, arena] : none) CHECK(arena > best);  // reuse is worth something
}

}  // namespace

TEST_CASE("resnet50 by every planner over every order") { check_everything("zoo:resnet50"); }
TEST_CASE("llama_13b by every planner over every order") { check_everything("zoo:llama_13b"); }
