// SPDX-License-Identifier: MIT
// Shared parts of text decoders with seeded weights or weights from a file.
#pragma once
#include "engine/models/rotary_embedding.h"
#include "engine/models/zoo/zoo_attention.h"

namespace arenascope::models {

// The numbers of new and cached tokens, and the tensors of the cache: inputs "cache_k_lI" and "cache_v_lI"
// [kv_heads, past, depth], and the rows to append to them, outputs "new_k_lI" and "new_v_lI" [kv_heads, tokens, depth]; or
// states that the graph writes (OpenOptions::cache); or none, for whole sequences.
class Decoder {
 public:
  struct Sizes {
    int64_t heads = 1;
    int64_t kv_heads = 1;  // divides heads: several heads share one pair of keys and values
    int64_t depth = 1;
    bool alibi = false;
    float cap = 0;       // bound of the scores; 0: none
    float scale = 0;     // factor of the scores; 0: one by the root of the depth
    int64_t window = 0;  // tokens that local layers see; 0: there are none
  };
  Decoder(ModelBuilder& builder, const OpenOptions& options, int64_t usual, const Sizes& sizes);

  int64_t tokens() const { return tokens_ * sequences_; }
  int64_t past() const { return past_; }
  int64_t seen() const { return past_ + tokens_; }
  Tensor positions();

  // q [heads, T, depth] and the new keys and values [kv_heads, T, depth] of layer i → [T, heads·depth]. A local layer sees
  // the window's tokens only.
  Tensor attention(int i, const Tensor& q, const Tensor& k, const Tensor& v, const std::string& prefix,
                   bool local = false);

  // The last token's row, or with a cache that the graph writes the rows listed in "output_rows": the others are not needed
  // to continue. Training needs all of them.
  Tensor output_rows(const Tensor& x);

 private:
  Tensor with_cache(int i, const char* which, const Tensor& fresh);
  Tensor over_cache(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const std::string& prefix);

  ModelBuilder& builder_;
  Sizes sizes_;
  int64_t tokens_ = 1, past_ = 0;  // tokens of a sequence
  int64_t sequences_ = 1;
  int64_t cache_ = 0;  // tokens in the states that the graph writes; 0: the cache is given and returned
  int64_t output_row_count_ = 1;
  DType cache_type_ = DType::F32;
  bool all_ = false;  // nothing is cached, and every row is an output
  Tensor mask_, local_mask_, positions_, rows_;
};

// Experts instead of one feed-forward part (Shazeer 2017): of `count`, each token goes through the `used` ones that its
// router finds likeliest.
struct Experts {
  int64_t count = 0, used = 0;
  int64_t inner = 0;          // of one
  bool share_of_used = true;  // the probabilities of the used experts are normalised to a sum of 1
  int64_t shared_inner = 0;   // inner width of a gated expert that all tokens use (qwen2moe); 0: there is none
};

// A decoder of the llama family. The last fields are variants of its relatives.
struct LlamaSizes {
  int layers = 0;
  int64_t width = 0, heads = 1, kv_heads = 1, inner = 0, vocabulary = 0;
  float epsilon = 1e-6f;
  bool tied = false;      // the embedding's table gives the logits too
  int64_t context = 0;    // tokens that it was trained for; 0: not specified
  int64_t depth = 0;      // depth of a head; 0: width ÷ heads
  int32_t rope_dims = 0;  // 0: a head's depth
  float rope_base = 10000.0f;
  float rope_scale = 1.0f;       // positions are multiplied by it
  bool neox = false;             // halves are rotated against each other, not neighbours
  bool alibi = false;            // slopes instead of rotation (Baichuan 13B)
  bool packed = false;           // q, k and v from one matmul
  bool packed_gate = false;      // gate and up from one matmul (phi-3)
  bool qkv_bias = false;         // (qwen2)
  bool head_norms = false;       // norms of each head's queries and keys (qwen3, gemma3)
  bool post_norms = false;       // also after attention and feed-forward part (gemma2, gemma3)
  bool scale_embedding = false;  // by the root of the width (gemma)
  bool gelu = false;             // instead of silu (gemma)
  float attention_cap = 0;       // scores are within ± it (gemma2); 0: unlimited
  float logit_cap = 0;           // so do logits
  float attention_scale = 0;     // factor of the scores; 0: one by the root of the depth
  int64_t window = 0;            // tokens that local layers see; 0: all layers see everything
  int period = 1;                // of so many layers in a row …
  int local = 1;                 // … the first ones are local
  float local_base = 0;          // of rotation in local layers (gemma3); 0: as everywhere
  Rotation rotation;             // where frequencies have factors of their own; else empty
  Experts experts;
};

Result<Model> build_llama(ModelBuilder& builder, const LlamaSizes& sizes, const OpenOptions& options);

// A decoder with layer norms and one hidden layer without a gate: GPT-2 (Radford 2019) and what came of it.
struct GptSizes {
  int layers = 0;
  int64_t width = 0, heads = 1, kv_heads = 1, inner = 0, vocabulary = 0, context = 0;
  float epsilon = 1e-5f;
  bool tied = true;
  float rope_base = 0;       // 0: learned positions
  bool packed = true;        // q, k and v from one matmul
  bool bias = true;          // biases of the matmuls
  bool parallel = false;     // attention and feed-forward part read the same input, and are added (falcon)
  bool two_norms = false;    // … each after its own normalisation (falcon 40B)
  bool output_bias = false;  // bias of the logits
  int64_t window = 0;        // tokens that every layer sees (starcoder2); 0: everything
};
Result<Model> build_gpt(ModelBuilder& builder, const GptSizes& sizes, const OpenOptions& options);

}  // namespace arenascope::models
