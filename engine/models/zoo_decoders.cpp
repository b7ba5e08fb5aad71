// SPDX-License-Identifier: MIT
// Decoders that write text: GPT-2 small (Radford 2019), LLaMA (Touvron 2023) and Baichuan 13B (2023). Each is built as
// one new token against a cache of keys and values, or (prefill) as a whole prompt that fills the cache. The caches
// are inputs, one pair a layer; the rows to append to them are outputs, so that a graph has no hidden state.
// A training step has no cache: all tokens at once, the mean cross entropy of all rows and each weight's gradient.
#include "engine/models/zoo_decoders.h"
#include <fmt/format.h>

#include <algorithm>

namespace arenascope::models {
Decoder::Decoder(ZooKit& kit, const OpenOptions& options, int64_t usual, const Sizes& sizes)
    : kit_(kit), sizes_(sizes) {
  training_ = options.training;
  cache_ = training_ ? 0 : options.cache;
  const int64_t seen = cache_ > 0 ? cache_ : options.tokens > 0 ? options.tokens : usual;
  tokens_ = !options.prefill && !training_ ? 1 : cache_ > 0 ? std::clamp<int64_t>(options.tokens, 1, cache_) : seen;
  past_ = seen - tokens_;
  if (cache_ > 0 && sizes.alibi)
    kit.g().fail(Error{"with slopes instead of rotation, its cache is given and returned"});
  kit.layer("inputs");
  // One new token sees everything: without slopes it needs no mask.
  if (sizes.alibi)
    mask_ = kit.input("kq_mask", {sizes.heads, tokens_, seen}, DType::F32,
                      causal_mask_writer(sizes.heads, tokens_, seen, true));
  else if (tokens_ > 1 || cache_ > 0)
    mask_ = kit.input("kq_mask", {tokens_, seen}, DType::F32, causal_mask_writer(1, tokens_, seen, false));
}

Tensor Decoder::attention(int i, const Tensor& q, const Tensor& k, const Tensor& v, const std::string& prefix) {
  Tensor all_k = with_cache(i, "k", k), all_v = with_cache(i, "v", v), all_q = q;
  const int64_t shared = sizes_.heads / sizes_.kv_heads, seen = past_ + tokens_;
  if (shared > 1) {
    all_k = kit_.g().reshape(all_k, {sizes_.kv_heads, 1, seen, sizes_.depth}, prefix + "k_shared");
    all_v = kit_.g().reshape(all_v, {sizes_.kv_heads, 1, seen, sizes_.depth}, prefix + "v_shared");
    all_q = kit_.g().reshape(q, {sizes_.kv_heads, shared, tokens_, sizes_.depth}, prefix + "q_shared");
  }
  return attend(kit_, all_q, all_k, all_v, mask_, prefix, sizes_.cap);
}

Tensor Decoder::positions() {
  if (!positions_) positions_ = kit_.input("positions", {tokens_}, DType::I64, positions_writer(past_, tokens_));
  return positions_;
}

Tensor Decoder::wanted_rows(const Tensor& x) {
  if (cache_ > 0 && tokens_ > 1) {
    const Tensor row = kit_.input("wanted_row", {1}, DType::I64, positions_writer(tokens_ - 1, 1));
    return kit_.g().op_with(Op::Gather, {x, row}, AxisParams{0}, "last_token");
  }
  return tokens_ == 1 || training_ ? x : kit_.g().slice(x, 0, tokens_ - 1, tokens_, 1, "last_token");
}

Tensor Decoder::with_cache(int i, const char* which, const Tensor& fresh) {
  const std::string name = fmt::format("cache_{}_l{}", which, i);
  if (training_) return fresh;
  if (cache_ > 0) {
    const Tensor cache = kit_.state(name, {sizes_.kv_heads, cache_, sizes_.depth}, MemoryKind::KVCache);
    return kit_.g().op_with(Op::SetRows, {cache, fresh, positions()}, SetRowsParams{1, true}, name + " (written)");
  }
  const Tensor rows = kit_.g().cont(fresh, name + " (new)");
  Tensor all = rows;
  if (past_ > 0) {
    const Tensor old = kit_.input(name, {sizes_.kv_heads, past_, sizes_.depth}, {-1, 1});
    const Tensor parts[] = {old, rows};
    all = kit_.g().concat(parts, 1, name + " (all)");
  }
  kit_.output(fmt::format("new_{}_l{}", which, i), rows);
  return all;
}

Result<Model> build_llama_7b(const OpenOptions& options) {
  ZooKit kit("llama_7b");
  return build_llama(kit, {32, 4096, 32, 32, 11008, 32000}, options);
}

Result<Model> build_llama_13b(const OpenOptions& options) {
  ZooKit kit("llama_13b");
  return build_llama(kit, {40, 5120, 40, 40, 13824, 32000}, options);
}

Result<Model> build_baichuan_13b(const OpenOptions& options) {
  ZooKit kit("baichuan_13b");
  LlamaSizes sizes{40, 5120, 40, 40, 13696, 64000, 1e-6f};
  sizes.packed = sizes.alibi = true;
  return build_llama(kit, sizes, options);
}

Result<Model> build_gpt2(const OpenOptions& options) {
  constexpr int64_t kWidth = 768, kHeads = 12, kVocabulary = 50257, kPlaces = 1024;
  if (options.tokens > kPlaces)
    return Error{fmt::format("zoo:gpt2: {} tokens, of at most {}", options.tokens, kPlaces)};
  if (options.cache > kPlaces) return Error{fmt::format("zoo:gpt2: {} tokens, of at most {}", options.cache, kPlaces)};
  ZooKit kit("gpt2");
  kit.language(kPlaces, kVocabulary);
  GraphBuilder& g = kit.g();
  Decoder decoder(kit, options, 512, {kHeads, kHeads, kWidth / kHeads, false});
  const Tensor ids = kit.input("token_ids", {decoder.tokens()}, {0, kVocabulary}, DType::I64);
  const Tensor positions = decoder.positions();
  const Tensor words = kit.weight("wte.weight", {kVocabulary, kWidth}, {-0.1, 0.1});
  const Tensor places = kit.weight("wpe.weight", {kPlaces, kWidth}, {-0.1, 0.1});
  Tensor x = g.add(g.op_with(Op::Gather, {words, ids}, AxisParams{0}, "wte"),
                   g.op_with(Op::Gather, {places, positions}, AxisParams{0}, "wpe"), "embedded");
  for (int i = 0; i < 12; ++i) {
    const std::string at = fmt::format("h.{}.", i);
    kit.layer(fmt::format("layer {}", i));
    const Tensor qkv = kit.linear(at + "attn.c_attn", kit.layer_norm(at + "ln_1", x, 1e-5f), 3 * kWidth);
    const auto part = [&](int64_t which, const char* name) {
      return split_heads_of(kit, qkv, which, kWidth, kHeads, at + "attn." + name);
    };
    const Tensor q = part(0, "q"), k = part(1, "k"), v = part(2, "v");
    const Tensor mixed = decoder.attention(i, q, k, v, at + "attn.");
    x = g.add(x, kit.linear(at + "attn.c_proj", mixed, kWidth, true, 0.5), at + "add_1");
    Tensor y = kit.linear(at + "mlp.c_fc", kit.layer_norm(at + "ln_2", x, 1e-5f), 4 * kWidth);
    y = g.op(Op::GeluTanh, {y}, {}, at + "mlp.gelu");
    x = g.add(x, kit.linear(at + "mlp.c_proj", y, kWidth, true, 0.5), at + "add_2");
  }
  kit.layer("output");
  x = kit.layer_norm("ln_f", decoder.wanted_rows(x), 1e-5f);
  const Tensor logits = g.mul_mat(words, x, {}, "lm_head");  // tied to the embedding
  if (options.training)
    kit.train(logits);
  else
    kit.output("logits", logits);
  return kit.finish();
}

}  // namespace arenascope::models
