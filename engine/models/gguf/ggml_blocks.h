// SPDX-License-Identifier: MIT
// Blocks of ggml types without kernels, converted to a DType that holds the same values. Layouts: ggml-common.h. The
// values are those of ggml's dequantize_row_* functions, bit for bit, because every product below is exact in its result type.
#pragma once
#include <cstddef>

namespace arenascope::models::ggml {

// Levels of 8 bits with the block's own scale.
void iq4_nl_to_q8_0(const std::byte* block, std::byte* out);
// Integers from -1 to 2 with the block's own scale.
void tq1_0_to_q4_0(const std::byte* block, std::byte* out);
void tq2_0_to_q4_0(const std::byte* block, std::byte* out);
void q1_0_to_q4_0(const std::byte* block, std::byte* out);
void q2_0_to_q4_0(const std::byte* block, std::byte* out);
// Odd integers up to 15 with a scale per 32 elements, an odd integer up to 31, and the scale of the block.
void iq3_s_to_q6_k(const std::byte* block, std::byte* out);
// Products with at most six significant bits, in the exponent range of float.
void mxfp4_to_bf16(const std::byte* block, std::byte* out);
void nvfp4_to_bf16(const std::byte* block, std::byte* out);
// Products with up to 24 significant bits.
void iq4_xs_to_f32(const std::byte* block, std::byte* out);
void iq3_xxs_to_f32(const std::byte* block, std::byte* out);
void iq2_xxs_to_f32(const std::byte* block, std::byte* out);
void iq2_xs_to_f32(const std::byte* block, std::byte* out);
void iq2_s_to_f32(const std::byte* block, std::byte* out);
void iq1_s_to_f32(const std::byte* block, std::byte* out);
void iq1_m_to_f32(const std::byte* block, std::byte* out);

}  // namespace arenascope::models::ggml
