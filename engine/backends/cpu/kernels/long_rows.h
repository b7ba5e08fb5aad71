// SPDX-License-Identifier: MIT
// CONV of few channels with a kernel of long rows (39 taps over a spectrum, say): packed windows would be used a few times
// only. Rows of the source are put beside each other with their padding, in whichever layout they lie, and every tap is a
// vector of neighbouring results times a weight; the sums stay in registers.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool has_long_rows(const TensorImpl& node, const ConvGeometry& g);
Bytes long_rows_work(const ConvGeometry& g, int tasks);
void long_rows(const Job& job, const ConvGeometry& g);

}  // namespace arenascope::cpu
