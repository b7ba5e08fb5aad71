// SPDX-License-Identifier: MIT
// ONNX's Attention and related operators of transformers.
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"

#include <cmath>
#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// The file's own mask as something to be added; keys that it does not reach are masked.
Tensor given_mask(OpCall& c, const AttentionCall& a) {
  Tensor mask = c.in(3);
  if (!mask) return {};
  mask = mask.dtype() == DType::Bool ? bias_of(c, mask, kNever, ":mask") : c.cast(mask, DType::F32, ":mask");
  if (!mask || mask->rank() < 1) return {};
  const int64_t missing = a.keys() - mask.sizes().back();
  if (missing <= 0 || mask.sizes().back() == 1) return mask;
  PadParams pad{};
  pad.mode = PadMode::Constant;
  pad.value = static_cast<float>(kNever);
  pad.end[mask->rank() - 1] = static_cast<int32_t>(missing);
  return c.op_with(Op::Pad, {mask}, pad, ":mask_padded");
}

bool read_attention(OpCall& c, AttentionCall& a) {
  const Tensor q = c.in(0), k = c.in(1), v = c.in(2);
  if (!q || !k || !v) return false;
  const int64_t heads = c.attr_int("q_num_heads", 0), kv_heads = c.attr_int("kv_num_heads", 0);
  if (q->rank() == 4 && c.opset() >= 25 && (heads != 0 || kv_heads != 0))
    c.fail("q_num_heads and kv_num_heads must be absent if the inputs have four dimensions");
  a.q = c.cast(by_heads(c, q, heads, ":q"), DType::F32, ":q_f32");
  a.k = by_heads(c, k, kv_heads, ":k");
  a.v = by_heads(c, v, kv_heads, ":v");
  if (c.has(4) != c.has(5)) c.fail("the past keys and past values must both be given or both be absent");
  if (c.has(4) && c.has(6)) c.fail("a past and a cache with given lengths exclude each other");
  if (!c.ok() || !a.q || !a.k || !a.v) return false;
  if (a.q->rank() != 4 || a.k->rank() != 4 || a.v->rank() != 4) c.fail("its inputs have no heads");
  if (c.ok() && c.has(4)) {
    const Tensor past_k = c.in(4), past_v = c.in(5);
    if (!past_k || !past_v) return false;
    a.offset = past_k->rank() == 4 ? past_k.sizes()[2] : 0;
    a.k = c.op_with(Op::Concat, {past_k, a.k}, AxisParams{2}, ":all_k");
    a.v = c.op_with(Op::Concat, {past_v, a.v}, AxisParams{2}, ":all_v");
  }
  if (!c.ok() || !a.k || !a.v) return false;
  if (c.has_output(1)) c.out(1, a.k);
  if (c.has_output(2)) c.out(2, a.v);
  a.k = c.cast(a.k, DType::F32, ":k_f32");
  a.v = c.cast(a.v, DType::F32, ":v_f32");
  if (c.has(3)) a.mask = given_mask(c, a);
  if (c.has(6)) a.used = c.in(6);
  a.causal = c.attr_int("is_causal", 0) != 0;
  a.left = c.attr_int("left_window_size", -1);
  a.right = c.attr_int("right_window_size", -1);
  a.softcap = c.attr_float("softcap", 0);
  a.mode = c.attr_int("qk_matmul_output_mode", 0);
  a.scale = c.attr_float("scale", 1 / std::sqrt(static_cast<float>(a.q.sizes()[3])));
  a.shows_scores = c.has_output(3);
  if (a.left < -1 || a.right < -1)
    c.fail(fmt::format("the window sizes {} and {} are invalid: expected at least -1", a.left, a.right));
  if (a.mode < 0 || a.mode > 3) c.fail(fmt::format("qk_matmul_output_mode is {}: expected 0 to 3", a.mode));
  return c.ok();
}

void attention(OpCall& c) {
  AttentionCall a;
  if (!read_attention(c, a)) return;
  Tensor shown;
  Tensor y = attend(c, a, shown);
  if (!y) return;
  const DType type = c.value(0).dtype;
  if (c.rank(0) == 3) y = heads_joined(c, y, type == DType::F32 ? "" : ":joined");
  c.out(0, c.cast(y, type));
  if (a.shows_scores) c.out(3, c.cast(shown, type, ":qk"));
}

// x·cos - partner·sin and x·sin + partner·cos over pairs of a head's first elements.
void rotary_embedding(OpCall& c) {
  const Tensor given = c.in(0);
  if (!given) return;
  const bool flat = given->rank() == 3;
  Tensor x = flat ? by_heads(c, given, c.attr_int("num_heads", 0), ":heads") : given;
  Tensor cosine = c.in(1), sine = c.in(2);
  if (!c.ok() || !x || !cosine || !sine || x->rank() != 4) return c.fail("its input has no heads");
  const Dims s = x.sizes();
  const int64_t asked = c.attr_int("rotary_embedding_dim", 0), width = asked == 0 ? s[3] : asked, half = width / 2;
  if (width < 2 || width > s[3] || width % 2 != 0)
    return c.fail(
        fmt::format("rotary_embedding_dim {} is invalid for heads of {} elements: expected an even number up to that",
                    width, s[3]));
  if (c.has(3)) {
    const Tensor indices = c.in(3);
    cosine = c.op_with(Op::Gather, {cosine, indices}, AxisParams{0}, ":cos");
    sine = c.op_with(Op::Gather, {sine, indices}, AxisParams{0}, ":sin");
  }
  if (!cosine || !sine) return;
  if (cosine->rank() != 3 || !(cosine.sizes() == Dims{s[0], s[2], half}) || !(sine.sizes() == cosine.sizes()))
    return c.fail(fmt::format("its angles have the shape {}: expected [{}, {}, {}]", to_string(cosine.sizes()), s[0],
                              s[2], half));
  cosine = c.reshape(cosine, {s[0], 1, s[2], half}, ":cos_all");
  sine = c.reshape(sine, {s[0], 1, s[2], half}, ":sin_all");
  const Tensor transposed = rotated(c, x, cosine, sine, c.attr_int("interleaved", 0) != 0, "");
  if (!transposed) return;
  c.out(0, flat ? heads_joined(c, transposed, "") : c.op(Op::Cont, {transposed}));
}

constexpr HandlerEntry kAttentionHandlers[] = {
    {"Attention", attention},
    {"RotaryEmbedding", rotary_embedding},
};

}  // namespace

std::span<const HandlerEntry> attention_handlers() { return kAttentionHandlers; }

}  // namespace arenascope::models
