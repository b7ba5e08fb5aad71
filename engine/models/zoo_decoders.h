// SPDX-License-Identifier: MIT
// What decoders that write text have in common, whether the zoo makes their weights or a file has them.
#pragma once
#include "engine/models/zoo_attention.h"

namespace arenascope::models {

// How many tokens are new and how many are in the cache, and the cache's tensors: inputs "cache_k_lI" and "cache_v_lI"
// [kv_heads, past, depth], and the rows to append to them, outputs "new_k_lI" and "new_v_lI" [kv_heads, tokens, depth].
class Decoder {
 public:
  struct Sizes {
    int64_t heads = 1;
    int64_t kv_heads = 1;  // divides heads: several heads share one pair of keys and values
    int64_t depth = 1;
    bool alibi = false;
    float cap = 0;  // of the scores; 0: none
  };
  Decoder(ZooKit& kit, const OpenOptions& options, int64_t usual, const Sizes& sizes);

  int64_t tokens() const { return tokens_; }
  int64_t past() const { return past_; }
  Tensor positions();

  // q [heads, T, depth] and the new keys and values [kv_heads, T, depth] of layer i → [T, heads·depth].
  Tensor attention(int i, const Tensor& q, const Tensor& k, const Tensor& v, const std::string& prefix);

  // The last token's row, or with a cache that the graph writes the one that "wanted_row" tells: the others are not needed
  // to go on. A training step needs all of them.
  Tensor wanted_rows(const Tensor& x);

 private:
  Tensor with_cache(int i, const char* which, const Tensor& fresh);

  ZooKit& kit_;
  Sizes sizes_;
  int64_t tokens_ = 1, past_ = 0;
  int64_t cache_ = 0;  // tokens in the states that the graph writes; 0: the cache is given and returned
  bool training_ = false;
  Tensor mask_, positions_;
};

// A decoder of llama's family. Of the last fields each is what some relatives do otherwise.
struct LlamaSizes {
  int layers = 0;
  int64_t width = 0, heads = 1, kv_heads = 1, inner = 0, vocabulary = 0;
  float epsilon = 1e-6f;
  bool tied = false;      // the embedding's table gives the logits too
  int64_t context = 0;    // tokens that it was trained for; 0: not told
  int64_t depth = 0;      // of a head; 0: width ÷ heads
  int32_t rope_dims = 0;  // 0: a head's depth
  float rope_base = 10000.0f;
  float rope_scale = 1.0f;       // positions are multiplied by it
  bool neox = false;             // halves are rotated against each other, not neighbours
  bool alibi = false;            // slopes instead of rotation (Baichuan 13B)
  bool packed = false;           // q, k and v from one product
  bool packed_gate = false;      // gate and up from one product (phi-3)
  bool qkv_bias = false;         // (qwen2)
  bool head_norms = false;       // of each head's queries and keys (qwen3, gemma3)
  bool post_norms = false;       // behind attention and feed-forward part too (gemma2, gemma3)
  bool scale_embedding = false;  // by the root of the width (gemma)
  bool gelu = false;             // instead of silu (gemma)
  float attention_cap = 0;       // scores lie within ± it (gemma2); 0: anywhere
  float logit_cap = 0;           // so do logits
};

Result<Model> build_llama(ZooKit& kit, const LlamaSizes& sizes, const OpenOptions& options);

}  // namespace arenascope::models
