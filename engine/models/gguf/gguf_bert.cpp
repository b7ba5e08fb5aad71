// SPDX-License-Identifier: MIT
// BERT (Devlin 2018) of GGUF files: what a text means, as numbers. It writes no text.
#include <fmt/format.h>

#include "engine/models/gguf/gguf_builder.h"
#include "engine/models/zoo/zoo_attention.h"

namespace arenascope::models {
namespace {

// The pooling types of the file that are supported.
enum class Pooling : int64_t { None, Mean, First };

Tensor pooled(GraphBuilder& g, const Tensor& rows, Pooling pooling) {
  if (pooling == Pooling::First) return g.slice(rows, 0, 0, 1);
  return g.reduce(Op::ReduceMean, rows, {0}, true);
}

}  // namespace

Result<Model> build_gguf_bert(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options) {
  auto t = read_transformer(file, "bert", ".attention.layer_norm_epsilon");
  if (!t) return t.error();
  auto kind = gguf_count(file, "bert.pooling_type", 0, 2, 0);
  if (!kind) return kind.error();
  const int64_t tokens = options.tokens > 0 ? options.tokens : std::min<int64_t>(t->context, 128);
  if (tokens > t->context) return Error{fmt::format("{} tokens exceed the maximum of {}", tokens, t->context)};
  GraphBuilder& g = builder.g();
  builder.layer("inputs");
  const Tensor ids = builder.input("token_ids", {tokens}, {0, static_cast<double>(t->vocabulary)}, DType::I64);
  const Tensor positions = builder.input("positions", {tokens}, DType::I64, positions_writer(0, tokens));
  const auto rows_of = [&](const char* name, int64_t rows, const Tensor& which) {
    const Tensor taken = g.op_with(Op::Gather, {builder.weight(name, {rows, t->width}, {}), which}, AxisParams{0});
    return taken && taken.dtype() != DType::F32 ? g.op_with(Op::Cast, {taken}, CastParams{DType::F32}) : taken;
  };
  Tensor x = g.add(rows_of("token_embd.weight", t->vocabulary, ids),
                   rows_of("position_embd.weight", t->context, positions), "embedded");
  if (const StoredTensor* types = file.find_tensor("token_types.weight")) {
    const int64_t count = types->sizes.rank() == 2 ? types->sizes[0] : 1;
    const Tensor first = g.op_with(Op::Fill, {}, FillParams{{1}, DType::I64, 0, 0});
    x = g.add(x, rows_of("token_types.weight", count, first), "embedded_typed");
  }
  x = builder.layer_norm("token_embd_norm", x, t->epsilon);
  for (int64_t i = 0; i < t->layers; ++i) {
    const std::string at = fmt::format("blk.{}.", i);
    builder.layer(fmt::format("layer {}", i));
    const auto part = [&](const char* name) {
      return split_heads(builder, builder.linear(at + name, x, t->width), t->heads, at + name);
    };
    const Tensor q = part("attn_q"), k = part("attn_k"), v = part("attn_v");
    x = g.add(x, builder.linear(at + "attn_output", attend(builder, q, k, v, {}, at), t->width), at + "attn_add");
    x = builder.layer_norm(at + "attn_output_norm", x, t->epsilon);
    const Tensor y = g.op(Op::Gelu, {builder.linear(at + "ffn_up", x, t->inner)}, {}, at + "ffn_gelu");
    x = g.add(x, builder.linear(at + "ffn_down", y, t->width), at + "ffn_add");
    x = builder.layer_norm(at + "layer_output_norm", x, t->epsilon);
  }
  builder.layer("output");
  builder.output("embeddings", x);
  const auto pooling = static_cast<Pooling>(*kind);
  if (pooling != Pooling::None) builder.output("embedding", pooled(g, x, pooling));
  return builder.finish();
}

}  // namespace arenascope::models
