// SPDX-License-Identifier: MIT
// Numbers as quantised blocks, made in the plainest way, for lessons about what that costs.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <span>
#include <vector>

namespace arenascope::lesson {

// Q8_0: a scale (f16), 32 whole numbers of 8 bits. Q4_K: 256 values as 8 groups of 32, each with a 6-bit scale and a
// 6-bit least value, under one scale for each of these; 4 bits a value. F32 as it is. The layouts are ggml's
// (ggml-common.h, block_q8_0 and block_q4_K). Errors: another type, a number of values that is no multiple of the block.
Result<std::vector<std::byte>> quantise(DType type, std::span<const float> values);

}  // namespace arenascope::lesson
