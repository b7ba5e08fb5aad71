// SPDX-License-Identifier: MIT
// ONNX's FlexAttention (preview): attention whose scores and probabilities go through graphs of the file's own.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <cmath>

namespace arenascope::models {
namespace {

// Applies the graph in an attribute, with one input and one output of the same shape, to `x`; unchanged if there is none.
Tensor through(OpCall& c, const char* attribute, const Tensor& x, DType computed) {
  const auto* a = c.attr(attribute);
  if (!x || !a) return x;
  if (!a->graph || a->graph->inputs.size() != 1 || a->graph->outputs.size() != 1) {
    c.fail(fmt::format("'{}' must be a graph with one input and one output", attribute));
    return {};
  }
  const std::string name = fmt::format(":{}", attribute);
  const Tensor given = c.cast(x, computed, (name + "_given").c_str());
  if (!given) return {};
  const ValuePtr source[] = {tensor_value(c.name_of((name + "_source").c_str()), given)};
  auto made = c.lowering().lower_subgraph(*a->graph, source);
  if (!made) {
    c.fail(made.error().message);
    return {};
  }
  Status status;
  const Tensor result = c.lowering().materialise(*(*made)[0], status);
  if (!status.ok()) c.fail(status.error().message);
  if (result && !(result.sizes() == x.sizes())) {
    c.fail(fmt::format("the graph '{}' gives {} for an input of {}: expected the same shape", attribute,
                       to_string(result.sizes()), to_string(x.sizes())));
    return {};
  }
  return result ? c.cast(result, DType::F32, (name + "_f32").c_str()) : Tensor();
}

void flex_attention(OpCall& c) {
  const Tensor q = c.in_f32(0), k = c.in_f32(1), v = c.in_f32(2);
  if (!q || !k || !v) return;
  if (q->rank() != 4 || k->rank() != 4 || v->rank() != 4)
    return c.fail("queries, keys and values must have 4 dimensions");
  const Dims &sq = q.sizes(), &sk = k.sizes(), &sv = v.sizes();
  const int64_t heads = sq[1], kv_heads = sk[1];
  if (kv_heads < 1 || heads % kv_heads != 0 || sk[0] != sq[0] || sv[0] != sq[0] || sv[1] != kv_heads ||
      sk[2] != sv[2] || sk[3] != sq[3] || sq[3] < 1)
    return c.fail(
        fmt::format("the queries {}, keys {} and values {} do not match", to_string(sq), to_string(sk), to_string(sv)));
  const auto width = static_cast<float>(sq[3]);
  const float scale = c.has_attr("scale") ? c.attr_float("scale", 1) : 1 / std::sqrt(width);
  const DType computed = c.value(0).dtype == DType::F64 ? DType::F64 : DType::F32;
  const int64_t groups = heads / kv_heads;
  // The heads of a group share keys and values.
  const Tensor queries = c.reshape(q, {sq[0], kv_heads, groups, sq[2], sq[3]}, ":q");
  const Tensor keys = c.reshape(k, {sk[0], kv_heads, 1, sk[2], sk[3]}, ":k");
  const Tensor values = c.op(Op::Transpose, {c.reshape(v, {sv[0], kv_heads, 1, sv[2], sv[3]}, ":v")}, ":v_turned");
  const Dims all{sq[0], heads, sq[2], sk[2]};
  Tensor scores = c.reshape(c.mul_mat(keys, queries, {}, scale, ":products"), all, ":scores");
  scores = through(c, "score_mod", scores, computed);
  if (!scores) return;
  Tensor shares = c.op_with(Op::SoftMax, {scores}, SoftMaxParams{3, 1}, ":shares");
  shares = through(c, "prob_mod", shares, computed);
  if (!shares) return;
  const Tensor grouped =
      c.reshape(c.op(Op::Cont, {shares}, ":shares_laid"), {sq[0], kv_heads, groups, sq[2], sk[2]}, ":shares_grouped");
  const Tensor y = c.mul_mat(values, grouped, {}, 1, ":mixed");
  if (y) c.out(0, c.cast(c.reshape(y, {sq[0], heads, sq[2], sv[3]}, ":y"), c.value(2).dtype));
}

constexpr HandlerEntry kFlexAttentionHandlers[] = {{"ai.onnx.preview::FlexAttention", flex_attention}};

}  // namespace

std::span<const HandlerEntry> flex_attention_handlers() { return kFlexAttentionHandlers; }

}  // namespace arenascope::models
