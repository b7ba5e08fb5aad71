// SPDX-License-Identifier: MIT
// The graph transforms of a compilation, in their order. Each hands the graph on with the outputs' new tensors.
#pragma once
#include <arenascope/run/compile.h>

namespace arenascope {

// Transforms the program's graph for the devices and settles which backend runs it. Errors: no memory, no threads.
Status transform_for(Program& program, const Devices& devices, const CompileOptions& options);

// Another graph takes the place of the program's; `twins` by NodeId of that one.
void take_over(Program& program, const Graph& graph, const std::vector<Tensor>& twins);

}  // namespace arenascope
