// SPDX-License-Identifier: MIT
// The KV cache of ONNX Runtime's operators: its contents before and after a step, in floating point or quantised.
#pragma once
#include "engine/models/onnx/lowering.h"

namespace arenascope::models {

// How much of a cache each sequence uses: caches are [B, H, room, D], new rows are [B, H, steps, D].
struct CacheUse {
  int64_t batch = 0, steps = 0;
  int64_t room = 0, total = 0, past = 0;  // keys: in the given cache, with the new ones, before the new ones
  bool dynamic = false;                   // sequences differ in length
  Tensor used;                            // i64 [B]: keys of each sequence with the new ones, where they differ
  int64_t window = 0;                     // how many keys a query sees, where the cache slides along with them; else 0
  Tensor fresh;                           // i64 [B]: how many of the new ones count; undefined: all

  // Rows are then not positions: the position of each key is computed from `used` and `fresh`.
  bool staged() const { return window > 0 || static_cast<bool>(fresh); }
};

// Queries [B, H, S, D], keys and values [B, Hkv, S, D].
struct Headed {
  Tensor q, k, v;
};
// Reads inputs 0 to 2, or all of them packed in input 0. False, with an error, if they do not match the attributes.
bool read_headed(OpCall& c, Headed& out, CacheUse& use);
// Rotates queries and keys by the cosines and sines of inputs `cosine` and `cosine` + 1, at `indices` [B or 1, S] or, if undefined, at the current positions.
void rotate_headed(OpCall& c, const CacheUse& use, size_t cosine, Tensor indices, Headed& x);

// Where the queries of each sequence begin, [B, 1] or [1, 1].
Tensor begins_of(OpCall& c, const CacheUse& use, const char* suffix);
// The rows [B, n] of each sequence in `x`, [B, H, n, D].
Tensor rows_of_each(OpCall& c, const Tensor& x, const Tensor& rows, const std::string& at, const char* suffix);

// All keys or values in use; the result also has the free rows. `cache` may be undefined.
Tensor cached(OpCall& c, const CacheUse& use, const Tensor& cache, const Tensor& x, size_t result, const char* suffix);

// --- Caches whose rows are not positions (kv_cache_staged.cpp)

// All rows of the cache, then all new ones; a result is the cache after the step.
Tensor staged(OpCall& c, const CacheUse& use, const Tensor& cache, const Tensor& x, size_t result, const char* suffix);
// The bias of these scores, [B or 1, H or 1, S, room + S]; `bias` is indexed by position and may be undefined.
Tensor staged_bias(OpCall& c, const CacheUse& use, int64_t left, const Tensor& bias);

// --- Quantised (kv_cache_quantised.cpp)

struct CacheCodes {
  int64_t bits = 0;  // 0: floats as they are; 4: two in a byte, the first one low
  Tensor scale;      // f32, broadcasts to [B, H, n, D]
};
// Reads the attribute and the scales for keys or values of the shape of `like`. False, with an error, if they do not match.
bool read_codes(OpCall& c, const char* type, size_t scale, const Tensor& like, CacheCodes& out);
Tensor encoded(OpCall& c, const CacheCodes& codes, const Tensor& x, const char* suffix);
Tensor decoded(OpCall& c, const CacheCodes& codes, const Tensor& x, const char* suffix);

}  // namespace arenascope::models
