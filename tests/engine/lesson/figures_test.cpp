// SPDX-License-Identifier: MIT
// The facts of lessons about graphs, plans, runs and memory equal the auditor's values for the same events; facts that
// are exempt state a reason.
#include <arenascope/base/step_number.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/run/backends.h>
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/engine/lesson/audited_scene.h"

namespace arenascope::lesson {
namespace {

// Candidate arguments of a fact.
std::vector<std::vector<std::string>> candidates(const Scene& s, const FactInfo& fact) {
  std::vector<std::vector<std::string>> out;
  if (fact.min_arguments == 0) out.push_back({});
  if (fact.max_arguments == 0) return out;
  const auto add = [&](const std::string& word) {
    if (word.empty()) return;
    if (fact.min_arguments <= 1) out.push_back({word});
    if (fact.max_arguments == 2)
      for (const char* second : {"0", "1"}) out.push_back({word, second});
  };
  for (const char* word : {"0", "1", "2", "graph", "workspace", "persistent", "host_pageable"}) add(word);
  if (s.graph)
    for (const auto* list : {&s.graph->nodes, &s.graph->leafs})
      for (size_t i = 0; i < std::min<size_t>(list->size(), 12); ++i) add((*list)[i].name);
  for (const trace::CounterInfo& counter : s.snapshot->counters) {
    std::string name = counter.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    add(name);
  }
  for (const auto& context : s.snapshot->contexts)
    for (const trace::ObjectInfo& object : context->objects) add(object.name);
  return out;
}

std::string expression(const FactInfo& fact, const std::vector<std::string>& given) {
  std::string out = fact.name;
  for (size_t i = 0; i < given.size(); ++i) out += (i == 0 ? "(" : ",") + given[i];
  return given.empty() ? out : out + ")";
}

struct Held {
  int numbers = 0;
  std::set<std::string> facts;  // that were compared
};

void check_scene(Scene& scene, Held& held) {
  const auto auditor = test::audited(scene);
  REQUIRE_MESSAGE(auditor.ok(), (auditor.ok() ? "" : auditor.error().message));
  for (const FactInfo& fact : facts())
    for (const auto& given : candidates(scene, fact)) {
      const std::string asked = expression(fact, given);
      const auto against = audit_metric(scene, fact.name, given);
      if (against && !against->exempt.empty() && fact.max_arguments == 2) continue;  // plans are made for them
      const auto value = evaluate(scene, asked);
      if (!value) continue;  // nothing open has it
      CAPTURE(asked);
      CHECK_MESSAGE(against.ok(), (against.ok() ? "" : against.error().message));
      if (!against) continue;
      CHECK((against->exempt == "its value is not a number") == (value->kind != Value::Kind::Number));
      if (!against->exempt.empty()) continue;
      const auto figure = auditor->ask(against->figure);
      // A value without events is zero.
      const bool step = figure && figure->unit == audit::Unit::Step;  // the metric is an index
      const double expected = !figure ? 0
                              : step  ? static_cast<double>(step_number(static_cast<int64_t>(figure->value)))
                                      : figure->value;
      CHECK_MESSAGE((figure || value->number == 0), against->figure);
      CHECK(value->number == doctest::Approx(expected).epsilon(1e-9));
      ++held.numbers;
      if (figure) held.facts.insert(fact.name);
    }
}

TEST_CASE("every lesson fact equals the auditor's figure, or states why not") {
  Held held;
  for (const auto& entry : std::filesystem::directory_iterator(ARENASCOPE_LESSONS)) {
    if (!entry.path().string().ends_with(".en.md")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const auto lesson = parse(entry.path().string(), std::string(std::istreambuf_iterator<char>(file), {}));
    REQUIRE(lesson.ok());
    bool device = false;
    for (const BackendStatus& status : list_backends())
      device = device || (status.backend == lesson->settings.backend && status.missing.empty());
    if (!device) continue;
    CAPTURE(lesson->id);
    Stage stage(*lesson);
    for (const LessonStep& step : lesson->steps) {
      CAPTURE(step.title);
      bool changed = false;
      for (const Action& action : step.actions) {
        REQUIRE(stage.act(action).ok());
        changed = changed || opens_something(action) || action.verb == "run" || action.verb == "plan";
      }
      if (!changed) continue;
      auto scene = stage.scene();
      REQUIRE(scene.ok());
      check_scene(*scene, held);
    }
  }
  CHECK(held.numbers > 2000);
  for (const FactInfo& fact : facts()) {
    const auto against = audit_metric(Scene{std::make_shared<trace::Snapshot>()}, fact.name, {});
    const bool exempt = against && !against->exempt.empty();
    CHECK_MESSAGE((exempt || held.facts.contains(fact.name)), fact.name);
  }
}

}  // namespace
}  // namespace arenascope::lesson
