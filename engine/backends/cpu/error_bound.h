// SPDX-License-Identifier: MIT
// How far each op's result may be from the exact one: what op_list.h says, but for the few ops whose arithmetic depends
// on their sources' type. The tests hold every op to exactly this, and docs/cpu.md lists it.
#pragma once
#include <arenascope/graph/op.h>

namespace arenascope::cpu {

ErrorBound error_bound(const TensorImpl& node);
// Of the op with sources of that type.
ErrorBound error_bound(Op op, DType first_source);

}  // namespace arenascope::cpu
