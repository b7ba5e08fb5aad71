// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/planned_session.h"

#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/intervals_file.h>
#include <arenascope/trace/import.h>
#include <fmt/format.h>

#include "app/common/left_out.h"
#include "app/common/recorded_lifetimes.h"
#include "app/common/trace_open_options.h"

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

Result<std::shared_ptr<trace::Session>> open_session(const std::string& file, const PlanSettings& settings,
                                                     std::string& problem) {
  if (is_recording(file)) {
    auto session = std::make_shared<trace::Session>();
    auto read = trace::open_trace(file, *session, trace_open_options());
    if (!read) return read.error();
    problem = left_out(*session->snapshot(), file);
    return session;
  }
  Result<std::shared_ptr<trace::Session>> session = std::shared_ptr<trace::Session>();
  if (is_intervals_file(file)) {
    session = open_intervals(file, settings.planner, settings.options.planner.budget_seconds);
  } else {
    auto model = models::open_model(file);
    if (!model) return model.error();
    session = planned_session(*model, settings);
    if (const std::string missing = left_out(*model); !missing.empty())
      problem = fmt::format("{}: the plan is incomplete: {}", file, missing);
  }
  if (!session) return Error{fmt::format("{}: {}", file, session.error().message)};
  return session;
}

}  // namespace arenascope::app
