// SPDX-License-Identifier: MIT
// Decoders with layer norms and a feed-forward part without a gate: GPT-2 (Radford 2019), falcon (Almazrouei 2023) and
// starcoder2 (Lozhkov 2024). Names are those of GGUF files.
#include <fmt/format.h>

#include "engine/models/zoo/zoo_decoders.h"

namespace arenascope::models {
namespace {

class GptBuilder {
 public:
  GptBuilder(ModelBuilder& builder, const GptSizes& sizes, const OpenOptions& options)
      : builder_(builder),
        g_(builder.g()),
        s_(sizes),
        depth_(sizes.width / sizes.heads),
        training_(options.training),
        decoder_(builder, options, std::min<int64_t>(sizes.context, 512),
                 {s_.heads, s_.kv_heads, depth_, false, 0, 0, s_.window}) {}

  Result<Model> build() {
    const Tensor ids =
        builder_.input("token_ids", {decoder_.tokens()}, {0, static_cast<double>(s_.vocabulary)}, DType::I64);
    positions_ = decoder_.positions();
    const Tensor strings = builder_.weight("token_embd.weight", {s_.vocabulary, s_.width}, {-0.1, 0.1});
    Tensor x = rows_of(strings, ids, "inp_embd");
    if (s_.rope_base == 0) {
      const Tensor indices = builder_.weight("position_embd.weight", {s_.context, s_.width}, {-0.1, 0.1});
      x = g_.add(x, rows_of(indices, positions_, "pos_embd"), "embedded");
    }
    x = builder_.dropped(x, "embedded_dropout");
    for (int i = 0; i < s_.layers; ++i) {
      builder_.layer(fmt::format("layer {}", i));
      x = layer(i, fmt::format("blk.{}.", i), x);
    }
    builder_.layer("output");
    x = builder_.layer_norm("output_norm", decoder_.output_rows(x), s_.epsilon);
    const Tensor logits =
        s_.tied ? g_.mul_mat(strings, x, {}, "output") : builder_.linear("output", x, s_.vocabulary, s_.output_bias);
    if (training_)
      builder_.train(logits);
    else
      builder_.output("logits", logits);
    return builder_.finish();
  }

 private:
  // Rows of an embedding table, converted to f32.
  Tensor rows_of(const Tensor& table, const Tensor& ids, const char* name) {
    const Tensor rows = g_.op_with(Op::Gather, {table, ids}, AxisParams{0}, name);
    if (!rows || rows.dtype() == DType::F32) return rows;
    return g_.op_with(Op::Cast, {rows}, CastParams{DType::F32}, std::string(name) + "_f32");
  }

  Tensor layer(int i, const std::string& at, const Tensor& x) {
    const Tensor y = builder_.layer_norm(at + "attn_norm", x, s_.epsilon);
    const Tensor attended =
        builder_.dropped(attention(i, at, s_.two_norms ? builder_.layer_norm(at + "attn_norm_2", x, s_.epsilon) : y),
                         at + "attn_dropout");
    if (s_.parallel) return g_.add(x, g_.add(attended, feed_forward(at, y)), at + "ffn_add");
    const Tensor z = g_.add(x, attended, at + "attn_add");
    return g_.add(z, feed_forward(at, builder_.layer_norm(at + "ffn_norm", z, s_.epsilon)), at + "ffn_add");
  }

  Tensor attention(int i, const std::string& at, const Tensor& y) {
    const int64_t q_width = s_.width, kv_width = s_.kv_heads * depth_;
    Tensor q, k, v;
    if (s_.packed) {
      const Tensor qkv = builder_.linear(at + "attn_qkv", y, q_width + 2 * kv_width, s_.bias);
      const auto part = [&](int64_t begin, int64_t width, const char* name) {
        return split_heads(builder_, g_.slice(qkv, 1, begin, begin + width, 1, at + name), width / depth_, at + name);
      };
      q = part(0, q_width, "attn_q"), k = part(q_width, kv_width, "attn_k");
      v = part(q_width + kv_width, kv_width, "attn_v");
    } else {
      const auto part = [&](const char* name, int64_t width) {
        return split_heads(builder_, builder_.linear(at + name, y, width, s_.bias), width / depth_, at + name);
      };
      q = part("attn_q", q_width), k = part("attn_k", kv_width), v = part("attn_v", kv_width);
    }
    const Tensor mixed =
        decoder_.attention(i, rotated(q, at + "attn_q"), rotated(k, at + "attn_k"), v, at, s_.window > 0);
    return builder_.linear(at + "attn_output", mixed, s_.width, s_.bias, 0.5);
  }

  Tensor rotated(const Tensor& x, const std::string& name) {
    if (s_.rope_base == 0) return x;
    const RopeParams params{static_cast<int32_t>(depth_), s_.rope_base, 1, 0, true};
    return g_.op_with(Op::Rope, {x, positions_}, params, name + "_rope");
  }

  Tensor feed_forward(const std::string& at, const Tensor& z) {
    const Tensor y = g_.op(Op::GeluTanh, {builder_.linear(at + "ffn_up", z, s_.inner, s_.bias)}, {}, at + "ffn_gelu");
    return builder_.dropped(builder_.linear(at + "ffn_down", y, s_.width, s_.bias, 0.5), at + "ffn_dropout");
  }

  ModelBuilder& builder_;
  GraphBuilder& g_;
  const GptSizes s_;
  const int64_t depth_;
  const bool training_;
  Decoder decoder_;
  Tensor positions_;
};

GptSizes of_zoo(int layers, int64_t width, int64_t heads, int64_t vocabulary, int64_t indices) {
  GptSizes s;
  s.layers = layers, s.width = width, s.heads = s.kv_heads = heads, s.inner = 4 * width;
  s.vocabulary = vocabulary, s.context = indices;
  return s;
}

}  // namespace

Result<Model> build_gpt(ModelBuilder& builder, const GptSizes& sizes, const OpenOptions& options) {
  if (options.tokens > sizes.context)
    return Error{fmt::format("{} tokens exceed the maximum of {}", options.tokens, sizes.context)};
  builder.language(sizes.context, sizes.vocabulary, sizes.window);
  builder.learn(options);
  return GptBuilder(builder, sizes, options).build();
}

Result<Model> build_gpt2(const OpenOptions& options) {
  ModelBuilder builder("gpt2");
  return build_gpt(builder, of_zoo(12, 768, 12, 50257, 1024), options);
}

Result<Model> build_nano_gpt(const OpenOptions& options) {
  ModelBuilder builder("nano_gpt");
  GptSizes sizes = of_zoo(3, 48, 3, 3, 11);
  sizes.tied = false;
  return build_gpt(builder, sizes, options);
}

}  // namespace arenascope::models
