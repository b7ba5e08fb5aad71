// SPDX-License-Identifier: GPL-3.0-or-later
// Files of all kinds as sessions, so that a planned model is shown and compared like a recording.
#pragma once
#include <memory>
#include <string>

#include <arenascope/models/model.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/trace/session.h>

namespace arenascope::app {

struct PlanSettings {
  std::string planner = "search", order = "depth-first";
  MemoryPlanOptions options;
};

// A session with the graph of the model as written, its context and one plan; nothing is run. Errors: no graph, an unknown
// planner or order.
Result<std::shared_ptr<trace::Session>> planned_session(const models::Model& model, const PlanSettings& settings);

// Any file: a recording or trace as it is, a model or a CSV of intervals with a plan. `problem`: what is missing from the session,
// for the user; empty if nothing. Errors name the file.
Result<std::shared_ptr<trace::Session>> open_session(const std::string& file, const PlanSettings& settings,
                                                     std::string& problem);

}  // namespace arenascope::app
