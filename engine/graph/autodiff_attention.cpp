// SPDX-License-Identifier: MIT
// Backward rule of attention; the attention weights are recomputed.
#include "engine/graph/autodiff_rules.h"

#include <algorithm>
#include <limits>

namespace arenascope::autodiff {
namespace {

// [.., heads, rows, depth] → [.., key heads, heads of each, rows, depth].
Dims by_key_head(const Dims& sizes, int64_t key_heads) {
  Dims out;
  for (int i = 0; i + 3 < sizes.rank(); ++i) out.push_back(sizes[i]);
  const int64_t heads = sizes.back(2), shared = std::min(heads, key_heads);
  out.push_back(shared);
  out.push_back(heads / shared);
  out.push_back(sizes.back(1));
  out.push_back(sizes.back());
  return out;
}

// The mask added to the scores; undefined if there is none.
Tensor mask_of(Backward& b, int64_t queries, int64_t keys, int64_t key_heads) {
  Tensor mask;
  if (b.source_count() > 3) {
    mask = b.source(3);
    if (mask->rank() > 2) mask = b.g.reshape(mask, by_key_head(mask.sizes(), key_heads));
  }
  if (!b.y->params.get<AttentionParams>().causal) return mask;
  const FillParams hidden{{queries, keys}, DType::F32, -std::numeric_limits<double>::infinity(), 0};
  const Tensor later = b.g.op_with(Op::Tril, {b.g.op_with(Op::Fill, {}, hidden)}, TrilParams{keys - queries + 1, true});
  return mask ? b.add(mask, later) : later;
}

}  // namespace

void attention(Backward& b) {
  const auto p = b.y->params.get<AttentionParams>();
  const int64_t key_heads = b.source(1).sizes().back(2);
  const Dims wide_q = by_key_head(b.source(0).sizes(), key_heads), wide_k = by_key_head(b.source(1).sizes(), key_heads),
             wide_v = by_key_head(b.source(2).sizes(), key_heads);
  const Tensor q = b.g.reshape(b.source(0), wide_q), k = b.g.reshape(b.source(1), wide_k),
               v = b.g.reshape(b.source(2), wide_v);
  const Tensor dy = b.g.reshape(b.dy, by_key_head(b.y.sizes(), key_heads));
  if (!q || !k || !v || !dy) return;
  const int last = q->rank() - 1;
  const Tensor weights =
      b.g.soft_max(b.g.mul_mat(k, q), last, p.scale, mask_of(b, wide_q.back(1), wide_k.back(1), key_heads));
  const Tensor shares = b.g.mul_mat(v, dy);
  const Tensor scores = b.mul(weights, b.sub(shares, b.sum_along(b.mul(shares, weights), last)));
  const auto back = [&](size_t i, const Tensor& share, const Dims& wide) {
    b.give(i, b.g.reshape(b.folded(share, wide), b.source(i).sizes()));
  };
  const MulMatParams scale{p.scale};
  if (b.wants(0)) back(0, b.g.op_with(Op::MulMat, {b.g.transpose(k), scores}, scale), wide_q);
  if (b.wants(1)) back(1, b.g.op_with(Op::MulMat, {b.g.transpose(q), b.g.transpose(scores)}, scale), wide_k);
  if (b.wants(2)) back(2, b.g.mul_mat(b.g.transpose(dy), b.g.transpose(weights)), wide_v);
  if (b.wants(3)) {
    const Tensor mask = b.source(3);
    back(3, scores, mask->rank() > 2 ? by_key_head(mask.sizes(), key_heads) : mask.sizes());
  }
}

}  // namespace arenascope::autodiff
