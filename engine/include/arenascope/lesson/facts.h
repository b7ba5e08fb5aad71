// SPDX-License-Identifier: MIT
// What a lesson may claim, by name: facts about what is open, computed from the session at hand whenever they are asked
// for. An expression is a fact, a whole number, or several of them with + - * / between, from left to right:
//
//   peak        bytes(B)        arena(two-level,depth-first)        bytes(D) + bytes(E)
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
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

// What facts are read from. The window makes one of what it shows, the checker of its stage.
struct Scene {
  std::shared_ptr<const trace::Snapshot> snapshot;  // never null
  std::shared_ptr<const trace::GraphInfo> graph;    // null: none is open
  std::shared_ptr<const trace::PlanInfo> plan;      // that is shown
  trace::RunId run;
  std::map<std::string, std::vector<float>> values;  // of tensors that facts need, see tensors_read_by()
  std::vector<FrontierPlan> frontier;                // where it was found
  std::map<std::string, Value, std::less<>> known;   // what expressions came to already: some take long
};

struct FactInfo {
  const char* name;
  int least = 0, most = 0;  // arguments
  const char* description;  // for docs/lessons.md
};
std::span<const FactInfo> facts();

// What a fact is held against: a figure of `arenascope-cli audit`, or nothing, and why. Errors: nothing open has it.
struct HeldAgainst {
  std::string figure;  // "plan.0.peak"
  std::string exempt;  // why there is none
};
Result<HeldAgainst> held_against(const Scene& scene, const std::string& fact, const std::vector<std::string>& given);

// Errors: a fact that is not known, a tensor that is not there, something that nothing open can answer.
Result<Value> evaluate(const Scene& scene, std::string_view expression);
// Tensors whose numbers an expression reads.
std::set<std::string> tensors_read_by(std::string_view expression);

// Whether the value is what an expectation says (lesson.h), in which _ stands for a space. Numbers that are no whole ones may be off by what the
// expectation leaves out: 0.33 holds for 0.3333.
bool matches(const Value& value, std::string_view expected);
// As an expectation would have it: "4608", "2.5", "a,b".
std::string plain(const Value& value);
// For people: "4608 bytes", "2.5 MiB", "a, b"; `bare` without the unit.
std::string shown(const Value& value, bool bare = false);

}  // namespace arenascope::lesson
