// SPDX-License-Identifier: MIT
// Backward rules of windows.
#include "engine/graph/autodiff_rules.h"

namespace arenascope::autodiff {

// Each window's gradient goes to its largest element.
void max_pool(Backward& b) {
  b.give(0, b.g.op_with(Op::MaxPoolBack, {b.source(0), b.dy}, b.y->params.get<PoolParams>()));
}

}  // namespace arenascope::autodiff
