// SPDX-License-Identifier: MIT
// Block-quantised weights repacked for products: panels of as many columns of the result as a vector has lanes. Four
// values along the depth of each column stand side by side, as dot-product instructions take them; the scales of a
// panel's columns stand side by side too. A unit is 64 places of depth (256 of the K types), for W columns:
//
//   Q8_0  scales 2·W f16, values 2·32·W bytes
//   Q4_x  scales 2·W f16 [, minima 2·W f16], nibbles 2·16·W bytes: quads 0–3 low, 4–7 high
//   Q5_x  the same, then the fifth bits 2·4·W bytes: bit j of a byte belongs to quad j
//   Q4_K  scale and least scale 2·W f16, scales 8·W bytes, least 8·W bytes, nibbles 8·16·W [, Q5_K: fifth bits 8·4·W]
//   Q6_K  scales 16·W bytes, nibbles 8·16·W, upper two bits 8·8·W, scale W f16
#pragma once
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

enum class QuantKind : uint8_t { Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K };
inline constexpr int kQuantKinds = 8;

struct QuantShape {
  int blocks;      // of 32 places in a unit
  int unit_bytes;  // a column
  bool minima;     // value = scale·q − minimum
  int offset;      // value = scale·(q − offset)
};
constexpr QuantShape quant_shape(QuantKind kind) {
  switch (kind) {
    case QuantKind::Q8_0: return {2, 68, false, 128};
    case QuantKind::Q4_0: return {2, 36, false, 8};
    case QuantKind::Q4_1: return {2, 40, true, 0};
    case QuantKind::Q5_0: return {2, 44, false, 16};
    case QuantKind::Q5_1: return {2, 48, true, 0};
    case QuantKind::Q4_K: return {8, 148, true, 0};
    case QuantKind::Q5_K: return {8, 180, true, 0};
    case QuantKind::Q6_K: break;
  }
  return {8, 210, false, 32};
}

// Whether products of the type are done this way, and how.
bool quant_kind(DType type, QuantKind& kind);

struct QuantLayout {
  QuantKind kind;
  int width;               // columns of a panel
  int64_t columns, depth;  // of the weights
  int64_t units() const { return (depth + quant_shape(kind).blocks * 32 - 1) / (quant_shape(kind).blocks * 32); }
  int64_t panels() const { return (columns + width - 1) / width; }
  Bytes panel_bytes() const { return units() * quant_shape(kind).unit_bytes * width; }
  Bytes bytes() const { return panels() * panel_bytes(); }
};

// Packs a matrix whose rows (`row_bytes` apart) are the columns of the result.
void pack_quantised(const QuantLayout& layout, const std::byte* rows, int64_t row_bytes, std::byte* to);

}  // namespace arenascope::cpu
