// SPDX-License-Identifier: MIT
// The instruction sets that the quantised matmul is compiled for.
#pragma once
#include "engine/backends/cpu/quant/quant_kernels.h"

namespace arenascope::cpu {

QuantKernels quant_amx();  // quant_avx512(), with tiles for many rows
QuantKernels quant_avx512();
QuantKernels quant_avxvnni();
QuantKernels quant_avx2();
QuantKernels quant_portable();

}  // namespace arenascope::cpu
