// SPDX-License-Identifier: MIT
// Decoders of the llama family (Touvron 2023): normalisation before attention and before a gated feed-forward part,
// rotary positions, grouped keys and values. Variants are fields of LlamaSizes.
#include <fmt/format.h>

#include <cmath>

#include "engine/models/zoo/zoo_decoders.h"

namespace arenascope::models {
namespace {

class LlamaBuilder {
 public:
  LlamaBuilder(ModelBuilder& builder, const LlamaSizes& sizes, const OpenOptions& options)
      : builder_(builder),
        g_(builder.g()),
        s_(sizes),
        depth_(sizes.depth > 0 ? sizes.depth : sizes.width / sizes.heads),
        training_(options.training),
        complete_(options.training || options.sequences > 0),
        decoder_(builder, options, 512,
                 {s_.heads, s_.kv_heads, depth_, s_.alibi, s_.attention_cap, s_.attention_scale, s_.window}) {}

  Result<Model> build() {
    const Tensor ids =
        builder_.input("token_ids", {decoder_.tokens()}, {0, static_cast<double>(s_.vocabulary)}, DType::I64);
    if (!s_.alibi) positions_ = decoder_.positions();
    if (!s_.rotation.frequencies.empty()) rotation_.emplace(builder_, "rope", s_.rotation, decoder_.seen(), positions_);
    const Tensor table = builder_.weight("token_embd.weight", {s_.vocabulary, s_.width}, {-1, 1});
    Tensor x = g_.op_with(Op::Gather, {table, ids}, AxisParams{0}, "inp_embd");
    if (x && x.dtype() != DType::F32) x = g_.op_with(Op::Cast, {x}, CastParams{DType::F32}, "inp_embd_f32");
    if (s_.scale_embedding) x = g_.scale(x, std::sqrt(static_cast<float>(s_.width)), 0, "inp_scaled");
    for (int i = 0; i < s_.layers; ++i) {
      const std::string at = fmt::format("blk.{}.", i);
      builder_.layer(fmt::format("layer {}", i));
      x = g_.add(x, after(at + "post_attention_norm", attention(i, at, norm(at + "attn_norm", x, s_.width))),
                 at + "attn_add");
      x = g_.add(x, after(at + "post_ffw_norm", feed_forward(at, norm(at + "ffn_norm", x, s_.width))), at + "ffn_add");
    }
    builder_.layer("output");
    x = norm("output_norm", decoder_.output_rows(x), s_.width);
    Tensor logits = s_.tied ? g_.mul_mat(table, x, {}, "output") : builder_.linear("output", x, s_.vocabulary, false);
    if (s_.logit_cap > 0) logits = capped(logits, s_.logit_cap, "output_capped");
    if (training_)
      builder_.train(logits);
    else
      builder_.output("logits", logits);
    return builder_.finish();
  }

 private:
  Tensor norm(const std::string& name, const Tensor& x, int64_t width) {
    return g_.rms_norm(x, s_.epsilon, builder_.weight(name + ".weight", {width}, {0.9, 1.1}), name);
  }
  Tensor after(const std::string& name, const Tensor& x) { return s_.post_norms ? norm(name, x, s_.width) : x; }
  // cap·tanh(x ÷ cap): what comes out is within ±cap.
  Tensor capped(const Tensor& x, float cap, const std::string& name) {
    return g_.scale(g_.op(Op::Tanh, {g_.scale(x, 1 / cap)}), cap, 0, name);
  }

  // Heads of queries, keys or values, [heads, tokens, depth].
  Tensor heads(const Tensor& rows, int64_t count, const std::string& name) {
    return split_heads(builder_, rows, count, name);
  }
  bool is_local(int layer) const { return s_.window > 0 && layer % s_.period < s_.local; }
  Tensor rotated(const Tensor& rows, const std::string& name, bool local) {
    if (s_.alibi) return rows;
    Tensor x = rows;
    if (s_.head_norms) x = norm(name + "_norm", x, depth_);
    const bool own = local && s_.local_base > 0;
    if (rotation_ && !own) return rotation_->rotate(x, name + "_rope");
    const auto dims = s_.rope_dims > 0 ? s_.rope_dims : static_cast<int32_t>(depth_);
    const RopeParams params{dims, own ? s_.local_base : s_.rope_base, own ? 1 : s_.rope_scale, 0, s_.neox};
    return g_.op_with(Op::Rope, {x, positions_}, params, name + "_rope");
  }

  Tensor attention(int i, const std::string& at, const Tensor& y) {
    const int64_t q_width = s_.heads * depth_, kv_width = s_.kv_heads * depth_;
    Tensor q, k, v;
    if (s_.packed) {
      const Tensor qkv = builder_.linear(at + "attn_qkv", y, q_width + 2 * kv_width, s_.qkv_bias);
      const auto part = [&](int64_t begin, int64_t width, const char* name) {
        return heads(g_.slice(qkv, 1, begin, begin + width, 1, at + name), width / depth_, at + name);
      };
      q = part(0, q_width, "attn_q"), k = part(q_width, kv_width, "attn_k");
      v = part(q_width + kv_width, kv_width, "attn_v");
    } else {
      const auto part = [&](const char* name, int64_t width) {
        return heads(builder_.linear(at + name, y, width, s_.qkv_bias), width / depth_, at + name);
      };
      q = part("attn_q", q_width), k = part("attn_k", kv_width), v = part("attn_v", kv_width);
    }
    const bool local = is_local(i);
    const Tensor mixed =
        decoder_.attention(i, rotated(q, at + "attn_q", local), rotated(k, at + "attn_k", local), v, at, local);
    return builder_.linear(at + "attn_output", mixed, s_.width, false, 0.25);
  }

  Tensor activated(const Tensor& x, const std::string& at) {
    return s_.gelu ? g_.op(Op::GeluTanh, {x}, {}, at + "ffn_gelu") : g_.op(Op::Silu, {x}, {}, at + "ffn_silu");
  }

  // x ↦ down·(activated(gate·x) ∘ up·x) with weights NAME_gate, NAME_up and NAME_down.
  Tensor gated(const std::string& at, const std::string& suffix, const Tensor& z, int64_t inner) {
    const Tensor gate = activated(builder_.linear(at + "ffn_gate" + suffix, z, inner, false), at);
    const Tensor up = builder_.linear(at + "ffn_up" + suffix, z, inner, false);
    return builder_.linear(at + "ffn_down" + suffix, g_.mul(gate, up, at + "ffn_par" + suffix), s_.width, false, 0.25);
  }

  Tensor experts(const std::string& at, const Tensor& z) {
    const Experts& e = s_.experts;
    const Tensor all = g_.soft_max(builder_.linear(at + "ffn_gate_inp", z, e.count, false), 1, 1, {}, at + "router");
    Tensor out = complete_ ? every_expert(at, z, all) : chosen_experts(at, z, all);
    if (e.shared_inner > 0) {
      const Tensor gate = g_.op(Op::Sigmoid, {shared_gate(at, z)});
      out = g_.add(out, g_.mul(gated(at, "_shexp", z, e.shared_inner), gate), at + "ffn_out");
    }
    return out;
  }

  // Each token goes through the experts that it was given to; the others are not read.
  Tensor chosen_experts(const std::string& at, const Tensor& z, const Tensor& all) {
    const Experts& e = s_.experts;
    const int64_t rows = z ? z.sizes()[0] : 0;
    const TopKParams top{1, e.used, true, true};
    const Tensor ids = g_.op_with(Op::TopKIndices, {all}, top, at + "router_ids");
    Tensor shares = g_.op_with(Op::TopKValues, {all}, top, at + "router_best");
    if (e.share_of_used) shares = g_.op(Op::Div, {shares, g_.reduce(Op::ReduceSum, shares, {1}, true)});
    const auto product = [&](const char* name, const Tensor& x, int64_t from, int64_t to) {
      const Tensor w = builder_.matmul_weight(at + name + ".weight", {e.count, to, from}, from);
      return g_.op(Op::MulMatId, {w, x, ids}, {}, at + name);
    };
    const Tensor mixed = g_.mul(activated(product("ffn_gate_exps", z, s_.width, e.inner), at),
                                product("ffn_up_exps", z, s_.width, e.inner), at + "ffn_par_exps");
    const Tensor each = product("ffn_down_exps", mixed, e.inner, s_.width);
    return g_.reduce(Op::ReduceSum, g_.mul(each, g_.reshape(shares, {rows, e.used, 1})), {1}, false,
                     at + "ffn_experts");
  }

  // Where gradients may be required: every expert computes every token, and a token's weights are 0 for experts that are not
  // selected.
  Tensor every_expert(const std::string& at, const Tensor& z, const Tensor& all) {
    const Experts& e = s_.experts;
    const int64_t rows = z ? z.sizes()[0] : 0;
    const Tensor best = g_.op_with(Op::TopKValues, {all}, TopKParams{1, e.used, true, true}, at + "router_best");
    if (!best) return {};
    const Tensor least = g_.slice(best, 1, e.used - 1, e.used, 1);
    const Tensor none = g_.op_with(Op::Fill, {}, FillParams{{}, DType::F32, 0, 0});
    Tensor shares = g_.op(Op::Where, {g_.op(Op::GreaterEqual, {all, least}), all, none}, {}, at + "router_shares");
    if (e.share_of_used) shares = g_.op(Op::Div, {shares, g_.reduce(Op::ReduceSum, shares, {1}, true)});
    const auto product = [&](const char* name, const Tensor& x, int64_t from, int64_t to) {
      const Tensor w = builder_.matmul_weight(at + name + ".weight", {e.count, to, from}, from);
      return g_.mul_mat(w, x, {}, at + name);
    };
    const Tensor x = g_.reshape(z, {1, rows, s_.width});
    const Tensor mixed = g_.mul(activated(product("ffn_gate_exps", x, s_.width, e.inner), at),
                                product("ffn_up_exps", x, s_.width, e.inner), at + "ffn_par_exps");
    const Tensor each = product("ffn_down_exps", mixed, e.inner, s_.width);
    const Tensor by_expert = g_.reshape(g_.cont(g_.transpose(shares)), {e.count, rows, 1});
    return g_.reduce(Op::ReduceSum, g_.mul(each, by_expert), {0}, false, at + "ffn_experts");
  }
  // Files have it as a line of numbers.
  Tensor shared_gate(const std::string& at, const Tensor& z) {
    const Tensor w = builder_.matmul_weight(at + "ffn_gate_inp_shexp.weight", {s_.width}, s_.width);
    return g_.mul_mat(g_.reshape(w, {1, s_.width}), z, {}, at + "ffn_gate_inp_shexp");
  }

  Tensor feed_forward(const std::string& at, const Tensor& z) {
    if (s_.experts.count > 0) return experts(at, z);
    if (!s_.packed_gate) return gated(at, "", z, s_.inner);
    const Tensor both = builder_.linear(at + "ffn_up", z, 2 * s_.inner, false);
    const Tensor gate = activated(g_.slice(both, 1, 0, s_.inner, 1, at + "ffn_gate_part"), at);
    const Tensor up = g_.slice(both, 1, s_.inner, 2 * s_.inner, 1, at + "ffn_up_part");
    return builder_.linear(at + "ffn_down", g_.mul(gate, up, at + "ffn_par"), s_.width, false, 0.25);
  }

  ModelBuilder& builder_;
  GraphBuilder& g_;
  const LlamaSizes s_;
  const int64_t depth_;
  const bool training_, complete_;  // whole: gradients may be required
  Decoder decoder_;
  Tensor positions_;
  std::optional<RotationTable> rotation_;
};

}  // namespace

Result<Model> build_llama(ModelBuilder& builder, const LlamaSizes& sizes, const OpenOptions& options) {
  builder.language(sizes.context, sizes.vocabulary, sizes.window);
  return LlamaBuilder(builder, sizes, options).build();
}

}  // namespace arenascope::models
