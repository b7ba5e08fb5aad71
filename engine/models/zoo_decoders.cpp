// SPDX-License-Identifier: MIT
// Decoders that write text: GPT-2 small (Radford 2019), LLaMA (Touvron 2023) and Baichuan 13B (2023). Each is built as
// one new token against a cache of keys and values, or (prefill) as a whole prompt that fills the cache. The caches
// are inputs, one pair a layer; the rows to append to them are outputs, so that a graph has no hidden state.
#include <arenascope/models/zoo_attention.h>
#include <fmt/format.h>

namespace arenascope::models {
namespace {

// What both kinds of graph share: how many tokens are new, how many are in the cache, and the cache's tensors.
class Decoder {
 public:
  Decoder(ZooKit& kit, const OpenOptions& options, int64_t usual, int64_t heads, int64_t depth, bool alibi)
      : kit_(kit), heads_(heads), depth_(depth) {
    const int64_t seen = options.tokens > 0 ? options.tokens : usual;
    tokens_ = options.prefill ? seen : 1;
    past_ = seen - tokens_;
    kit.layer("inputs");
    // One new token sees everything: without slopes it needs no mask.
    if (alibi)
      mask_ = kit.input("kq_mask", {heads, tokens_, seen}, DType::F32, causal_mask_writer(heads, tokens_, seen, true));
    else if (tokens_ > 1)
      mask_ = kit.input("kq_mask", {tokens_, seen}, DType::F32, causal_mask_writer(1, tokens_, seen, false));
  }

  int64_t tokens() const { return tokens_; }
  int64_t past() const { return past_; }
  Tensor positions() { return kit_.input("positions", {tokens_}, DType::I64, positions_writer(past_, tokens_)); }

  // q [H, T, D] and the new keys and values [H, T, D] of layer i → [T, H·D].
  Tensor attention(int i, const Tensor& q, const Tensor& k, const Tensor& v, const std::string& prefix) {
    return attend(kit_, q, with_cache(i, "k", k), with_cache(i, "v", v), mask_, prefix);
  }

  // The logits of the last token only: the others are not needed to go on.
  Tensor last_row(const Tensor& x) {
    return tokens_ == 1 ? x : kit_.g().slice(x, 0, tokens_ - 1, tokens_, 1, "last_token");
  }

 private:
  Tensor with_cache(int i, const char* which, const Tensor& fresh) {
    const std::string name = fmt::format("cache_{}_l{}", which, i);
    const Tensor rows = kit_.g().cont(fresh, name + " (new)");
    Tensor all = rows;
    if (past_ > 0) {
      const Tensor old = kit_.input(name, {heads_, past_, depth_}, {-1, 1});
      const Tensor parts[] = {old, rows};
      all = kit_.g().concat(parts, 1, name + " (all)");
    }
    kit_.output(fmt::format("new_{}_l{}", which, i), rows);
    return all;
  }

  ZooKit& kit_;
  int64_t heads_, depth_, tokens_ = 1, past_ = 0;
  Tensor mask_;
};

struct LlamaSizes {
  const char* name;
  int layers;
  int64_t width, heads, inner, vocabulary;
  float epsilon;
  bool packed;  // q, k and v from one product, ALiBi instead of rotation (Baichuan 13B)
};

Result<Model> build_llama(const LlamaSizes& s, const OpenOptions& options) {
  ZooKit kit(s.name, static_cast<size_t>(s.layers) * 48 + 64);
  GraphBuilder& g = kit.g();
  const int64_t depth = s.width / s.heads;
  Decoder decoder(kit, options, 512, s.heads, depth, s.packed);
  const Tensor ids = kit.input("token_ids", {decoder.tokens()}, {0, static_cast<double>(s.vocabulary)}, DType::I64);
  const Tensor positions = s.packed ? Tensor() : decoder.positions();
  const Tensor table = kit.weight("token_embd.weight", {s.vocabulary, s.width}, {-1, 1});
  Tensor x = g.op_with(Op::Gather, {table, ids}, AxisParams{0}, "inp_embd");
  for (int i = 0; i < s.layers; ++i) {
    const std::string at = fmt::format("blk.{}.", i);
    kit.layer(fmt::format("layer {}", i));
    const auto norm = [&](const std::string& name, const Tensor& y) {
      return g.rms_norm(y, s.epsilon, kit.weight(name + ".weight", {s.width}, {0.9, 1.1}), name);
    };
    const Tensor y = norm(at + "attn_norm", x);
    Tensor q, k, v;
    if (s.packed) {
      const Tensor qkv = kit.linear(at + "attn_qkv", y, 3 * s.width, false);
      const auto part = [&](int64_t which, const char* name) {
        const Tensor rows = g.slice(qkv, 1, which * s.width, (which + 1) * s.width, 1, at + name);
        return split_heads(kit, rows, s.heads, at + name);
      };
      q = part(0, "attn_q"), k = part(1, "attn_k"), v = part(2, "attn_v");
    } else {
      const RopeParams rope{static_cast<int32_t>(depth), 10000.0f, 1.0f, 0, false};
      const auto part = [&](const char* name, bool rotate) {
        const Tensor rows = split_heads(kit, kit.linear(at + name, y, s.width, false), s.heads, at + name);
        return rotate ? g.op_with(Op::Rope, {rows, positions}, rope, at + name + "_rope") : rows;
      };
      q = part("attn_q", true), k = part("attn_k", true), v = part("attn_v", false);
    }
    const Tensor mixed = decoder.attention(i, q, k, v, at);
    x = g.add(x, kit.linear(at + "attn_output", mixed, s.width, false, 0.25), at + "attn_add");
    const Tensor z = norm(at + "ffn_norm", x);
    const Tensor gate = g.op(Op::Silu, {kit.linear(at + "ffn_gate", z, s.inner, false)}, {}, at + "ffn_silu");
    const Tensor both = g.mul(gate, kit.linear(at + "ffn_up", z, s.inner, false), at + "ffn_par");
    x = g.add(x, kit.linear(at + "ffn_down", both, s.width, false, 0.25), at + "ffn_add");
  }
  kit.layer("output");
  x = g.rms_norm(decoder.last_row(x), s.epsilon, kit.weight("output_norm.weight", {s.width}, {0.9, 1.1}),
                 "output_norm");
  kit.output("logits", kit.linear("output", x, s.vocabulary, false));
  return kit.finish();
}

}  // namespace

Result<Model> build_llama_7b(const OpenOptions& options) {
  return build_llama({"llama_7b", 32, 4096, 32, 11008, 32000, 1e-6f, false}, options);
}

Result<Model> build_llama_13b(const OpenOptions& options) {
  return build_llama({"llama_13b", 40, 5120, 40, 13824, 32000, 1e-6f, false}, options);
}

Result<Model> build_baichuan_13b(const OpenOptions& options) {
  return build_llama({"baichuan_13b", 40, 5120, 40, 13696, 64000, 1e-6f, true}, options);
}

Result<Model> build_gpt2(const OpenOptions& options) {
  constexpr int64_t kWidth = 768, kHeads = 12, kVocabulary = 50257, kPlaces = 1024;
  if (options.tokens > kPlaces)
    return Error{fmt::format("zoo:gpt2: {} tokens, of at most {}", options.tokens, kPlaces)};
  ZooKit kit("gpt2", 1024);
  GraphBuilder& g = kit.g();
  Decoder decoder(kit, options, 512, kHeads, kWidth / kHeads, false);
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
      const Tensor rows = g.slice(qkv, 1, which * kWidth, (which + 1) * kWidth, 1, at + "attn." + name);
      return split_heads(kit, rows, kHeads, at + "attn." + name);
    };
    const Tensor q = part(0, "q"), k = part(1, "k"), v = part(2, "v");
    const Tensor mixed = decoder.attention(i, q, k, v, at + "attn.");
    x = g.add(x, kit.linear(at + "attn.c_proj", mixed, kWidth, true, 0.5), at + "add_1");
    Tensor y = kit.linear(at + "mlp.c_fc", kit.layer_norm(at + "ln_2", x, 1e-5f), 4 * kWidth);
    y = g.op(Op::GeluTanh, {y}, {}, at + "mlp.gelu");
    x = g.add(x, kit.linear(at + "mlp.c_proj", y, kWidth, true, 0.5), at + "add_2");
  }
  kit.layer("output");
  x = kit.layer_norm("ln_f", decoder.last_row(x), 1e-5f);
  kit.output("logits", g.mul_mat(words, x, {}, "lm_head"));  // tied to the embedding
  return kit.finish();
}

}  // namespace arenascope::models
