// SPDX-License-Identifier: MIT
// A straightforward quantiser for lessons about quantisation error.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <span>
#include <vector>

namespace arenascope::lesson {

// Q8_0: an f16 scale and 32 8-bit integers per block. Q4_0: an f16 scale and 32 4-bit integers, of which 8 stands for
// zero. Q4_K: 256 4-bit values in 8 groups of 32; each group has a 6-bit scale and a 6-bit minimum, and the block has
// one scale for each of these. Values beyond the range of the scales saturate. F32 is copied. The layouts are ggml's
// (ggml-common.h, block_q4_0, block_q8_0 and block_q4_K). Errors: another type, or a number of values that is not a
// multiple of the block size.
Result<std::vector<std::byte>> quantise(DType type, std::span<const float> values);

}  // namespace arenascope::lesson
