// SPDX-License-Identifier: MIT
// The definition of a fact, and the fact tables. To add a fact, write a function and add it to the table of its file.
#pragma once
#include <arenascope/lesson/facts.h>

namespace arenascope::lesson {

using Arguments = std::vector<std::string>;

struct Fact {
  FactInfo info;
  Result<Value> (*answer)(const Scene& scene, const Arguments& arguments);
};

std::span<const Fact> graph_facts();    // fact_graph.cpp
std::span<const Fact> plan_facts();     // fact_plan.cpp
std::span<const Fact> run_facts();      // fact_run.cpp
std::span<const Fact> memory_facts();   // fact_memory.cpp
std::span<const Fact> what_if_facts();  // fact_what_if.cpp
std::span<const Fact> pool_facts();     // fact_pool.cpp
std::span<const Fact> lens_facts();     // fact_lens.cpp
std::vector<std::span<const Fact>> fact_tables();

inline Value number_value(double number, Unit unit = Unit::None) { return {Value::Kind::Number, number, unit, {}, {}}; }
inline Value bytes_value(Bytes bytes) { return number_value(static_cast<double>(bytes), Unit::Bytes); }
inline Value text_value(std::string text) { return {Value::Kind::Text, 0, Unit::None, std::move(text), {}}; }
inline Value list_value(std::vector<std::string> list) {
  return {Value::Kind::List, 0, Unit::None, {}, std::move(list)};
}

// The graph of the scene, which most facts need. Fails if no graph is open.
Result<const trace::GraphInfo*> graph_of(const Scene& scene);
Result<const trace::PlanInfo*> plan_of(const Scene& scene);
Result<const trace::Run*> run_of(const Scene& scene);
struct Found {
  trace::TensorRef ref;
  const trace::TensorInfo* info = nullptr;
};
Result<Found> tensor_of(const Scene& scene, const std::string& name);
// As the panels call it: "node 22" if it has no name; empty: no tensor.
std::string name_of(const trace::GraphInfo& graph, trace::TensorRef ref);
Result<const trace::SliceInfo*> slice_of(const Scene& scene, const std::string& name);

}  // namespace arenascope::lesson
