// SPDX-License-Identifier: MIT
// Shared parts of text decoders, and the zoo's LLaMA (Touvron 2023) and Baichuan 13B (2023). Each is built as one new
// token with a KV cache, or (prefill) as a whole prompt that fills the cache. The caches are inputs, one pair per layer;
// the rows to append to them are outputs, so that a graph has no hidden state.
// A training step has no cache: all tokens at once, the mean cross entropy of all rows and each weight's gradient.
#include "engine/models/zoo/zoo_decoders.h"
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace arenascope::models {
Decoder::Decoder(ModelBuilder& builder, const OpenOptions& options, int64_t usual, const Sizes& sizes)
    : builder_(builder),
      sizes_(sizes),
      output_row_count_(std::max<int64_t>(options.output_rows, 1)),
      cache_type_(options.cache_type) {
  all_ = options.training || options.sequences > 0;
  sequences_ = std::max<int64_t>(options.sequences, 1);
  cache_ = all_ ? 0 : options.cache;
  const int64_t seen = cache_ > 0 ? cache_ : options.tokens > 0 ? options.tokens : usual;
  tokens_ = !options.prefill && !all_ ? 1 : cache_ > 0 ? std::clamp<int64_t>(options.tokens, 1, cache_) : seen;
  past_ = seen - tokens_;
  if ((cache_ > 0 || sequences_ > 1) && sizes.alibi)
    builder.g().fail(Error{"with slopes instead of rotation, its cache is given and returned"});
  builder.layer("inputs");
  // One new token sees everything: without slopes or a window it needs no mask.
  const auto mask = [&](const char* name, int64_t window) {
    if (sizes.alibi)
      return builder.input(name, {sizes.heads, tokens_, seen}, DType::F32,
                           causal_mask_writer(sizes.heads, tokens_, seen, true));
    return builder.input(name, {tokens_, seen}, DType::F32, causal_mask_writer(1, tokens_, seen, false, window));
  };
  if (sizes.alibi || tokens_ > 1 || cache_ > 0) mask_ = mask("kq_mask", 0);
  if (sizes.window > 0 && sizes.window < seen) local_mask_ = mask("kq_mask_local", sizes.window);
}

Tensor Decoder::attention(int i, const Tensor& q, const Tensor& k, const Tensor& v, const std::string& prefix,
                          bool local) {
  Tensor all_k = with_cache(i, "k", k), all_v = with_cache(i, "v", v), all_q = q;
  const Tensor& mask = local && local_mask_ ? local_mask_ : mask_;
  if (cache_ > 0 && sizes_.cap == 0) return over_cache(q, all_k, all_v, mask, prefix);
  const int64_t shared = sizes_.heads / sizes_.kv_heads;
  const auto arranged = [&](const Tensor& x, int64_t heads, int64_t by, int64_t rows, const char* name) {
    Dims to{heads};
    if (shared > 1) to.push_back(by);
    if (sequences_ > 1) to.push_back(sequences_);
    to.push_back(rows), to.push_back(sizes_.depth);
    return to.rank() > 3 ? builder_.g().reshape(x, to, prefix + name) : x;
  };
  all_k = arranged(all_k, sizes_.kv_heads, 1, seen(), "k_shared");
  all_v = arranged(all_v, sizes_.kv_heads, 1, seen(), "v_shared");
  all_q = arranged(all_q, sizes_.kv_heads, shared, tokens_, "q_shared");
  return attend(builder_, all_q, all_k, all_v, mask, prefix, {sequences_, sizes_.scale, sizes_.cap});
}

// With a cache that the graph writes, the scores are never stored as a whole, and the cache is not converted to f32.
Tensor Decoder::over_cache(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                           const std::string& prefix) {
  GraphBuilder& g = builder_.g();
  const float scale = sizes_.scale > 0 ? sizes_.scale : 1 / std::sqrt(static_cast<float>(sizes_.depth));
  Tensor mixed = g.op_with(Op::Attention, {q, k, v, mask}, AttentionParams{scale, false}, prefix + "kqv");
  if (tokens_ > 1) mixed = g.cont(g.permute(mixed, {1, 0, 2}, prefix + "kqv_merged"), prefix + "kqv_merged_cont");
  return g.reshape(mixed, {tokens_, sizes_.heads * sizes_.depth}, prefix + "kqv_out");
}

Tensor Decoder::positions() {
  if (!positions_)
    positions_ = builder_.input("positions", {tokens()}, DType::I64, positions_writer(past_, tokens_, sequences_));
  return positions_;
}

Tensor Decoder::output_rows(const Tensor& x) {
  if (cache_ > 0 && tokens_ > 1) {
    const Tensor rows = builder_.input("output_rows", {output_row_count_}, DType::I64,
                                       positions_writer(tokens_ - output_row_count_, output_row_count_));
    return builder_.g().op_with(Op::Gather, {x, rows}, AxisParams{0}, "wanted_tokens");
  }
  return tokens() == 1 || all_ ? x : builder_.g().slice(x, 0, tokens_ - 1, tokens_, 1, "last_token");
}

Tensor Decoder::with_cache(int i, const char* which, const Tensor& fresh) {
  const std::string name = fmt::format("cache_{}_l{}", which, i);
  if (all_) return fresh;
  if (cache_ > 0) {
    if (!rows_) rows_ = builder_.input("cache_rows", {tokens_}, DType::I64, positions_writer(past_, tokens_));
    const Tensor cache =
        builder_.state(name, {sizes_.kv_heads, cache_, sizes_.depth}, MemoryKind::KVCache, cache_type_);
    const Tensor written =
        builder_.g().op_with(Op::SetRows, {cache, fresh, rows_}, SetRowsParams{1, true}, name + " (written)");
    // Capped scores are a separate matmul, which cannot sum over rows of blocks.
    return !info(cache_type_).quantised || *which == 'k' || sizes_.cap == 0
               ? written
               : builder_.g().op_with(Op::Cast, {written}, CastParams{DType::F32}, name + " (f32)");
  }
  const Tensor rows = builder_.g().cont(fresh, name + " (new)");
  Tensor all = rows;
  if (past_ > 0) {
    const Tensor old = builder_.input(name, {sizes_.kv_heads, past_, sizes_.depth}, {-1, 1});
    const Tensor parts[] = {old, rows};
    all = builder_.g().concat(parts, 1, name + " (all)");
  }
  builder_.output(fmt::format("new_{}_l{}", which, i), rows);
  return all;
}

namespace {

// OpenOptions::dims["devices"]: one device's share of a tensor-parallel model: heads, inner width and vocabulary are
// divided. Communication is not in the graph.
Result<Model> build_share(ModelBuilder& builder, LlamaSizes sizes, const OpenOptions& options) {
  const auto given = options.dims.find("devices");
  const int64_t n = given == options.dims.end() ? 1 : given->second;
  if (n < 1 || sizes.heads % n != 0 || sizes.inner % n != 0 || sizes.vocabulary % n != 0)
    return Error{fmt::format("{} heads, {} inner columns and {} tokens cannot be shared by {} devices", sizes.heads,
                             sizes.inner, sizes.vocabulary, n)};
  sizes.depth = sizes.width / sizes.heads;
  sizes.heads /= n, sizes.kv_heads /= n, sizes.inner /= n, sizes.vocabulary /= n;
  return build_llama(builder, sizes, options);
}

}  // namespace

Result<Model> build_llama_7b(const OpenOptions& options) {
  ModelBuilder builder("llama_7b");
  return build_share(builder, {32, 4096, 32, 32, 11008, 32000}, options);
}

Result<Model> build_llama_13b(const OpenOptions& options) {
  ModelBuilder builder("llama_13b");
  return build_share(builder, {40, 5120, 40, 40, 13824, 32000}, options);
}

Result<Model> build_baichuan_13b(const OpenOptions& options) {
  ModelBuilder builder("baichuan_13b");
  LlamaSizes sizes{40, 5120, 40, 40, 13696, 64000, 1e-6f};
  sizes.packed = sizes.alibi = true;
  return build_share(builder, sizes, options);
}

}  // namespace arenascope::models
