// SPDX-License-Identifier: MIT
// Decoders of llama's family (Touvron 2023): a norm before attention and before a gated feed-forward part, rotated
// positions, shared keys and values. What its relatives do otherwise is a field of LlamaSizes.
#include <fmt/format.h>

#include <cmath>

#include "engine/models/zoo_decoders.h"

namespace arenascope::models {
namespace {

class LlamaBuilder {
 public:
  LlamaBuilder(ZooKit& kit, const LlamaSizes& sizes, const OpenOptions& options)
      : kit_(kit),
        g_(kit.g()),
        s_(sizes),
        depth_(sizes.depth > 0 ? sizes.depth : sizes.width / sizes.heads),
        training_(options.training),
        decoder_(kit, options, 512, {s_.heads, s_.kv_heads, depth_, s_.alibi, s_.attention_cap}) {}

  Result<Model> build() {
    const Tensor ids =
        kit_.input("token_ids", {decoder_.tokens()}, {0, static_cast<double>(s_.vocabulary)}, DType::I64);
    if (!s_.alibi) positions_ = decoder_.positions();
    const Tensor table = kit_.weight("token_embd.weight", {s_.vocabulary, s_.width}, {-1, 1});
    Tensor x = g_.op_with(Op::Gather, {table, ids}, AxisParams{0}, "inp_embd");
    if (x && x.dtype() != DType::F32) x = g_.op_with(Op::Cast, {x}, CastParams{DType::F32}, "inp_embd_f32");
    if (s_.scale_embedding) x = g_.scale(x, std::sqrt(static_cast<float>(s_.width)), 0, "inp_scaled");
    for (int i = 0; i < s_.layers; ++i) {
      const std::string at = fmt::format("blk.{}.", i);
      kit_.layer(fmt::format("layer {}", i));
      x = g_.add(x, after(at + "post_attention_norm", attention(i, at, norm(at + "attn_norm", x, s_.width))),
                 at + "attn_add");
      x = g_.add(x, after(at + "post_ffw_norm", feed_forward(at, norm(at + "ffn_norm", x, s_.width))), at + "ffn_add");
    }
    kit_.layer("output");
    x = norm("output_norm", decoder_.wanted_rows(x), s_.width);
    Tensor logits = s_.tied ? g_.mul_mat(table, x, {}, "output") : kit_.linear("output", x, s_.vocabulary, false);
    if (s_.logit_cap > 0) logits = capped(logits, s_.logit_cap, "output_capped");
    if (training_)
      kit_.train(logits);
    else
      kit_.output("logits", logits);
    return kit_.finish();
  }

 private:
  Tensor norm(const std::string& name, const Tensor& x, int64_t width) {
    return g_.rms_norm(x, s_.epsilon, kit_.weight(name + ".weight", {width}, {0.9, 1.1}), name);
  }
  Tensor after(const std::string& name, const Tensor& x) { return s_.post_norms ? norm(name, x, s_.width) : x; }
  // cap·tanh(x ÷ cap): what comes out lies within ±cap.
  Tensor capped(const Tensor& x, float cap, const std::string& name) {
    return g_.scale(g_.op(Op::Tanh, {g_.scale(x, 1 / cap)}), cap, 0, name);
  }

  // Heads of queries, keys or values, [heads, tokens, depth].
  Tensor heads(const Tensor& rows, int64_t count, const std::string& name) {
    return split_heads(kit_, rows, count, name);
  }
  Tensor rotated(const Tensor& rows, const std::string& name) {
    if (s_.alibi) return rows;
    Tensor x = rows;
    if (s_.head_norms) x = norm(name + "_norm", x, depth_);
    const auto dims = s_.rope_dims > 0 ? s_.rope_dims : static_cast<int32_t>(depth_);
    return g_.op_with(Op::Rope, {x, positions_}, RopeParams{dims, s_.rope_base, s_.rope_scale, 0, s_.neox},
                      name + "_rope");
  }

  Tensor attention(int i, const std::string& at, const Tensor& y) {
    const int64_t q_width = s_.heads * depth_, kv_width = s_.kv_heads * depth_;
    Tensor q, k, v;
    if (s_.packed) {
      const Tensor qkv = kit_.linear(at + "attn_qkv", y, q_width + 2 * kv_width, s_.qkv_bias);
      const auto part = [&](int64_t begin, int64_t width, const char* name) {
        return heads(g_.slice(qkv, 1, begin, begin + width, 1, at + name), width / depth_, at + name);
      };
      q = part(0, q_width, "attn_q"), k = part(q_width, kv_width, "attn_k");
      v = part(q_width + kv_width, kv_width, "attn_v");
    } else {
      const auto part = [&](const char* name, int64_t width) {
        return heads(kit_.linear(at + name, y, width, s_.qkv_bias), width / depth_, at + name);
      };
      q = part("attn_q", q_width), k = part("attn_k", kv_width), v = part("attn_v", kv_width);
    }
    const Tensor mixed = decoder_.attention(i, rotated(q, at + "attn_q"), rotated(k, at + "attn_k"), v, at);
    return kit_.linear(at + "attn_output", mixed, s_.width, false, 0.25);
  }

  Tensor activated(const Tensor& x, const std::string& at) {
    return s_.gelu ? g_.op(Op::GeluTanh, {x}, {}, at + "ffn_gelu") : g_.op(Op::Silu, {x}, {}, at + "ffn_silu");
  }

  Tensor feed_forward(const std::string& at, const Tensor& z) {
    Tensor gate, up;
    if (s_.packed_gate) {
      const Tensor both = kit_.linear(at + "ffn_up", z, 2 * s_.inner, false);
      gate = g_.slice(both, 1, 0, s_.inner, 1, at + "ffn_gate_part");
      up = g_.slice(both, 1, s_.inner, 2 * s_.inner, 1, at + "ffn_up_part");
      gate = activated(gate, at);
    } else {
      gate = activated(kit_.linear(at + "ffn_gate", z, s_.inner, false), at);
      up = kit_.linear(at + "ffn_up", z, s_.inner, false);
    }
    return kit_.linear(at + "ffn_down", g_.mul(gate, up, at + "ffn_par"), s_.width, false, 0.25);
  }

  ZooKit& kit_;
  GraphBuilder& g_;
  const LlamaSizes s_;
  const int64_t depth_;
  const bool training_;
  Decoder decoder_;
  Tensor positions_;
};

}  // namespace

Result<Model> build_llama(ZooKit& kit, const LlamaSizes& sizes, const OpenOptions& options) {
  kit.language(sizes.context, sizes.vocabulary);
  return LlamaBuilder(kit, sizes, options).build();
}

}  // namespace arenascope::models
