// SPDX-License-Identifier: MIT
// Attention as ONNX's operators and ONNX Runtime's share it: what is asked for, and the ops that compute it.
#pragma once
#include "engine/models/onnx/lowering.h"

namespace arenascope::models {

// Heads are a dimension of their own: q [B, H, S, D], k [B, Hkv, T, D], v [B, Hkv, T, Dv], all f32.
struct AttentionCall {
  Tensor q, k, v;
  Tensor mask;         // f32, broadcasts to the scores [B, H, S, T], to which it is added
  Tensor used;         // i64 [B]: how many keys of each sequence are used, the queries' own last; undefined: all
  Tensor sink;         // f32, broadcasts to [B, H, S, 1]: a score without a value
  int64_t offset = 0;  // of the first query among the keys
  bool causal = false;
  int64_t left = -1, right = -1;  // of the window; -1: to the end
  float scale = 1, softcap = 0;
  int64_t mode = 0;           // which scores are shown: products, capped, masked, shares
  bool shows_scores = false;  // they are asked for
  bool open = false;          // each query sees a key, whatever is masked

  int64_t queries() const { return q.sizes()[2]; }
  int64_t keys() const { return k.sizes()[2]; }
};

// [B, H, S, Dv], and the scores [B, H, S, T] where they are asked for. Undefined, and an error, where the sizes do not fit.
Tensor attend(OpCall& c, const AttentionCall& a, Tensor& shown);

// [B, S, H·D] as [B, H, S, D]; four dimensions stay as they are.
Tensor by_heads(OpCall& c, const Tensor& x, int64_t heads, const char* suffix);
// And back; named as the call's own result where the suffix is empty.
Tensor heads_joined(OpCall& c, const Tensor& x, const char* suffix);
// 0 where `allowed`, else `otherwise`.
Tensor bias_of(OpCall& c, const Tensor& allowed, double otherwise, const char* suffix);
// The integers from `start` on.
Tensor counted_from(OpCall& c, const Dims& sizes, int64_t start, const char* suffix);

// Keys or values [B, H, n, D] of several beams: each place's of the beam that `from` [B / beams, beams, at least n] names. Undefined,
// and an error, where the sizes do not fit.
Tensor of_beams(OpCall& c, const Tensor& past, const Tensor& from, const char* suffix);

// The first `width` elements of each head turned by angles whose cosines and sines broadcast to [B, H, S, width / 2]: its
// halves are the pairs, or neighbours.
Tensor rotated(OpCall& c, const Tensor& x, const Tensor& cosine, const Tensor& sine, bool neighbours,
               const char* suffix);

}  // namespace arenascope::models
