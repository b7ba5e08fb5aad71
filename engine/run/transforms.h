// SPDX-License-Identifier: MIT
// The graph transforms of a compilation, in execution order. Each replaces the graph and maps the outputs to new tensors.
#pragma once
#include <arenascope/run/compile.h>

namespace arenascope {

// Transforms the program's graph for the devices and selects its backend. `plan` receives the memory plan of the resulting
// graph if the choice among several graphs depended on it. Errors: out of memory, no threads, an error of the planner.
Status transform_for(Program& program, const Devices& devices, const CompileOptions& options,
                     std::optional<MemoryPlan>& plan);

// The memory plan of a graph of a program, with the order and planner of the options. Errors: those of plan_memory();
// cancelled by CompileOptions::stop.
Result<MemoryPlan> plan_graph(const Graph& graph, const Backend& backend, const CompileOptions& options);

// Replaces the program's graph by `graph`. `node_map`: the new tensor of each old node, by NodeId.
void replace_graph(Program& program, const Graph& graph, const std::vector<Tensor>& node_map);

}  // namespace arenascope
