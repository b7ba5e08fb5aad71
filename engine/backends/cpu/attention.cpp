// SPDX-License-Identifier: MIT
// ATTENTION with streaming softmax: blocks of keys and values pass by a block of queries, whose running maximum, sum
// and result are corrected as they go (Milakov and Gimelshein 2018; Dao et al. 2022), so that the scores are never
// whole in memory. Several query heads may share one key head. Causal: the last query sees every key, the one before
// it all but the last, and so on.
#include <algorithm>
#include <cmath>
#include <limits>

#include <arenascope/backends/cpu/elements.h>
#include <arenascope/backends/cpu/gemm.h>

namespace arenascope::cpu {
namespace {

constexpr int64_t kQueries = 48, kKeys = 128;

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
  // What the product needs, then floats: scores, a step's result, maxima and sums.
  Bytes share() const {
    return round_to_line(kGemmScratch) + round_to_line(4 * (kQueries * kKeys + kQueries * value_width + 2 * kQueries));
  }
};

// Where head `head` of outer place `outer` begins, elements.
int64_t head_offset(const TensorImpl& t, int64_t outer, int64_t head) {
  int64_t offset = head * t.strides.back(2);
  for (int d = t.rank() - 4; d >= 0; --d) {
    offset += outer % t.sizes[d] * t.strides[d];
    outer /= t.sizes[d];
  }
  return offset;
}

// Rows of a head as lines, or (transposed) its columns.
Lines lines_of(const TensorImpl& t, int64_t offset, int64_t first, bool columns = false) {
  const std::byte* data = t.data() + (offset + first * t.strides.back(1)) * element_bytes(t.dtype);
  return columns ? Lines{data, t.dtype, t.strides.back(), t.strides.back(1)} : Lines{data, t.dtype, t.strides.back(1), t.strides.back()};
}

// The mask's value for (outer, head, query, keys…) as a row of floats.
struct Mask {
  const TensorImpl* tensor = nullptr;
  Dims strides;  // over [outer…, heads, queries, keys], 0 where broadcast

  Mask(const Job& job, const Layout& l) {
    if (job.sources() < 4) return;
    tensor = &job.source(3);
    Dims sizes = job.node.sizes;
    sizes[sizes.rank() - 1] = l.keys;
    for (int d = 0; d < sizes.rank(); ++d) {
      const int own = d - (sizes.rank() - tensor->rank());
      strides.push_back(own < 0 || tensor->sizes[own] == 1 ? 0 : tensor->strides[own]);
    }
  }
  void add(const TensorImpl& node, int64_t outer, int64_t head, int64_t query, int64_t key, int64_t n, float* scores) const {
    int64_t offset = head * strides.back(2) + query * strides.back(1) + key * strides.back();
    for (int d = node.rank() - 4; d >= 0; --d) {
      offset += outer % node.sizes[d] * strides[d];
      outer /= node.sizes[d];
    }
    const float* from = tensor->data_as<float>() + offset;
    for (int64_t i = 0; i < n; ++i) scores[i] += from[i * strides.back()];
  }
};

// One block of queries of one head.
void block(const Job& job, const Layout& l, const Mask& mask, int64_t outer, int64_t head, int64_t first) {
  const TensorImpl &node = job.node, &q = job.source(0), &k = job.source(1), &v = job.source(2);
  const auto p = node.params.get<AttentionParams>();
  const int64_t count = std::min(kQueries, l.queries - first), key_head = head / (l.heads / l.key_heads);
  float* const scratch = job.scratch<float>(l.share());
  float* const scores = scratch + round_to_line(kGemmScratch) / 4;
  float *const step = scores + kQueries * kKeys, *const highest = step + kQueries * l.value_width, *const sums = highest + kQueries;
  float* const row = gemm_row(scratch);
  float* const out = node.data_as<float>() + ((outer * l.heads + head) * l.queries + first) * l.value_width;
  std::fill(out, out + count * l.value_width, 0.0f);
  std::fill(highest, highest + count, -std::numeric_limits<float>::infinity());
  std::fill(sums, sums + count, 0.0f);
  // Keys that the block's last query sees.
  const int64_t ahead = l.keys - l.queries + 1;
  const int64_t seen = p.causal ? std::clamp<int64_t>(first + count - 1 + ahead, 0, l.keys) : l.keys;
  const int64_t q_offset = head_offset(q, outer, head), k_offset = head_offset(k, outer, key_head), v_offset = head_offset(v, outer, key_head);
  for (int64_t key = 0; key < seen; key += kKeys) {
    const int64_t n = std::min(kKeys, seen - key);
    gemm({0, count}, {0, n}, l.width, scratch, LeftLines{lines_of(q, q_offset, first), row}, RightLines{lines_of(k, k_offset, key), row},
         scores, kKeys);
    for (int64_t i = 0; i < count; ++i) {
      float* s = scores + i * kKeys;
      const int64_t visible = p.causal ? std::clamp<int64_t>(first + i + ahead - key, 0, n) : n;
      float top = highest[i];
      if (visible > 0) {
        simd().affine(s, s, visible, p.scale, 0);
        if (mask.tensor) mask.add(node, outer, head, first + i, key, visible, s);
        top = std::max(top, simd().highest(s, visible));
      }
      std::fill(s + visible, s + n, 0.0f);
      if (top == -std::numeric_limits<float>::infinity()) {  // nothing seen so far
        std::fill(s, s + n, 0.0f);
        continue;
      }
      const float sum = visible > 0 ? static_cast<float>(simd().exp_sum(s, s, 1, top, visible)) : 0;
      if (top != highest[i]) {
        const float correction = std::exp(highest[i] - top);
        simd().affine(out + i * l.value_width, out + i * l.value_width, l.value_width, correction, 0);
        sums[i] *= correction;
        highest[i] = top;
      }
      sums[i] += sum;
    }
    const Lines weights{reinterpret_cast<const std::byte*>(scores), DType::F32, kKeys, 1};
    gemm({0, count}, {0, l.value_width}, n, scratch, LeftLines{weights, row}, RightLines{lines_of(v, v_offset, key, true), row}, step,
         l.value_width);
    simd().add(out, out, step, count * l.value_width);
  }
  for (int64_t i = 0; i < count; ++i)
    simd().affine(out + i * l.value_width, out + i * l.value_width, l.value_width, 1 / sums[i], 0);
}

}  // namespace

Bytes attention_work(const TensorImpl& node, int tasks) { return tasks * round_to_line(Layout(node).share()); }

Status attention(const Job& job) {
  const Layout l(job.node);
  const Mask mask(job, l);
  const int64_t blocks = (l.queries + kQueries - 1) / kQueries;
  const Range range = job.part(l.outer * l.heads * blocks);
  for (int64_t i = range.begin; i < range.end; ++i)
    block(job, l, mask, i / blocks / l.heads, i / blocks % l.heads, i % blocks * kQueries);
  return {};
}

}  // namespace arenascope::cpu
