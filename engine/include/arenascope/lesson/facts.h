// SPDX-License-Identifier: MIT
// Facts that a lesson may state: values computed on demand from the current session. An expression is a fact, an integer,
// or several of them with + - * / between, from left to right:
//
//   peak        bytes(B)        arena(two-level,depth-first)        bytes(D) + bytes(E)
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/lesson/byte_lens.h>
#include <arenascope/trace/snapshot.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::lesson {

enum class Unit : uint8_t { None, Bytes, Nanoseconds, Percent };

struct Value {
  enum class Kind : uint8_t { Number, Text, List };
  Kind kind = Kind::Number;
  double number = 0;
  Unit unit = Unit::None;
  std::string text;
  std::vector<std::string> list;
};

// A plan of the frontier of bytes against operations (schedule/frontier.h).
struct FrontierPlan {
  Bytes arena = 0;
  double extra_work = 0;  // that is computed again, as a share of all
};

// The inputs of facts, provided by the window or by the checker's stage.
struct Scene {
  std::shared_ptr<const trace::Snapshot> snapshot;  // never null
  std::shared_ptr<const trace::GraphInfo> graph;    // null: none is open
  std::shared_ptr<const trace::PlanInfo> plan;      // that is shown
  trace::RunId run;
  std::map<std::string, std::vector<float>> values;    // of tensors that facts need, see tensors_read_by()
  std::vector<FrontierPlan> frontier;                  // where it was found
  std::shared_ptr<const std::vector<LensFrame>> lens;  // of the experiment that a lesson shows; null: none
  std::map<std::string, Value, std::less<>> known;     // cached results: some are expensive
};

struct FactInfo {
  const char* name;
  int min_arguments = 0, max_arguments = 0;
  const char* description;  // for docs/how-to/write-a-lesson.md
  const char* shown_in =
      "";  // panels that show its value, by id; "headline": the line below the panels, "toolbar": the number of runs
};
std::span<const FactInfo> facts();

// The metric of `arenascope-cli audit` that checks a fact, or the reason why there is none. Errors: not available.
struct AuditMetric {
  std::string figure;  // "plan.0.peak"
  std::string exempt;  // reason if there is none
};
Result<AuditMetric> audit_metric(const Scene& scene, const std::string& fact, const std::vector<std::string>& given);

// Errors: an unknown fact or tensor, or a fact that no open document can answer.
Result<Value> evaluate(const Scene& scene, std::string_view expression);
// Tensors whose numbers an expression reads.
std::set<std::string> tensors_read_by(std::string_view expression);

// True if the value matches an expectation (lesson.h), in which _ stands for a space. Non-integers are compared with the
// digits of the expectation: 0.33 matches 0.3333.
bool matches(const Value& value, std::string_view expected);
// As an expectation would have it: "4608", "2.5", "a,b".
std::string plain(const Value& value);
// For people: "4608 bytes", "2.5 MiB", "a, b"; `bare` without the unit.
std::string shown(const Value& value, bool bare = false);

}  // namespace arenascope::lesson
