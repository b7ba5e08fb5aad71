// SPDX-License-Identifier: MIT
// Attention shared by ONNX's and ONNX Runtime's operators: its parameters, and the ops that compute it.
#pragma once
#include "engine/models/onnx/lowering.h"

namespace arenascope::models {

// Heads are a dimension of their own: q [B, H, S, D], k [B, Hkv, T, D], v [B, Hkv, T, Dv], all f32.
struct AttentionCall {
  Tensor q, k, v;
  Tensor mask;         // f32, broadcasts to the scores [B, H, S, T], to which it is added
  Tensor used;         // i64 [B]: how many keys of each sequence are used, the queries' own last; undefined: all
  Tensor sink;         // f32, broadcasts to [B, H, S, 1]: a score without a value
  int64_t offset = 0;  // offset of the first query among the keys
  bool causal = false;
  int64_t left = -1, right = -1;  // bounds of the window; -1: to the end
  float scale = 1, softcap = 0;
  int64_t mode = 0;           // which scores are an output: raw, capped, masked, probabilities
  bool shows_scores = false;  // scores are an output
  bool open = false;          // each query attends to at least one key, whatever the mask is

  int64_t queries() const { return q.sizes()[2]; }
  int64_t keys() const { return k.sizes()[2]; }
};

// [B, H, S, Dv], and the scores [B, H, S, T] if they are an output. Undefined, with an error, if the sizes do not match.
Tensor attend(OpCall& c, const AttentionCall& a, Tensor& shown);

// Reshapes [B, S, H·D] to [B, H, S, D]; tensors of four dimensions are unchanged.
Tensor by_heads(OpCall& c, const Tensor& x, int64_t heads, const char* suffix);
// The inverse; an empty suffix gives the name of the call's result.
Tensor heads_joined(OpCall& c, const Tensor& x, const char* suffix);
// 0 if `allowed`, else `otherwise`.
Tensor bias_of(OpCall& c, const Tensor& allowed, double otherwise, const char* suffix);
// The integers from `start` on.
Tensor counted_from(OpCall& c, const Dims& sizes, int64_t start, const char* suffix);

// Keys or values [B, H, n, D] of several beams: `from` [B / beams, beams, at least n] names the beam for each position.
// Undefined, with an error, if the sizes do not match.
Tensor of_beams(OpCall& c, const Tensor& past, const Tensor& from, const char* suffix);

// Rotates the first `width` elements of each head by angles whose cosines and sines broadcast to [B, H, S, width / 2]; pairs
// are (i, i + width / 2), or adjacent elements if `neighbours`.
Tensor rotated(OpCall& c, const Tensor& x, const Tensor& cosine, const Tensor& sine, bool neighbours,
               const char* suffix);

}  // namespace arenascope::models
