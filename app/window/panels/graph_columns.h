// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the table of nodes, for the graph to be coloured by.
#pragma once
#include <views/graph/node_columns.h>

namespace arenascope::app {

views::NodeColumns graph_columns();

}  // namespace arenascope::app
