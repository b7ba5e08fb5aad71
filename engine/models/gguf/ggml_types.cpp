// SPDX-License-Identifier: MIT
#include "engine/models/gguf/ggml_types.h"

#include "engine/models/gguf/ggml_blocks.h"
#include "engine/models/gguf/gguf.h"

namespace arenascope::models {
namespace {

struct CodedType {
  uint32_t code;
  StoredType type;
};
// Block sizes: ggml-common.h. q8_1 and q8_k are formats of activations, for which ggml defines no conversion of files.
constexpr CodedType kGgmlTypes[] = {
    {0, {"f32", 1, 4, DType::F32}},
    {1, {"f16", 1, 2, DType::F16}},
    {2, {"q4_0", 32, 18, DType::Q4_0}},
    {3, {"q4_1", 32, 20, DType::Q4_1}},
    {6, {"q5_0", 32, 22, DType::Q5_0}},
    {7, {"q5_1", 32, 24, DType::Q5_1}},
    {8, {"q8_0", 32, 34, DType::Q8_0}},
    {9, {"q8_1", 32, 36}},
    {10, {"q2_k", 256, 84, DType::Q2_K}},
    {11, {"q3_k", 256, 110, DType::Q3_K}},
    {12, {"q4_k", 256, 144, DType::Q4_K}},
    {13, {"q5_k", 256, 176, DType::Q5_K}},
    {14, {"q6_k", 256, 210, DType::Q6_K}},
    {15, {"q8_k", 256, 292}},
    {16, {"iq2_xxs", 256, 66, DType::F32, ggml::iq2_xxs_to_f32}},
    {17, {"iq2_xs", 256, 74, DType::F32, ggml::iq2_xs_to_f32}},
    {18, {"iq3_xxs", 256, 98, DType::F32, ggml::iq3_xxs_to_f32}},
    {19, {"iq1_s", 256, 50, DType::F32, ggml::iq1_s_to_f32}},
    {20, {"iq4_nl", 32, 18, DType::Q8_0, ggml::iq4_nl_to_q8_0}},
    {21, {"iq3_s", 256, 110, DType::Q6_K, ggml::iq3_s_to_q6_k}},
    {22, {"iq2_s", 256, 82, DType::F32, ggml::iq2_s_to_f32}},
    {23, {"iq4_xs", 256, 136, DType::F32, ggml::iq4_xs_to_f32}},
    {24, {"i8", 1, 1, DType::I8}},
    {25, {"i16", 1, 2, DType::I16}},
    {26, {"i32", 1, 4, DType::I32}},
    {27, {"i64", 1, 8, DType::I64}},
    {28, {"f64", 1, 8, DType::F64}},
    {29, {"iq1_m", 256, 56, DType::F32, ggml::iq1_m_to_f32}},
    {30, {"bf16", 1, 2, DType::BF16}},
    {34, {"tq1_0", 256, 54, DType::Q4_0, ggml::tq1_0_to_q4_0}},
    {35, {"tq2_0", 256, 66, DType::Q4_0, ggml::tq2_0_to_q4_0}},
    {39, {"mxfp4", 32, 17, DType::BF16, ggml::mxfp4_to_bf16}},
    {40, {"nvfp4", 64, 36, DType::BF16, ggml::nvfp4_to_bf16}},
    {41, {"q1_0", 128, 18, DType::Q4_0, ggml::q1_0_to_q4_0}},
    {42, {"q2_0", 64, 18, DType::Q4_0, ggml::q2_0_to_q4_0}},
};

}  // namespace

const StoredType* ggml_type(int64_t code) {
  for (const CodedType& known : kGgmlTypes)
    if (known.code == code) return &known.type;
  return nullptr;
}

std::optional<uint32_t> gguf_type(DType type) {
  for (const CodedType& known : kGgmlTypes)
    if (native_dtype(known.type) == type) return known.code;
  return std::nullopt;
}

}  // namespace arenascope::models
