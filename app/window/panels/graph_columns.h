// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the Nodes table for colouring the graph.
#pragma once
#include <views/graph/node_columns.h>

namespace arenascope::app {

views::NodeColumns graph_columns();

}  // namespace arenascope::app
