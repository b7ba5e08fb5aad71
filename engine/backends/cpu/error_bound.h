// SPDX-License-Identifier: MIT
// Error bound of each op relative to the exact result: that of op_list.h, except for the few ops whose arithmetic
// depends on the type of their inputs. The tests check every op against exactly this bound, and docs/reference/cpu.md
// lists it.
#pragma once
#include <arenascope/graph/op.h>

namespace arenascope::cpu {

ErrorBound error_bound(const TensorImpl& node);
// Bound of the op with first input of that type.
ErrorBound error_bound(Op op, DType first_source);

}  // namespace arenascope::cpu
