// SPDX-License-Identifier: MIT
// BERT base (Devlin 2018, uncased) and ViT-B/16 (Dosovitskiy 2020): encoders that see all tokens at once.
#include <fmt/format.h>
#include "engine/models/zoo/zoo_attention.h"

#include <algorithm>

namespace arenascope::models {
namespace {

constexpr int64_t kWidth = 768, kHeads = 12, kInner = 3072;

Tensor embedding(ModelBuilder& builder, const std::string& name, int64_t rows, const Tensor& ids) {
  const Tensor table = builder.weight(name + ".weight", {rows, kWidth}, {-0.05, 0.05});
  return builder.g().op_with(Op::Gather, {table, ids}, AxisParams{0}, name);
}

}  // namespace

Result<Model> build_bert_base(const OpenOptions& options) {
  ModelBuilder builder("bert_base");
  GraphBuilder& g = builder.g();
  const int64_t tokens = options.tokens > 0 ? options.tokens : 128;
  if (tokens > 512) return Error{fmt::format("zoo:bert_base: {} tokens exceed the maximum of 512", tokens)};
  builder.layer("embeddings");
  const Tensor ids = builder.input("input_ids", {tokens}, {0, 30522}, DType::I64);
  const Tensor types = builder.input("token_type_ids", {tokens}, {0, 1}, DType::I64);
  const Tensor mask = builder.input("attention_mask", {1, tokens}, {0, 0});
  const Tensor strings = embedding(builder, "embeddings.word_embeddings", 30522, ids);
  const Tensor kinds = embedding(builder, "embeddings.token_type_embeddings", 2, types);
  const Tensor table = builder.weight("embeddings.position_embeddings.weight", {512, kWidth}, {-0.05, 0.05});
  const Tensor indices = g.slice(table, 0, 0, tokens, 1, "embeddings.position_embeddings");
  Tensor x = g.add(g.add(strings, kinds, "embeddings.add"), indices, "embeddings.sum");
  x = builder.layer_norm("embeddings.LayerNorm", x, 1e-12f);
  for (int i = 0; i < 12; ++i) {
    const std::string at = fmt::format("encoder.layer.{}.", i);
    builder.layer(fmt::format("layer {}", i));
    const auto head = [&](const char* which) {
      const std::string name = fmt::format("{}attention.self.{}", at, which);
      return split_heads(builder, builder.linear(name, x, kWidth), kHeads, name);
    };
    const Tensor q = head("query"), k = head("key"), v = head("value");
    Tensor y =
        builder.linear(at + "attention.output.dense", attend(builder, q, k, v, mask, at + "attention.self."), kWidth);
    x = builder.layer_norm(at + "attention.output.LayerNorm", g.add(y, x, at + "attention.output.add"), 1e-12f);
    y = g.op(Op::Gelu, {builder.linear(at + "intermediate.dense", x, kInner)}, {}, at + "intermediate.gelu");
    y = builder.linear(at + "output.dense", y, kWidth, true, 2);
    x = builder.layer_norm(at + "output.LayerNorm", g.add(y, x, at + "output.add"), 1e-12f);
  }
  builder.layer("pooler");
  const Tensor first = g.slice(x, 0, 0, 1, 1, "pooler.first");
  builder.output("pooler_output", g.op(Op::Tanh, {builder.linear("pooler.dense", first, kWidth)}, {}, "pooler.tanh"));
  builder.output("last_hidden_state", x);
  return builder.finish();
}

Result<Model> build_vit_b16(const OpenOptions&) {
  ModelBuilder builder("vit_b16");
  GraphBuilder& g = builder.g();
  constexpr int64_t kPatches = 196, kTokens = kPatches + 1;
  builder.layer("embeddings");
  const Tensor image = builder.input("input", {1, 3, 224, 224});
  Tensor x = builder.conv("conv_proj", image, kWidth, 16, 16, 0, 1, true, 1);
  x = g.transpose(g.reshape(x, {kWidth, kPatches}, "patches"), "patches_t");
  const Tensor parts[] = {builder.weight("class_token", {1, kWidth}, {-0.5, 0.5}), x};
  x = g.concat(parts, 0, "tokens");
  x = g.add(x, builder.weight("encoder.pos_embedding", {kTokens, kWidth}, {-0.1, 0.1}), "embedded");
  for (int i = 0; i < 12; ++i) {
    const std::string at = fmt::format("encoder.layers.{}.", i);
    builder.layer(fmt::format("layer {}", i));
    const Tensor packed =
        builder.linear(at + "self_attention.in_proj", builder.layer_norm(at + "ln_1", x, 1e-6f), 3 * kWidth);
    const auto head = [&](int which, const char* name) {
      return split_heads_of(builder, packed, which, kWidth, kHeads, at + "self_attention." + name);
    };
    const Tensor q = head(0, "q"), k = head(1, "k"), v = head(2, "v");
    Tensor y = attend(builder, q, k, v, {}, at + "self_attention.");
    x = g.add(builder.linear(at + "self_attention.out_proj", y, kWidth), x, at + "add_1");
    y = builder.linear(at + "mlp.0", builder.layer_norm(at + "ln_2", x, 1e-6f), kInner);
    y = builder.linear(at + "mlp.3", g.op(Op::Gelu, {y}, {}, at + "mlp.1"), kWidth, true, 2);
    x = g.add(y, x, at + "add_2");
  }
  builder.layer("head");
  x = builder.layer_norm("encoder.ln", x, 1e-6f);
  builder.output("logits", builder.linear("heads.head", g.slice(x, 0, 0, 1, 1, "class_row"), 1000));
  return builder.finish();
}

}  // namespace arenascope::models
