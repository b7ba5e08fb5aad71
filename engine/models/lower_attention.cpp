// SPDX-License-Identifier: MIT
// ONNX's Attention and what stands around it in transformers.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <cmath>
#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr int kHeadsSecond[] = {0, 2, 1, 3};

Tensor range(OpCall& c, const Dims& sizes, int64_t start, const char* suffix) {
  OpParams bytes;
  bytes.set(FillParams{sizes, DType::I64, static_cast<double>(start), 1});
  return c.apply(Op::Arange, std::span<const Tensor>{}, bytes, suffix);
}

// [B, S, H·D] as [B, H, S, D]; four dimensions stay as they are.
Tensor by_heads(OpCall& c, const Tensor& x, int64_t heads, const char* suffix) {
  if (!x || x->rank() == 4) return x;
  if (x->rank() != 3 || heads < 1 || x.sizes()[2] % heads != 0) {
    c.refuse(fmt::format("{} are not {} heads", to_string(x.sizes()), heads));
    return {};
  }
  const Tensor split =
      c.reshape(x, {x.sizes()[0], x.sizes()[1], heads, x.sizes()[2] / heads}, fmt::format("{}_split", suffix).c_str());
  return c.permute(split, kHeadsSecond, suffix);
}

// What a call asks for, as f32 tensors [B, H, S, D].
struct AttentionCall {
  Tensor q, k, v;
  int64_t offset = 0;  // of the first query among the keys
  bool causal = false;
  int64_t left = -1, right = -1;  // of the window; -1: to the end
  float scale = 1, softcap = 0;
  int64_t mode = 0;
  bool shows_scores = false;

  int64_t queries() const { return q.sizes()[2]; }
  int64_t keys() const { return k.sizes()[2]; }
};

// 0 where `allowed`, else minus infinity.
Tensor bias_of(OpCall& c, const Tensor& allowed, const char* suffix) {
  const std::string at = suffix;
  return c.op(Op::Where,
              {allowed, c.scalar(0, DType::F32, (at + "_zero").c_str()),
               c.scalar(kMinusInfinity, DType::F32, (at + "_never").c_str())},
              suffix);
}

Tensor sum_of(OpCall& c, const Tensor& a, const Tensor& b, const char* suffix) {
  return !a ? b : !b ? a : c.op(Op::Add, {a, b}, suffix);
}

// The file's own mask as something to be added; keys that it does not reach are masked.
Tensor given_mask(OpCall& c, const AttentionCall& a) {
  Tensor mask = c.in(3);
  if (!mask) return {};
  mask = mask.dtype() == DType::Bool ? bias_of(c, mask, ":mask") : c.cast(mask, DType::F32, ":mask");
  if (!mask || mask->rank() < 1) return {};
  const int64_t missing = a.keys() - mask.sizes().back();
  if (missing <= 0 || mask.sizes().back() == 1) return mask;
  PadParams pad{};
  pad.mode = PadMode::Constant;
  pad.value = static_cast<float>(kMinusInfinity);
  pad.end[mask->rank() - 1] = static_cast<int32_t>(missing);
  return c.op_with(Op::Pad, {mask}, pad, ":mask_padded");
}

// What is added to the scores, or undefined: the mask, what lies behind a query, outside of its window, or in padding.
Tensor bias(OpCall& c, const AttentionCall& a) {
  Tensor out = c.has(3) ? given_mask(c, a) : Tensor();
  const bool window = a.left >= 0 || a.right >= 0;
  const Tensor used = c.has(6) ? c.reshape(c.in(6), {a.q.sizes()[0], 1, 1, 1}, ":used") : Tensor();
  if (!a.causal && !window && !used) return out;
  const Tensor keys = range(c, {a.keys()}, 0, ":key");
  if (a.causal || window) {
    // Where each query stands among the keys; with a cache of given length it is the last of what is used.
    Tensor queries = range(c, {a.queries(), 1}, used ? -a.queries() : a.offset, ":query");
    if (used) queries = c.op(Op::Add, {queries, used}, ":query_at");
    const auto limited = [&](const Tensor& low, const Tensor& high, const char* suffix) {
      const std::string at = suffix;
      out = sum_of(c, out, bias_of(c, c.op(Op::LessEqual, {low, high}, (at + "_allowed").c_str()), suffix),
                   (at + "_masked").c_str());
    };
    const auto shifted = [&](int64_t by, const char* suffix) {
      return c.op(Op::Add,
                  {queries, c.scalar(static_cast<double>(by), DType::I64, (std::string(suffix) + "_by").c_str())},
                  suffix);
    };
    if (a.causal) limited(keys, queries, ":causal");
    if (a.left >= 0) limited(shifted(-a.left, ":left_end"), keys, ":left");
    if (a.right >= 0) limited(keys, shifted(a.right, ":right_end"), ":right");
  }
  if (used) out = sum_of(c, out, bias_of(c, c.op(Op::Less, {keys, used}, ":in_use"), ":padding"), ":padded");
  return out;
}

// The rows of `bias` that allow no key, [.., T, 1].
Tensor closed_rows(OpCall& c, const Tensor& bias) {
  const Tensor most = c.op_with(Op::ReduceMax, {bias}, ReduceParams{1u << (bias->rank() - 1), true}, ":most_allowed");
  return c.op(Op::Equal, {most, c.scalar(kMinusInfinity, DType::F32, ":nothing")}, ":closed");
}

Tensor zero_where(OpCall& c, const Tensor& closed, const Tensor& x, const char* suffix) {
  return c.op(Op::Where, {closed, c.scalar(0, DType::F32, (std::string(suffix) + "_zero").c_str()), x}, suffix);
}

// Keys and values for each query's head.
Tensor repeated(OpCall& c, const Tensor& x, int64_t times, const char* suffix) {
  if (!x || times == 1) return x;
  const Dims& s = x.sizes();
  const std::string at = suffix;
  const Tensor all = c.expand(c.reshape(x, {s[0], s[1], 1, s[2], s[3]}, (at + "_grouped").c_str()),
                              {s[0], s[1], times, s[2], s[3]}, (at + "_repeated").c_str());
  return c.reshape(all, {s[0], s[1] * times, s[2], s[3]}, suffix);
}

// Step by step, where the scores are asked for or capped.
Tensor spelled_out(OpCall& c, const AttentionCall& a, const Tensor& bias, Tensor& shown) {
  const int64_t times = a.q.sizes()[1] / a.k.sizes()[1];
  const Tensor k = repeated(c, a.k, times, ":keys"), v = repeated(c, a.v, times, ":values");
  Tensor scores = c.mul_mat(k, a.q, {}, a.scale, ":scores");
  shown = scores;
  if (a.softcap > 0) {
    const Tensor inner = c.op_with(Op::Scale, {scores}, ScaleParams{1 / a.softcap, 0}, ":below_cap");
    scores = c.op_with(Op::Scale, {c.op(Op::Tanh, {inner}, ":bent")}, ScaleParams{a.softcap, 0}, ":capped");
    if (a.mode == 1) shown = scores;
  }
  scores = sum_of(c, scores, bias, ":biased");
  if (a.mode == 2) shown = scores;
  if (!scores) return {};
  Tensor shares = c.op_with(Op::SoftMax, {scores}, SoftMaxParams{3, 1}, ":shares");
  if (bias) shares = zero_where(c, closed_rows(c, bias), shares, ":open_shares");
  if (a.mode == 3) shown = shares;
  return v ? c.mul_mat(c.op(Op::Transpose, {v}, ":values_t"), shares, {}, 1, ":heads") : Tensor();
}

Tensor at_once(OpCall& c, const AttentionCall& a, const Tensor& bias) {
  if (!bias) return c.op_with(Op::Attention, {a.q, a.k, a.v}, AttentionParams{a.scale, false}, ":heads");
  const Tensor y = c.op_with(Op::Attention, {a.q, a.k, a.v, bias}, AttentionParams{a.scale, false}, ":attended");
  return zero_where(c, closed_rows(c, bias), y, ":heads");
}

bool read(OpCall& c, AttentionCall& a) {
  const Tensor q = c.in(0), k = c.in(1), v = c.in(2);
  if (!q || !k || !v) return false;
  const int64_t heads = c.attr_int("q_num_heads", 0), kv_heads = c.attr_int("kv_num_heads", 0);
  if (q->rank() == 4 && c.opset() >= 25 && (heads != 0 || kv_heads != 0))
    c.refuse("heads are told of sources that have them as a dimension");
  a.q = c.cast(by_heads(c, q, heads, ":q"), DType::F32, ":q_f32");
  a.k = by_heads(c, k, kv_heads, ":k");
  a.v = by_heads(c, v, kv_heads, ":v");
  if (c.has(4) != c.has(5)) c.refuse("a past of keys goes with one of values");
  if (c.has(4) && c.has(6)) c.refuse("it has a past and a cache of given length");
  if (!c.ok() || !a.q || !a.k || !a.v) return false;
  if (a.q->rank() != 4 || a.k->rank() != 4 || a.v->rank() != 4) c.refuse("its sources have no heads");
  if (c.ok() && c.has(4)) {
    const Tensor past_k = c.in(4), past_v = c.in(5);
    if (!past_k || !past_v) return false;
    a.offset = past_k->rank() == 4 ? past_k.sizes()[2] : 0;
    a.k = c.op_with(Op::Concat, {past_k, a.k}, AxisParams{2}, ":all_k");
    a.v = c.op_with(Op::Concat, {past_v, a.v}, AxisParams{2}, ":all_v");
  }
  if (!c.ok() || !a.k || !a.v) return false;
  if (c.wants(1)) c.out(1, a.k);
  if (c.wants(2)) c.out(2, a.v);
  a.k = c.cast(a.k, DType::F32, ":k_f32");
  a.v = c.cast(a.v, DType::F32, ":v_f32");
  if (a.k.sizes()[1] < 1 || a.q.sizes()[1] % a.k.sizes()[1] != 0 || a.v.sizes()[1] != a.k.sizes()[1])
    c.refuse(fmt::format("{} heads over {}", a.q.sizes()[1], a.k.sizes()[1]));
  a.causal = c.attr_int("is_causal", 0) != 0;
  a.left = c.attr_int("left_window_size", -1);
  a.right = c.attr_int("right_window_size", -1);
  a.softcap = c.attr_float("softcap", 0);
  a.mode = c.attr_int("qk_matmul_output_mode", 0);
  a.scale = c.attr_float("scale", 1 / std::sqrt(static_cast<float>(a.q.sizes()[3])));
  a.shows_scores = c.wants(3);
  if (a.left < -1 || a.right < -1) c.refuse(fmt::format("a window from -{} to {}", a.left, a.right));
  if (a.mode < 0 || a.mode > 3) c.refuse(fmt::format("scores of mode {}", a.mode));
  return c.ok();
}

void attention(OpCall& c) {
  AttentionCall a;
  if (!read(c, a)) return;
  Tensor shown;
  // Without a mask, what lies behind the last key needs none either.
  const bool plain = !c.has(3) && !c.has(6) && a.left < 0 && a.right < 0 && a.softcap == 0.0f && !a.shows_scores;
  Tensor y;
  if (plain && a.causal && a.keys() - a.queries() == a.offset) {
    y = c.op_with(Op::Attention, {a.q, a.k, a.v}, AttentionParams{a.scale, true}, ":heads");
  } else {
    const Tensor added = bias(c, a);
    if (!c.ok()) return;
    y = a.shows_scores || a.softcap != 0.0f ? spelled_out(c, a, added, shown) : at_once(c, a, added);
  }
  if (!y) return;
  const DType type = c.value(0).dtype;
  if (c.rank(0) == 3) {
    const Dims s = y.sizes();
    y = c.reshape(c.permute(y, kHeadsSecond, ":by_place"), {s[0], s[2], s[1] * s[3]},
                  type == DType::F32 ? "" : ":joined");
  }
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
  if (!c.ok() || !x || !cosine || !sine || x->rank() != 4) return c.refuse("its source has no heads");
  const Dims s = x.sizes();
  const int64_t asked = c.attr_int("rotary_embedding_dim", 0), width = asked == 0 ? s[3] : asked, half = width / 2;
  if (width < 2 || width > s[3] || width % 2 != 0) return c.refuse(fmt::format("{} of {} elements turn", width, s[3]));
  if (c.has(3)) {
    const Tensor places = c.in(3);
    cosine = c.op_with(Op::Gather, {cosine, places}, AxisParams{0}, ":cos");
    sine = c.op_with(Op::Gather, {sine, places}, AxisParams{0}, ":sin");
  }
  if (!cosine || !sine) return;
  if (cosine->rank() != 3 || !(cosine.sizes() == Dims{s[0], s[2], half}) || !(sine.sizes() == cosine.sizes()))
    return c.refuse(fmt::format("its angles {} do not fit {}", to_string(cosine.sizes()), to_string(s)));
  cosine = c.reshape(cosine, {s[0], 1, s[2], half}, ":cos_all");
  sine = c.reshape(sine, {s[0], 1, s[2], half}, ":sin_all");
  const bool pairs = c.attr_int("interleaved", 0) != 0;
  const Tensor first = pairs ? c.slice(x, 3, 0, width, 2, ":first") : c.slice(x, 3, 0, half, 1, ":first");
  const Tensor second = pairs ? c.slice(x, 3, 1, width, 2, ":second") : c.slice(x, 3, half, width, 1, ":second");
  const Tensor real =
      c.op(Op::Sub, {c.op(Op::Mul, {first, cosine}, ":fc"), c.op(Op::Mul, {second, sine}, ":ss")}, ":real");
  const Tensor other =
      c.op(Op::Add, {c.op(Op::Mul, {first, sine}, ":fs"), c.op(Op::Mul, {second, cosine}, ":sc")}, ":other");
  if (!real || !other) return;
  Tensor turned;
  if (pairs) {
    const Dims each = {s[0], s[1], s[2], half, 1};
    const Tensor both =
        c.op_with(Op::Concat, {c.reshape(real, each, ":real_each"), c.reshape(other, each, ":other_each")},
                  AxisParams{4}, ":both");
    turned = c.reshape(both, {s[0], s[1], s[2], width}, ":turned");
  } else {
    turned = c.op_with(Op::Concat, {real, other}, AxisParams{3}, ":turned");
  }
  if (width < s[3])
    turned = c.op_with(Op::Concat, {turned, c.slice(x, 3, width, s[3], 1, ":rest")}, AxisParams{3}, ":whole");
  if (!turned) return;
  if (!flat) return c.out(0, c.op(Op::Cont, {turned}));
  c.out(0, c.reshape(c.permute(turned, kHeadsSecond, ":by_place"), given.sizes()));
}

constexpr HandlerEntry kAttentionHandlers[] = {
    {"Attention", attention},
    {"RotaryEmbedding", rotary_embedding},
};

}  // namespace

std::span<const HandlerEntry> attention_handlers() { return kAttentionHandlers; }

}  // namespace arenascope::models
