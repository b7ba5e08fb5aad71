// SPDX-License-Identifier: MIT
// The steps of compile() apart, for planning the graph that would run without running it.
#pragma once
#include <arenascope/run/compile.h>

namespace arenascope {

// Transforms the model's graph for the devices; memory is not planned. The model may be incomplete or lack weights:
// then the nodes that are known are transformed. Errors: out of memory, no device computes a node.
Result<Program> transform_model(const models::Model& model, const Devices& devices, const CompileOptions& options);

// The options with which compile() plans memory and orders the nodes.
planner::Options planner_options(const CompileOptions& options);
MemoryPlanOptions memory_plan_options(const CompileOptions& options, const Backend& backend);
OrderOptions order_options(const CompileOptions& options);

// The graph that compile() plans: "rewritten, fused, channels-last images", or "as written".
std::string graph_form(const Program& program);

}  // namespace arenascope
