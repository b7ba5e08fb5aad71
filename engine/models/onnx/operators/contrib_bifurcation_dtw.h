// SPDX-License-Identifier: MIT
// ONNX Runtime's own operators whose result is as long as values say: they are opened when those are known.
#pragma once

namespace arenascope::models {

class OpCall;

// The cheapest way from corner to corner of a matrix of costs.
void dynamic_time_warping(OpCall& c);
// StringTable that were guessed, as far as they are those of a text, and where the text goes on behind them.
void bifurcation_detector(OpCall& c);

}  // namespace arenascope::models
