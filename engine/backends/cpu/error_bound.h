// SPDX-License-Identifier: MIT
// How far each op's result may be from the exact one. The tests hold every op to exactly this, and docs/cpu.md lists
// it.
#pragma once
#include <arenascope/graph/op.h>

namespace arenascope::cpu {

// In units of the type that is computed in: float for f32, f16 and bf16, double for f64. The rounding to the result's
// own type (half a unit in its last place) comes on top; integers are exact. A bound is the sum of its parts.
struct ErrorBound {
  double ulps = 0;   // units in the last place of the exact result, below the smallest normal number too
  double terms = 0;  // ε·Σ|terms|, for up to 2^14 terms; of functions of one element ε·|x|, of SCALE ε·|scale·x|
  double largest = 0;  // ε times the largest magnitude of the result
  double least = 0;    // an error that is allowed anyway
  const char* note = "";

  bool exact() const { return ulps == 0 && terms == 0 && largest == 0 && least == 0; }
};

ErrorBound error_bound(const TensorImpl& node);
// Of the op with sources of that type.
ErrorBound error_bound(Op op, DType first_source);

}  // namespace arenascope::cpu
