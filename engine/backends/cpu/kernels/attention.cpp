// SPDX-License-Identifier: MIT
// ATTENTION with streaming softmax: blocks of K and V pass by a block of queries, whose running maximum, sum and result
// are corrected on the way (Milakov and Gimelshein 2018; Dao et al. 2022). The full score matrix is never stored.
// Several query heads may share one key head. Causal: the last query sees every key, the one before it all but the
// last, and so on.
//
// Many queries: everything is transposed, so that queries are adjacent in vectors. Scores are keys × queries, their
// softmax runs down the columns, and they are directly the right side of the matmul with the values:
//
//   scores[keys, Q] = K[keys, width] · qᵀ[width, Q]      outᵀ[values, Q] += Vᵀ[values, keys] · scores[keys, Q]
//
// One query: the heads that share a key head are processed together; K and V are each read once, in place.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/quant/quant.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kKeys = 64, kLongKeys = 256;
// Queries per block.
int64_t max_queries() { return 3 * simd().lanes; }

struct Layout {
  int64_t outer, heads, queries, width, keys, value_width, key_heads;

  explicit Layout(const TensorImpl& node)
      : heads(node.sizes.back(2)),
        queries(node.sizes.back(1)),
        width(node.sources[0]->sizes.back()),
        keys(node.sources[1]->sizes.back(1)),
        value_width(node.sizes.back()),
        key_heads(node.sources[1]->sizes.back(2)) {
    outer = node.element_count() / (heads * queries * value_width);
  }
  bool one_query() const { return queries == 1 && sharing() <= 64; }
  int64_t sharing() const { return heads / key_heads; }
  // Scratch floats per chunk.
  int64_t floats() const {
    if (one_query()) return sharing() * (width + value_width + kLongKeys) + kLongKeys * std::max(width, value_width);
    return max_queries() * (width + value_width + kKeys + 3) + kKeys * (width + value_width) +
           std::max(width, value_width);
  }
};

// Offset of head `head` of outer index `outer`, in elements.
int64_t head_offset(const TensorImpl& t, int64_t outer, int64_t head) {
  int64_t offset = head * t.strides.back(2);
  for (int d = t.rank() - 4; d >= 0; --d) {
    offset += outer % t.sizes[d] * t.strides[d];
    outer /= t.sizes[d];
  }
  return offset;
}

// Rows of a head as floats: in place, or copied contiguously to `buffer`.
struct Rows {
  const float* data;
  int64_t stride;
};
Rows rows_of(const TensorImpl& t, int64_t offset, int64_t first, int64_t count, float* buffer) {
  const std::byte* from =
      info(t.dtype).quantised ? nullptr : t.data() + (offset + first * t.strides.back(1)) * element_bytes(t.dtype);
  if (t.dtype == DType::F32 && t.strides.back() == 1) return {reinterpret_cast<const float*>(from), t.strides.back(1)};
  const int64_t width = t.sizes.back();
  if (const DTypeInfo& type = info(t.dtype); type.quantised) {
    for (int64_t i = 0; i < count; ++i)
      dequantise(t.dtype,
                 t.data() + (offset + (first + i) * t.strides.back(1)) / type.block_elements * type.block_bytes,
                 buffer + i * width, width);
    return {buffer, width};
  }
  const LoadRow<float> load = loader<float>(t.dtype);
  for (int64_t i = 0; i < count; ++i)
    load(buffer + i * width, from + i * t.strides.back(1) * element_bytes(t.dtype), t.strides.back(), width);
  return {buffer, width};
}

// The mask for (outer, head, query, keys…) as a row of floats.
struct Mask {
  const TensorImpl* tensor = nullptr;
  Dims strides;  // over [outer…, heads, queries, keys], 0 where broadcast

  Mask(const KernelArgs& args, const Layout& l) {
    if (args.sources() < 4) return;
    tensor = &args.source(3);
    Dims sizes = args.node.sizes;
    sizes[sizes.rank() - 1] = l.keys;
    for (int d = 0; d < sizes.rank(); ++d) {
      const int own = d - (sizes.rank() - tensor->rank());
      strides.push_back(own < 0 || tensor->sizes[own] == 1 ? 0 : tensor->strides[own]);
    }
  }
  // The mask of (outer, head, query, key…).
  const float* at(const TensorImpl& node, int64_t outer, int64_t head, int64_t query, int64_t key) const {
    int64_t offset = head * strides.back(2) + query * strides.back(1) + key * strides.back();
    for (int d = node.rank() - 4; d >= 0; --d) {
      offset += outer % node.sizes[d] * strides[d];
      outer /= node.sizes[d];
    }
    return tensor->data_as<float>() + offset;
  }
};

// Queries [first, first + count) of one head.
void block(const KernelArgs& args, const Layout& l, const Mask& mask, int64_t outer, int64_t head, int64_t first,
           int64_t count) {
  const TensorImpl &node = args.node, &q = args.source(0), &k = args.source(1), &v = args.source(2);
  const auto p = node.params.get<AttentionParams>();
  const Simd& s = simd();
  const int64_t key_head = head / l.sharing();
  const int vectors = static_cast<int>((count + s.lanes - 1) / s.lanes);
  const int64_t wide = vectors * s.lanes;
  float* const queries = args.scratch<float>(round_to_line(4 * l.floats()));
  float *const out = queries + l.width * max_queries(), *const scores = out + l.value_width * max_queries();
  float *const highest = scores + kKeys * max_queries(), *const sums = highest + max_queries(),
               *const corrections = sums + max_queries();
  float *const key_rows = corrections + max_queries(), *const value_rows = key_rows + kKeys * l.width,
               *const row = value_rows + kKeys * l.value_width;
  std::fill(queries, queries + l.width * wide, 0.0f);
  for (int64_t i = 0; i < count; ++i) {
    const Rows from = rows_of(q, head_offset(q, outer, head), first + i, 1, row);
    for (int64_t c = 0; c < l.width; ++c) queries[c * wide + i] = p.scale * from.data[c];
  }
  std::fill(out, out + l.value_width * wide, 0.0f);
  std::fill(highest, highest + wide, -std::numeric_limits<float>::infinity());
  std::fill(sums, sums + wide, 0.0f);
  // Number of keys that the block's last query sees.
  const int64_t ahead = l.keys - l.queries + 1;
  const int64_t seen = p.causal ? std::clamp<int64_t>(first + count - 1 + ahead, 0, l.keys) : l.keys;
  const int64_t k_offset = head_offset(k, outer, key_head), v_offset = head_offset(v, outer, key_head);
  for (int64_t key = 0; key < seen; key += kKeys) {
    const int64_t n = std::min(kKeys, seen - key);
    const Rows keys = rows_of(k, k_offset, key, n, key_rows);
    s.strip(l.width, keys.data, keys.stride, 1, n, queries, wide, vectors, scores, wide, false);
    if (mask.tensor)
      for (int64_t i = 0; i < count; ++i) {
        const float* from = mask.at(node, outer, head, first + i, key);
        for (int64_t j = 0; j < n; ++j) scores[j * wide + i] += from[j * mask.strides.back()];
      }
    if (p.causal)
      for (int64_t j = std::max<int64_t>(0, first + ahead - key); j < n;
           ++j)  // the queries before the first that sees the key
        std::fill(scores + j * wide, scores + j * wide + std::clamp<int64_t>(key + j - ahead + 1 - first, 0, wide),
                  -std::numeric_limits<float>::infinity());
    if (s.soften(scores, n, wide, vectors, highest, sums, corrections) && key > 0)
      for (int64_t c = 0; c < l.value_width; ++c) s.elements.mul(out + c * wide, out + c * wide, corrections, wide);
    const Rows values = rows_of(v, v_offset, key, n, value_rows);
    s.strip(n, values.data, 1, values.stride, l.value_width, scores, wide, vectors, out, wide, true);
  }
  float* const to = node.data_as<float>() + ((outer * l.heads + head) * l.queries + first) * l.value_width;
  for (int64_t i = 0; i < count; ++i) {
    const float factor = 1 / sums[i];
    for (int64_t c = 0; c < l.value_width; ++c) to[i * l.value_width + c] = factor * out[c * wide + i];
  }
}

// Index in Simd::dots and mix for contiguous rows of this type; -1: they must be converted.
int place_of(const TensorImpl& t) {
  if (t.strides.back() != 1) return -1;
  return t.dtype == DType::F32 ? 0 : t.dtype == DType::F16 ? 1 : t.dtype == DType::BF16 ? 2 : -1;
}

// One query of each head that shares a key head.
void one_query(const KernelArgs& args, const Layout& l, const Mask& mask, int64_t outer, int64_t key_head) {
  const TensorImpl &node = args.node, &q = args.source(0), &k = args.source(1), &v = args.source(2);
  const float scale = node.params.get<AttentionParams>().scale;  // causal or not, the last query sees every key
  const Simd& s = simd();
  const int64_t heads = l.sharing(), first = key_head * heads;
  float* const queries = args.scratch<float>(round_to_line(4 * l.floats()));
  float *const scores = queries + heads * l.width, *const loaded = scores + heads * kLongKeys;
  float* const out = node.data_as<float>() + (outer * l.heads + first) * l.value_width;
  for (int64_t h = 0; h < heads; ++h) {
    const Rows from = rows_of(q, head_offset(q, outer, first + h), 0, 1, loaded);
    s.elements.affine(queries + h * l.width, from.data, l.width, scale, 0);
  }
  std::fill(out, out + heads * l.value_width, 0.0f);
  constexpr int64_t kMaxHeads = 64;
  float highest[kMaxHeads], sums[kMaxHeads];
  std::fill(highest, highest + heads, -std::numeric_limits<float>::infinity());
  std::fill(sums, sums + heads, 0.0f);
  const int64_t k_offset = head_offset(k, outer, key_head), v_offset = head_offset(v, outer, key_head);
  for (int64_t key = 0; key < l.keys; key += kLongKeys) {
    const int64_t n = std::min(kLongKeys, l.keys - key);
    std::fill(scores, scores + heads * kLongKeys, 0.0f);
    if (const int place = place_of(k); place >= 0) {
      const std::byte* from = k.data() + (k_offset + key * k.strides.back(1)) * element_bytes(k.dtype);
      s.dots[place](from, k.strides.back(1), n, queries, l.width, heads, l.width, scores, kLongKeys);
    } else {
      const Rows keys = rows_of(k, k_offset, key, n, loaded);
      s.dots[0](keys.data, keys.stride, n, queries, l.width, heads, l.width, scores, kLongKeys);
    }
    for (int64_t h = 0; h < heads; ++h) {
      float* x = scores + h * kLongKeys;
      if (mask.tensor) {
        const float* from = mask.at(node, outer, first + h, 0, key);
        for (int64_t j = 0; j < n; ++j) x[j] += from[j * mask.strides.back()];
      }
      const float top = std::max(highest[h], s.lines.highest(x, n));
      if (top == -std::numeric_limits<float>::infinity()) {  // nothing visible so far
        std::fill(x, x + n, 0.0f);
        continue;
      }
      const float sum = static_cast<float>(s.lines.exp_sum(x, x, 1, top, n));
      if (top != highest[h]) {
        const float correction = std::exp(highest[h] - top);
        s.elements.affine(out + h * l.value_width, out + h * l.value_width, l.value_width, correction, 0);
        sums[h] *= correction;
        highest[h] = top;
      }
      sums[h] += sum;
    }
    if (const int place = place_of(v); place >= 0) {
      const std::byte* from = v.data() + (v_offset + key * v.strides.back(1)) * element_bytes(v.dtype);
      s.mix[place](from, v.strides.back(1), n, scores, kLongKeys, heads, l.value_width, out, l.value_width);
    } else {
      const Rows values = rows_of(v, v_offset, key, n, loaded);
      s.mix[0](values.data, values.stride, n, scores, kLongKeys, heads, l.value_width, out, l.value_width);
    }
  }
  for (int64_t h = 0; h < heads; ++h)
    s.elements.affine(out + h * l.value_width, out + h * l.value_width, l.value_width, 1 / sums[h], 0);
}

}  // namespace

Status attention_supports(const TensorImpl& node) {
  for (size_t i = 0; i < node.sources.size(); ++i)
    if (const TensorImpl& source = *node.sources[i]; info(source.dtype).quantised && (i == 0 || i > 2))
      return refuse(node,
                    fmt::format("input '{}' has type {}, which must be cast first", source.name, name(source.dtype)));
  return {};
}

Bytes attention_work(const TensorImpl& node, int tasks) { return tasks * round_to_line(4 * Layout(node).floats()); }

Status attention(const KernelArgs& args) {
  const Layout l(args.node);
  const Mask mask(args, l);
  if (l.one_query()) {
    const Range range = args.part(l.outer * l.key_heads);
    for (int64_t i = range.begin; i < range.end; ++i) one_query(args, l, mask, i / l.key_heads, i % l.key_heads);
    return {};
  }
  const int64_t blocks = (l.queries + max_queries() - 1) / max_queries();
  const Range range = args.part(l.outer * l.heads * blocks);
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t first = i % blocks * max_queries();
    block(args, l, mask, i / blocks / l.heads, i / blocks % l.heads, first, std::min(max_queries(), l.queries - first));
  }
  return {};
}

}  // namespace arenascope::cpu
