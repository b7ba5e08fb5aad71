// SPDX-License-Identifier: MIT
// Builds a session from a lesson's own graph of buffers; nothing runs.
#include <arenascope/lesson/stage.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>

#include <map>

namespace arenascope::lesson {
namespace {

// Buffers in the order in which a graph collects its nodes: backwards from the unused ones, inputs before users, each
// once.
std::vector<size_t> depth_first(const std::vector<GraphLine>& lines) {
  std::map<std::string, size_t> places;
  std::vector<bool> read(lines.size()), visited(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) places[lines[i].name] = i;
  for (const GraphLine& line : lines)
    for (const std::string& source : line.sources) read[places[source]] = true;
  std::vector<size_t> order;
  for (size_t output = 0; output < lines.size(); ++output) {
    if (read[output]) continue;
    std::vector<std::pair<size_t, size_t>> stack{{output, 0}};  // a line, and the number of its inputs already visited
    visited[output] = true;
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      if (next == lines[at].sources.size()) {
        order.push_back(at);
        stack.pop_back();
        continue;
      }
      const size_t source = places[lines[at].sources[next++]];
      if (!visited[source]) {
        visited[source] = true;
        stack.emplace_back(source, 0);
      }
    }
  }
  return order;
}

}  // namespace

Result<std::shared_ptr<trace::Session>> lesson_session(const Lesson& lesson) {
  if (lesson.graph.empty() || lesson.computes()) return error_at(lesson, 1, "the lesson has no buffer graph");
  auto graph = std::make_shared<trace::GraphInfo>();
  graph->id = trace::GraphId(0);
  graph->model = lesson.title;
  for (const size_t i : depth_first(lesson.graph)) {
    const GraphLine& line = lesson.graph[i];
    trace::TensorInfo t;
    t.name = line.name;
    t.op = "BUFFER";  // not computed
    t.dtype = arenascope::name(DType::U8);
    t.shape = {line.bytes};
    t.strides = {1};
    t.bytes = line.bytes;
    for (const std::string& source : line.sources)
      for (size_t k = 0; k < graph->nodes.size(); ++k)
        if (graph->nodes[k].name == source) t.sources.push_back(trace::TensorRef::node(NodeId(k)));
    graph->edges += static_cast<int64_t>(t.sources.size());
    graph->nodes.push_back(std::move(t));
  }
  graph->nodes.back().flags = trace::kOutput;
  auto restored = restore_graph(*graph);
  if (!restored) return error_at(lesson, 1, restored.error().message);
  auto plan = plan_memory(*restored, "none", "depth-first");
  if (!plan) return error_at(lesson, 1, plan.error().message);
  auto described = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
  described->id = trace::PlanId(0);
  described->graph = graph->id;
  auto session = std::make_shared<trace::Session>();
  session->describe(trace::Description(std::shared_ptr<const trace::GraphInfo>(graph)));
  session->describe(trace::Description(std::shared_ptr<const trace::PlanInfo>(described)));
  return session;
}

}  // namespace arenascope::lesson
