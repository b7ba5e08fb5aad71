// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/planned_session.h"

#include <arenascope/schedule/describe.h>

namespace arenascope::app {

Result<std::shared_ptr<trace::Session>> planned_session(const models::Model& model, const PlanSettings& settings) {
  if (!model.graph.defined())
    return Error{model.problems.empty() ? model.name + " has no graph" : model.problems.front()};
  auto session = std::make_shared<trace::Session>();
  auto graph = std::make_shared<trace::GraphInfo>(describe_graph(model.graph));
  graph->id = trace::GraphId(0);
  graph->model = model.name;
  session->describe(trace::Description(std::shared_ptr<const trace::GraphInfo>(graph)));
  auto context = std::make_shared<trace::ContextInfo>(describe_context(model.context));
  context->id = trace::ContextId(0);
  session->describe(trace::Description(std::shared_ptr<const trace::ContextInfo>(context)));
  auto plan = plan_memory(model.graph, settings.planner, settings.order, settings.options);
  if (!plan) return plan.error();
  auto described = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
  described->id = trace::PlanId(0);
  described->graph = graph->id;
  session->describe(trace::Description(std::shared_ptr<const trace::PlanInfo>(described)));
  return session;
}

}  // namespace arenascope::app
