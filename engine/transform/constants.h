// SPDX-License-Identifier: MIT
// Branches over weights alone, which are computed when weights are loaded instead of in every run.
#pragma once
#include <vector>

#include <arenascope/transform/rewrite.h>
#include "engine/transform/graph_copier.h"
#include "engine/transform/rules/look.h"

namespace arenascope::rewriting {

struct TakenConstants {
  std::vector<ConstantBranch> branches;
  int64_t nodes = 0;  // of the graph as it was written, that they hold
};

// Copies all other nodes; where those read a node of such a branch, a leaf takes its place. A branch stays in the graph
// where its result takes more bytes than the weights that it is made of and `most_constant_bytes`. Errors: no memory.
Result<TakenConstants> take_constants(GraphCopier& copier, const Look& look, const RewriteOptions& options);

}  // namespace arenascope::rewriting
