// SPDX-License-Identifier: MIT
// ONNX Runtime's operators with data-dependent output shapes, which are compiled after their inputs are known.
#pragma once

namespace arenascope::models {

class OpCall;

// Dynamic time warping: the cheapest path from corner to corner of a cost matrix.
void dynamic_time_warping(OpCall& c);
// Verifies speculative tokens: the accepted ones, and the index at which the source text continues.
void bifurcation_detector(OpCall& c);

}  // namespace arenascope::models
