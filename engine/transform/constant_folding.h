// SPDX-License-Identifier: MIT
// Constant folding: branches over weights alone are computed when the weights are loaded instead of in every run.
#pragma once
#include <vector>

#include <arenascope/transform/rewrite.h>
#include "engine/transform/graph_copier.h"
#include "engine/transform/rules/pattern_matcher.h"

namespace arenascope::rewriting {

struct FoldedConstants {
  std::vector<ConstantBranch> branches;
  int64_t nodes = 0;  // nodes of the original graph in all branches
};

// Copies all other nodes and replaces each branch by a leaf where they read it. A branch stays in the graph if its
// result takes more bytes than its weights plus `max_constant_bytes`. Errors: out of memory.
Result<FoldedConstants> fold_constants(GraphCopier& copier, const PatternMatcher& matcher,
                                       const RewriteOptions& options);

}  // namespace arenascope::rewriting
