// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <views/lesson/lesson_graph.h>

namespace arenascope::views {

Result<std::shared_ptr<trace::Session>> lesson_session(const Lesson& lesson) {
  if (lesson.graph.empty()) return Error{"lesson " + lesson.id.toStdString() + " has no graph of its own"};
  auto graph = std::make_shared<trace::GraphInfo>();
  graph->id = trace::GraphId(0);
  graph->model = lesson.title.toStdString();
  for (const LessonBuffer& b : lesson.graph) {
    trace::TensorInfo t;
    t.name = b.name.toStdString();
    t.op = b.sources.isEmpty() ? "FILL" : "MUL_MAT";
    t.dtype = "i8";
    t.shape = {b.bytes};
    t.strides = {1};
    t.bytes = b.bytes;
    t.tasks = 1;
    for (const QString& source : b.sources)
      for (size_t i = 0; i < lesson.graph.size(); ++i)
        if (lesson.graph[i].name == source) t.sources.push_back(trace::TensorRef::node(NodeId(i)));
    graph->edges += static_cast<int64_t>(t.sources.size());
    graph->nodes.push_back(std::move(t));
  }
  graph->nodes.back().flags = trace::kOutput;
  auto restored = restore_graph(*graph);
  if (!restored) return restored.error();
  MemoryPlanOptions options;
  auto plan = plan_memory(*restored, "none", "depth-first", options);
  if (!plan) return plan.error();
  auto described = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
  described->id = trace::PlanId(0);
  described->graph = graph->id;
  auto session = std::make_shared<trace::Session>();
  session->describe(trace::Description(std::shared_ptr<const trace::GraphInfo>(graph)));
  session->describe(trace::Description(std::shared_ptr<const trace::PlanInfo>(described)));
  return session;
}

}  // namespace arenascope::views
