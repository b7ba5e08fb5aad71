// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/quant/quant_pack.h"

#include <algorithm>
#include <cstring>

namespace arenascope::cpu {
namespace {

using U8 = const uint8_t*;

// 32 values without their scales, as unsigned integers.
struct Block {
  uint8_t q[32];
};

void nibbles(U8 low, Block& b) {
  for (int i = 0; i < 16; ++i) {
    b.q[i] = low[i] & 15u;
    b.q[i + 16] = low[i] >> 4;
  }
}

void fifth_bits(U8 high, Block& b) {
  uint32_t bits;
  std::memcpy(&bits, high, 4);
  for (int i = 0; i < 32; ++i) b.q[i] = static_cast<uint8_t>(b.q[i] | (bits >> i & 1u) << 4);
}

// Block `i` of 32 within the source block, for the kinds that write_words() does not handle.
void read_block(QuantKind kind, U8 from, int i, Block& b) {
  switch (kind) {
    case QuantKind::Q5_0: return nibbles(from + 6, b), fifth_bits(from + 2, b);
    case QuantKind::Q5_1: return nibbles(from + 8, b), fifth_bits(from + 4, b);
    case QuantKind::Q5_K: {
      const U8 low = from + 48 + i / 2 * 32;
      for (int j = 0; j < 32; ++j)
        b.q[j] = static_cast<uint8_t>((low[j] >> (i % 2 * 4) & 15u) | (from[16 + j] >> i & 1u) << 4);
      return;
    }
    default: break;
  }
  const U8 low = from + i / 4 * 64 + i % 2 * 32, high = from + 128 + i / 4 * 32;
  for (int j = 0; j < 32; ++j)
    b.q[j] = static_cast<uint8_t>((low[j] >> (i % 4 / 2 * 4) & 15u) | (high[j] >> (i % 4 * 2) & 3u) << 4);
}

// The six-bit scale and minimum of block g of eight.
void six_bits(U8 s, int g, uint8_t& scale, uint8_t& least) {
  scale = static_cast<uint8_t>(g < 4 ? s[g] & 63u : (s[g + 4] & 15u) | (s[g - 4] >> 6) << 4);
  least = static_cast<uint8_t>(g < 4 ? s[g + 4] & 63u : s[g + 4] >> 4 | (s[g] >> 6) << 4);
}

// Pages of a mapped weight are released in steps of this size.
constexpr int64_t kDropBytes = 1 << 20;

struct Places {
  int64_t values, high, width;
};

uint32_t word_at(U8 from) {
  uint32_t word;
  std::memcpy(&word, from, 4);
  return word;
}

// Kinds whose packed bytes are (almost) words of the file; false: another kind.
bool write_words(QuantKind kind, U8 from, int block, int64_t column, const Places& p, uint8_t* unit) {
  const int64_t w = p.width;
  uint8_t* const to = unit + p.values + block * (kind == QuantKind::Q8_0 ? 32 : 16) * w + column * 4;
  const auto put = [&](int j, uint32_t word) { std::memcpy(to + j * 4 * w, &word, 4); };
  constexpr uint32_t kLow = 0x0f0f0f0fu;
  switch (kind) {
    case QuantKind::Q8_0:
      for (int j = 0; j < 8; ++j) put(j, word_at(from + 2 + 4 * j) ^ 0x80808080u);
      return true;
    case QuantKind::Q4_0:
    case QuantKind::Q4_1:
      for (int j = 0; j < 4; ++j) put(j, word_at(from + (kind == QuantKind::Q4_0 ? 2 : 4) + 4 * j));
      return true;
    case QuantKind::Q4_K: {
      const U8 low = from + 16 + block / 2 * 32;
      for (int j = 0; j < 4; ++j) {
        const uint32_t a = word_at(low + 4 * j), b = word_at(low + 16 + 4 * j);
        put(j, block % 2 == 0 ? (a & kLow) | (b & kLow) << 4 : (a >> 4 & kLow) | (b & ~kLow));
      }
      return true;
    }
    default: return false;
  }
}

void write_values(QuantKind kind, const Block& b, int block, int64_t column, const Places& p, uint8_t* unit) {
  const int64_t w = p.width, at = column * 4;
  uint8_t* to = unit + p.values + block * 16 * w + at;
  for (int j = 0; j < 4; ++j)
    for (int t = 0; t < 4; ++t)
      to[j * 4 * w + t] = static_cast<uint8_t>((b.q[4 * j + t] & 15u) | (b.q[16 + 4 * j + t] & 15u) << 4);
  if (kind == QuantKind::Q6_K) {
    uint8_t* high = unit + p.high + block * 8 * w + at;
    for (int v = 0; v < 2; ++v)
      for (int t = 0; t < 4; ++t) {
        unsigned bits = 0;
        for (int j = 0; j < 4; ++j) bits |= static_cast<unsigned>(b.q[16 * v + 4 * j + t] >> 4) << (2 * j);
        high[v * 4 * w + t] = static_cast<uint8_t>(bits);
      }
    return;
  }
  uint8_t* high = unit + p.high + block * 4 * w + at;
  for (int t = 0; t < 4; ++t) {
    unsigned bits = 0;
    for (int j = 0; j < 8; ++j) bits |= static_cast<unsigned>(b.q[4 * j + t] >> 4) << j;
    high[t] = static_cast<uint8_t>(bits);
  }
}

}  // namespace

bool quant_kind(DType type, QuantKind& kind) {
  switch (type) {
    case DType::Q8_0: return kind = QuantKind::Q8_0, true;
    case DType::Q4_0: return kind = QuantKind::Q4_0, true;
    case DType::Q4_1: return kind = QuantKind::Q4_1, true;
    case DType::Q5_0: return kind = QuantKind::Q5_0, true;
    case DType::Q5_1: return kind = QuantKind::Q5_1, true;
    case DType::Q4_K: return kind = QuantKind::Q4_K, true;
    case DType::Q5_K: return kind = QuantKind::Q5_K, true;
    case DType::Q6_K: return kind = QuantKind::Q6_K, true;
    default: return false;
  }
}

void pack_panel(const QuantLayout& l, const std::byte* rows, int64_t row_bytes, int64_t panel, std::byte* to) {
  const QuantShape shape = quant_shape(l.kind);
  const int64_t w = l.width, blocks = l.depth / 32, unit_bytes = shape.unit_bytes * w;
  const bool k_type = shape.blocks == 8, six = l.kind == QuantKind::Q6_K;
  const int64_t source_bytes = k_type ? (l.kind == QuantKind::Q4_K   ? 144
                                         : l.kind == QuantKind::Q5_K ? 176
                                                                     : 210)
                                      : (shape.unit_bytes / 2);  // per block, or per block of a K type's eight
  Places p{0, 0, w};
  if (six)
    p.values = 16 * w, p.high = 144 * w;
  else if (k_type)
    p.values = 20 * w, p.high = l.kind == QuantKind::Q5_K ? 148 * w : 0;
  else
    p.values = (shape.minima ? 8 : 4) * w;
  if (l.kind == QuantKind::Q5_0 || l.kind == QuantKind::Q5_1) p.high = p.values + 32 * w;
  auto* const first = reinterpret_cast<uint8_t*>(to);
  const int64_t columns = std::min<int64_t>(w, l.columns - panel * w);
  if (columns < w || blocks < l.units() * shape.blocks)
    std::memset(first, 0, static_cast<size_t>(l.panel_bytes()));  // padding columns are zero
  // Block by block over all columns, so that each cache line is written while it is cached.
  for (int64_t block = 0; block < blocks; ++block) {
    uint8_t* unit = first + block / shape.blocks * unit_bytes;
    const int within = static_cast<int>(block % shape.blocks);
    U8 from = reinterpret_cast<U8>(rows) + panel * w * row_bytes + (k_type ? block / 8 : block) * source_bytes;
    for (int64_t c = 0; c < columns; ++c, from += row_bytes) {
      if (!write_words(l.kind, from, within, c, p, unit)) {
        Block b;
        read_block(l.kind, from, within, b);
        write_values(l.kind, b, within, c, p, unit);
      }
      if (six) {
        unit[2 * within * w + c] = from[192 + 2 * within];
        unit[(2 * within + 1) * w + c] = from[193 + 2 * within];
        std::memcpy(unit + 208 * w + 2 * c, from + 208, 2);
      } else if (k_type) {
        std::memcpy(unit + 2 * c, from, 2);
        std::memcpy(unit + 2 * w + 2 * c, from + 2, 2);
        six_bits(from + 4, within, unit[4 * w + within * w + c], unit[12 * w + within * w + c]);
      } else {
        std::memcpy(unit + within * 2 * w + 2 * c, from, 2);
        if (shape.minima) std::memcpy(unit + 4 * w + within * 2 * w + 2 * c, from + 2, 2);
      }
    }
  }
}

QuantPanels::QuantPanels(const QuantLayout& layout, const TensorImpl& weight, MemoryPin pin, BlockPtr block)
    : layout_(layout),
      weight_(weight.storage.block().get()),
      rows_(weight.data()),
      row_bytes_(layout.depth / info(weight.dtype).block_elements * info(weight.dtype).block_bytes),
      slice_(std::max<int64_t>(kDropBytes / (row_bytes_ * layout.width), 1)),
      pin_(std::move(pin)),
      block_(std::move(block)),
      states_(std::make_unique<std::atomic<uint8_t>[]>(static_cast<size_t>(layout.panels()))),
      unpacked_(layout.panels()) {}

const std::byte* QuantPanels::pack(int64_t index) const {
  std::byte* const to = block_->data() + index * layout_.panel_bytes();
  std::atomic<uint8_t>& state = states_[static_cast<size_t>(index)];
  uint8_t expected = kEmpty;
  if (!state.compare_exchange_strong(expected, kPacking, std::memory_order_acquire)) {
    for (; expected != kReady; expected = state.load(std::memory_order_acquire)) state.wait(expected);
    return to;
  }
  pack_panel(layout_, rows_, row_bytes_, index, to);
  state.store(kReady, std::memory_order_release);
  state.notify_all();
  if (unpacked_.fetch_sub(1, std::memory_order_acq_rel) == 1) pin_.release();
  if (weight_->is_restorable()) return to;  // other threads may still read the slice
  const int64_t end = index + 1;
  if (end % slice_ == 0 || end == layout_.panels()) {
    const int64_t panel_rows = row_bytes_ * layout_.width, first = index / slice_ * slice_ * panel_rows;
    weight_->drop_pages(rows_ - weight_->data() + first,
                        std::min(end * panel_rows, layout_.columns * row_bytes_) - first);
  }
  return to;
}

}  // namespace arenascope::cpu
