// SPDX-License-Identifier: MIT
// Block-quantised weights repacked for matmuls, in panels with as many result columns as a vector has lanes. Four
// values along the depth of each column are adjacent, as dot-product instructions need them; so are the scales of a
// panel's columns. A unit is 64 depth positions (256 for K types) of W columns:
//
//   Q8_0  scales 2·W f16, values 2·32·W bytes
//   Q4_x  scales 2·W f16 [, minima 2·W f16], nibbles 2·16·W bytes: quads 0–3 low, 4–7 high
//   Q5_x  the same, then the fifth bits 2·4·W bytes: bit j of a byte belongs to quad j
//   Q4_K  scale and least scale 2·W f16, scales 8·W bytes, least 8·W bytes, nibbles 8·16·W [, Q5_K: fifth bits 8·4·W]
//   Q6_K  scales 16·W bytes, nibbles 8·16·W, upper two bits 8·8·W, scale W f16
#pragma once
#include <arenascope/tensor/tensor_impl.h>

#include <atomic>
#include <memory>

namespace arenascope::cpu {

enum class QuantKind : uint8_t { Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K };
inline constexpr int kQuantKinds = 8;

struct QuantShape {
  int blocks;      // blocks of 32 positions per unit
  int unit_bytes;  // per column
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

// Layout of the type; false: not supported by the quantised matmul.
bool quant_kind(DType type, QuantKind& kind);

struct QuantLayout {
  QuantKind kind;
  int width;               // columns per panel
  int64_t columns, depth;  // size of the weights
  int64_t units() const { return (depth + quant_shape(kind).blocks * 32 - 1) / (quant_shape(kind).blocks * 32); }
  int64_t panels() const { return (columns + width - 1) / width; }
  Bytes panel_bytes() const { return units() * quant_shape(kind).unit_bytes * width; }
  Bytes bytes() const { return panels() * panel_bytes(); }
};

// Packs one panel of a matrix whose rows (`row_bytes` apart) are columns of the result.
void pack_panel(const QuantLayout& layout, const std::byte* rows, int64_t row_bytes, int64_t panel, std::byte* to);

// Panels of a weight, each packed by the first thread that needs it: loading a model packs nothing, and the threads of
// its first run share the work. Pages of a mapped weight are released as their panels are done.
class QuantPanels {
 public:
  // `weight` is a contiguous matrix of a quantised type; it is read until all panels are packed, and the owner of this
  // object must keep it alive. `pin` keeps its bytes readable. `block` has layout.bytes().
  QuantPanels(const QuantLayout& layout, const TensorImpl& weight, MemoryPin pin, BlockPtr block);

  const QuantLayout& layout() const { return layout_; }
  // Thread-safe; waits while another thread packs the panel.
  const std::byte* panel(int64_t index) const {
    const std::byte* packed = block_->data() + index * layout_.panel_bytes();
    return states_[static_cast<size_t>(index)].load(std::memory_order_acquire) == kReady ? packed : pack(index);
  }

 private:
  enum State : uint8_t { kEmpty, kPacking, kReady };
  const std::byte* pack(int64_t index) const;

  QuantLayout layout_;
  const MemoryBlock* weight_;
  const std::byte* rows_;
  int64_t row_bytes_, slice_;  // panels whose pages are released together
  mutable MemoryPin pin_;      // until all panels are packed
  BlockPtr block_;
  std::unique_ptr<std::atomic<uint8_t>[]> states_;
  mutable std::atomic<int64_t> unpacked_;  // number of panels
};

}  // namespace arenascope::cpu
