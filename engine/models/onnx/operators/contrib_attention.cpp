// SPDX-License-Identifier: MIT
// ONNX Runtime's own attention without a cache that it keeps: queries, keys and values, or what they are projected from.
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"
#include "engine/models/onnx/operators/decompose.h"

#include <algorithm>
#include <cmath>

namespace arenascope::models {
namespace {

// The bias of the scores for a mask of one of these forms: [B] key ends, [2·B] ends and starts, [B, T], [B, S, T] or
// [B, 1, M, M], of which the rows after the past are used.
Tensor mask_of(OpCall& c, size_t i, const AttentionCall& a, double filter) {
  Tensor mask = c.in(i);
  if (!mask) return {};
  const int64_t batch = a.q.sizes()[0], queries = a.queries(), keys = a.keys();
  mask = c.cast(mask, DType::I64, ":mask_i64");
  const Dims s = mask.sizes();
  Tensor allowed;
  if (s == Dims{batch} || s == Dims{2 * batch}) {
    const Tensor key = counted_from(c, {keys}, 0, ":mask_key");
    const Tensor ends = c.reshape(c.slice(mask, 0, 0, batch, 1, ":ends"), {batch, 1, 1, 1}, ":end");
    allowed = c.op(Op::Less, {key, ends}, ":before_end");
    if (s[0] != batch) {
      const Tensor starts = c.reshape(c.slice(mask, 0, batch, 2 * batch, 1, ":starts"), {batch, 1, 1, 1}, ":start");
      allowed = c.op(Op::And, {allowed, c.op(Op::LessEqual, {starts, key}, ":after_start")}, ":between");
    }
    return bias_of(c, allowed, filter, ":mask");
  }
  if (s == Dims{batch, keys}) {
    mask = c.reshape(mask, {batch, 1, 1, keys}, ":mask_rows");
  } else if (s == Dims{batch, queries, keys}) {
    mask = c.reshape(mask, {batch, 1, queries, keys}, ":mask_rows");
  } else if (s.rank() == 4 && s[0] == batch && s[1] == 1 && s[2] >= a.offset + queries && s[3] >= keys) {
    mask = c.slice(c.slice(mask, 2, a.offset, a.offset + queries, 1, ":mask_queries"), 3, 0, keys, 1, ":mask_rows");
  } else {
    c.fail(fmt::format("its mask {} does not match {} sequences of {} queries and {} keys", to_string(s), batch,
                       queries, keys));
    return {};
  }
  allowed = c.op(Op::Greater, {mask, c.scalar(0, DType::I64, ":mask_zero")}, ":allowed");
  return bias_of(c, allowed, filter, ":mask");
}

// Input indices of masks and biases; -1: the operator has no such input.
struct MaskIndices {
  int mask = -1, bias = -1;
};

void add_masks(OpCall& c, const MaskIndices& indices, AttentionCall& a) {
  const auto filter = static_cast<double>(c.attr_float("mask_filter_value", -10000));
  const auto there = [&](int i) { return i >= 0 && c.has(static_cast<size_t>(i)); };
  if (there(indices.mask)) a.mask = mask_of(c, static_cast<size_t>(indices.mask), a, filter);
  a.open = std::isfinite(filter) && !there(indices.bias);
  if (!there(indices.bias)) return;
  const Tensor bias = c.cast(c.in(static_cast<size_t>(indices.bias)), DType::F32, ":bias_f32");
  a.mask = a.mask ? c.op(Op::Add, {a.mask, bias}, ":mask_and_bias") : bias;
}

float scale_of(OpCall& c, const Tensor& q) {
  const float specified = c.attr_float("scale", 0);
  return specified != 0.0f ? specified : 1 / std::sqrt(static_cast<float>(std::max<int64_t>(q.sizes().back(), 1)));
}

// Result 0, [B, S, H·Dv] in the type of the inputs; optionally the probabilities as result `shown`.
void give_attended(OpCall& c, AttentionCall& a, DType type, size_t shown) {
  if (!c.ok()) return;
  a.shows_scores = c.has_output(shown);
  a.mode = 3;
  Tensor scores;
  const Tensor y = attend(c, a, scores);
  c.out(0, c.cast(heads_joined(c, y, type == DType::F32 ? "" : ":joined"), type));
  if (a.shows_scores) c.out(shown, c.cast(scores, type, ":qk"));
}

// After what is past: [B, H, P, D] and [B, H, S, D].
Tensor after(OpCall& c, const Tensor& past, const Tensor& x, const char* suffix) {
  if (!past || !x) return {};
  if (past->rank() != 4) {
    c.fail(fmt::format("its past has the unsupported shape {}", to_string(past.sizes())));
    return {};
  }
  return past.sizes()[2] == 0 ? x : c.op_with(Op::Concat, {past, x}, AxisParams{2}, suffix);
}

// --- Queries, keys and values in one projection -----------------------------------------------------------------------

struct Projected {
  Tensor x;  // [B, S, Dq + Dk + Dv]
  size_t mask, past;
  int bias = -1;
};

void attend_projected(OpCall& c, const Projected& p) {
  const int64_t heads = c.attr_int("num_heads", 0);
  if (!p.x) return;
  if (p.x->rank() != 3 || heads < 1)
    return c.fail(fmt::format("{} heads do not match the input {}", heads, to_string(p.x.sizes())));
  if (c.attr_int("do_rotary", 0) != 0) return c.fail("do_rotary is not supported, as in ONNX Runtime on the CPU");
  std::vector<int64_t> widths = c.attr_ints("qkv_hidden_sizes");
  const int64_t width = p.x.sizes()[2];
  if (widths.empty()) widths = {width / 3, width / 3, width / 3};
  if (widths.size() != 3 || widths[0] < 1 || widths[0] != widths[1] || widths[2] < 1 || widths[0] > width ||
      widths[2] > width || widths[0] + widths[1] + widths[2] != width)
    return c.fail(fmt::format("{} cannot be split into queries, keys and values", width));
  AttentionCall a;
  const auto part = [&](int64_t from, int64_t to, const char* suffix) {
    return by_heads(c,
                    c.op(Op::Cont, {c.slice(p.x, 2, from, to, 1, fmt::format("{}_part", suffix).c_str())},
                         fmt::format("{}_laid", suffix).c_str()),
                    heads, suffix);
  };
  const Tensor q = part(0, widths[0], ":q");
  Tensor k = part(widths[0], 2 * widths[0], ":k"), v = part(2 * widths[0], width, ":v");
  if (!c.ok()) return;
  if (c.has(p.past)) {
    const Tensor past = c.in(p.past);
    if (!past || past->rank() != 5 || past.sizes()[0] != 2)
      return c.fail(fmt::format("its past has the shape {}: expected [2, B, H, L, D]", to_string(c.sizes(p.past))));
    const Dims s = past.sizes();
    if (c.attr_int("past_present_share_buffer", 0) != 0) return c.fail("past_present_share_buffer is not supported");
    const auto half = [&](int64_t i, const char* suffix) {
      return c.reshape(c.slice(past, 0, i, i + 1, 1, fmt::format("{}_slice", suffix).c_str()), {s[1], s[2], s[3], s[4]},
                       suffix);
    };
    a.offset = s[3];
    k = after(c, half(0, ":past_k"), k, ":all_k"), v = after(c, half(1, ":past_v"), v, ":all_v");
  }
  if (!k || !v) return;
  if (c.has_output(1)) {
    const auto one = [&](const Tensor& x, const char* suffix) {
      const Dims& s = x.sizes();
      return c.reshape(x, {1, s[0], s[1], s[2], s[3]}, suffix);
    };
    if (!(k.sizes() == v.sizes()))
      return c.fail(fmt::format("K and V must have equal shapes for the output 'present': found {} and {}",
                                to_string(k.sizes()), to_string(v.sizes())));
    c.out(1, c.op_with(Op::Concat, {one(k, ":present_k"), one(v, ":present_v")}, AxisParams{0}, ":present"));
  }
  const DType type = p.x.dtype();
  a.q = c.cast(q, DType::F32, ":q_f32"), a.k = c.cast(k, DType::F32, ":k_f32"), a.v = c.cast(v, DType::F32, ":v_f32");
  a.causal = c.attr_int("unidirectional", 0) != 0;
  a.scale = scale_of(c, a.q);
  add_masks(c, {static_cast<int>(p.mask), p.bias}, a);
  give_attended(c, a, type, 99);
}

void projected_attention(OpCall& c) {
  Tensor x = lower_part(c, {"MatMul", {source_of(c, 0), source_of(c, 1)}, {}, ":projected"});
  if (c.has(2)) x = c.op(Op::Add, {x, c.in(2)}, ":qkv");
  attend_projected(c, {x, 3, 4, 5});
}

void q_attention(OpCall& c) {
  const Tensor product = lower_part(
      c, {"MatMulInteger", {source_of(c, 0), source_of(c, 1), source_of(c, 6), source_of(c, 7)}, {}, ":product"});
  const Tensor scale = c.op(Op::Mul, {c.reshape(c.in_f32(3), {}, ":input_scale"), c.in_f32(4)}, ":scales");
  Tensor x = c.op(Op::Mul, {c.cast(product, DType::F32, ":product_f32"), scale}, ":scaled");
  if (c.has(2)) x = c.op(Op::Add, {x, c.in_f32(2)}, ":qkv");
  attend_projected(c, {x, 5, 8});
}

// --- Queries, keys and values as inputs ----------------------------------------------------------------------------

// Where an operator has its inputs.
struct IndexTable {
  size_t bias, mask, added, past_k, past_v, past_length, beams, indirection;
};
constexpr IndexTable kMultiHead{3, 4, 5, 6, 7, 8, 99, 9}, kDecoder{10, 3, 4, 5, 6, 7, 8, 9};

struct Sources {
  Tensor q, k, v;  // [B, S, H·D]; k and v may instead be 4-D, with a separate head dimension
};

// [B, L, H, n, D]: the i-th of n, as [B, L, H·D].
Tensor of_packed(OpCall& c, const Tensor& x, int64_t i, const char* suffix) {
  const Dims s = x.sizes();
  const Tensor one = c.op(Op::Cont, {c.slice(x, 3, i, i + 1, 1, fmt::format("{}_slice", suffix).c_str())},
                          fmt::format("{}_laid", suffix).c_str());
  return c.reshape(one, {s[0], s[1], s[2] * s[4]}, suffix);
}

Sources unpacked(OpCall& c, const IndexTable& indices) {
  const Tensor q = c.in(0);
  if (!q) return {};
  if (q->rank() == 5 && q.sizes()[3] == 3)
    return {of_packed(c, q, 0, ":q_3d"), of_packed(c, q, 1, ":k_3d"), of_packed(c, q, 2, ":v_3d")};
  if (q->rank() != 3) {
    c.fail(fmt::format("its queries have the shape {}: expected [B, S, H·D]", to_string(q.sizes())));
    return {};
  }
  if (!c.has(1)) {  // a decoder's: all three concatenated
    const int64_t each = q.sizes()[2] / 3;
    const auto part = [&](int64_t i, const char* suffix) {
      return c.op(Op::Cont, {c.slice(q, 2, i * each, (i + 1) * each, 1, fmt::format("{}_part", suffix).c_str())},
                  suffix);
    };
    if (indices.bias == kMultiHead.bias || q.sizes()[2] % 3 != 0) c.fail("it has no keys");
    return c.ok() ? Sources{part(0, ":q_3d"), part(1, ":k_3d"), part(2, ":v_3d")} : Sources{};
  }
  const Tensor k = c.in(1);
  if (!k) return {};
  if (k->rank() == 5 && k.sizes()[3] == 2) return {q, of_packed(c, k, 0, ":k_3d"), of_packed(c, k, 1, ":v_3d")};
  return {q, k, c.in(2)};
}

void add_bias(OpCall& c, const IndexTable& indices, Sources& s) {
  const Tensor bias = c.in(indices.bias);
  if (!bias || !s.q || !s.k || !s.v) return;
  const int64_t wq = s.q.sizes().back(), wk = s.k->rank() == 3 ? s.k.sizes()[2] : wq;
  const int64_t wv = s.v->rank() == 3 ? s.v.sizes()[2] : bias->element_count() - wq - wk;
  if (bias->rank() != 1 || bias->element_count() != wq + wk + wv)
    return c.fail(fmt::format("its bias has {} numbers", bias->element_count()));
  s.q = c.op(Op::Add, {s.q, c.slice(bias, 0, 0, wq, 1, ":q_bias")}, ":q_biased");
  if (s.k->rank() == 3) s.k = c.op(Op::Add, {s.k, c.slice(bias, 0, wq, wq + wk, 1, ":k_bias")}, ":k_biased");
  if (s.v->rank() == 3) s.v = c.op(Op::Add, {s.v, c.slice(bias, 0, wq + wk, wq + wk + wv, 1, ":v_bias")}, ":v_biased");
}

// Appends keys and values to their past, which are also results. A past that shares its buffer with the present has the
// capacity of both; its used length is an input.
void take_past(OpCall& c, const IndexTable& indices, AttentionCall& a) {
  int64_t shared = -1;
  if (c.has(indices.past_length) &&
      (indices.past_k == kMultiHead.past_k || c.attr_int("past_present_share_buffer", 0) != 0)) {
    const auto specified = c.ints(indices.past_length);
    if (!specified || specified->size() != 1) return c.fail("its past has no length");
    shared = specified->front();
  }
  const auto all_of = [&](size_t i, Tensor x, size_t result, const char* suffix) -> Tensor {
    const Tensor past = c.in(i);
    if (!past || !x) return {};
    if (past->rank() != 4 || (shared >= 0 && shared > past.sizes()[2] - x.sizes()[2])) {
      c.fail(fmt::format("its past has the shape {}: expected [B, H, capacity, D]", to_string(past.sizes())));
      return {};
    }
    const std::string at = suffix;
    const int64_t room = past.sizes()[2], used = shared < 0 ? room : shared, all = used + x.sizes()[2];
    a.offset = used;
    const Tensor before = used == room ? past : c.slice(past, 2, 0, used, 1, (at + "_past").c_str());
    const Tensor kept = after(c, before, x, suffix);
    if (c.has_output(result))
      c.out(result, shared < 0 || all == room
                        ? kept
                        : c.op_with(Op::Concat, {kept, c.slice(past, 2, all, room, 1, (at + "_room").c_str())},
                                    AxisParams{2}, (at + "_present").c_str()));
    if (!c.has(indices.indirection) || !c.ok()) return kept;
    const std::string seen = at + "_of_beams";
    return after(c, of_beams(c, before, c.in(indices.indirection), seen.c_str()), x, (seen + "_all").c_str());
  };
  a.k = all_of(indices.past_k, a.k, 1, ":all_k");
  a.v = all_of(indices.past_v, a.v, 2, ":all_v");
}

void multi_head(OpCall& c, const IndexTable& indices) {
  if (c.has(indices.beams) && !c.has(indices.indirection)) {
    const auto beams = c.ints(indices.beams);
    if (!beams || beams->size() != 1 || beams->front() > 1)
      return c.fail("beam_width must be 1 without cache_indirection");
  }
  const int64_t heads = c.attr_int("num_heads", 0);
  Sources s = unpacked(c, indices);
  if (c.has(indices.bias)) add_bias(c, indices, s);
  if (!c.ok() || !s.q || !s.k || !s.v) return;
  const DType type = s.q.dtype();
  AttentionCall a;
  a.q = c.cast(by_heads(c, s.q, heads, ":q"), DType::F32, ":q_f32");
  a.k = by_heads(c, s.k, heads, ":k"), a.v = by_heads(c, s.v, heads, ":v");
  if (!c.ok() || !a.q || !a.k || !a.v) return;
  if (a.k->rank() != 4 || a.v->rank() != 4 || a.k.sizes()[2] != a.v.sizes()[2] || a.k.sizes()[3] != a.q.sizes()[3])
    return c.fail(fmt::format("its keys {} and values {} do not match the queries {}", to_string(a.k.sizes()),
                              to_string(a.v.sizes()), to_string(a.q.sizes())));
  if (c.has(indices.past_k) != c.has(indices.past_v))
    return c.fail("the past keys and past values must both be given or both be absent");
  if (c.has(indices.past_k))
    take_past(c, indices, a);
  else if (c.has_output(1))
    c.out(1, c.op(Op::Cont, {a.k}, ":present_k")), c.out(2, c.op(Op::Cont, {a.v}, ":present_v"));
  if (!c.ok() || !a.k || !a.v) return;
  a.k = c.cast(a.k, DType::F32, ":k_f32"), a.v = c.cast(a.v, DType::F32, ":v_f32");
  a.causal = c.attr_int("unidirectional", 0) != 0;
  a.scale = scale_of(c, a.q);
  add_masks(c, {static_cast<int>(indices.mask), static_cast<int>(indices.added)}, a);
  give_attended(c, a, type, 3);
}

// --- Angles --------------------------------------------------------------------------------------------------------

// Position ids as given, or one start position for all sequences.
void rotary_contrib(OpCall& c) {
  const Tensor x = c.in(0), indices = c.in(1);
  if (!x || !indices) return;
  const bool flat = x->rank() == 3;
  if ((!flat && x->rank() != 4) || c.rank(2) != 2)
    return c.fail(
        fmt::format("its input {} does not match the cosine table {}", to_string(x.sizes()), to_string(c.sizes(2))));
  const int64_t batch = x.sizes()[0], steps = x.sizes()[flat ? 1 : 2];
  int64_t heads = c.attr_int("num_heads", 0), width = c.attr_int("rotary_embedding_dim", 0);
  const int64_t transposed = 2 * c.sizes(2)[1];
  if (flat && heads == 0) {
    if (transposed < 2 || x.sizes()[2] % transposed != 0)
      return c.fail(fmt::format("the last dimension is not a multiple of the head size {}", transposed));
    heads = x.sizes()[2] / transposed;
  }
  if (width == 0) width = transposed;
  ValuePtr at = source_of(c, 1);
  if (indices->element_count() == 1 && !(indices.sizes() == Dims{batch, steps})) {
    const Tensor first = c.reshape(c.cast(indices, DType::I64, ":first_i64"), {1, 1}, ":first");
    at = as_source(c, c.expand(c.op(Op::Add, {first, counted_from(c, {1, steps}, 0, ":steps")}, ":places_row"),
                               {batch, steps}, ":places"));
  }
  c.out(0, lower_part(c, {"RotaryEmbedding",
                          {source_of(c, 0), source_of(c, 2), source_of(c, 3), at},
                          {{"interleaved", int_attribute(c.attr_int("interleaved", 0))},
                           {"num_heads", int_attribute(heads)},
                           {"rotary_embedding_dim", int_attribute(width)}}}));
}

// The position id that rotates each pair of elements: 0 time, 1 row, 2 column. Empty, with an error, if the sections do
// not add up.
std::vector<int64_t> streams_of_pairs(OpCall& c, int64_t pairs) {
  const std::vector<int64_t> section = c.attr_ints("mrope_section");
  std::vector<int64_t> out;
  if (section.size() != 3 || *std::min_element(section.begin(), section.end()) < 0 ||
      *std::max_element(section.begin(), section.end()) > pairs || section[0] + section[1] + section[2] != pairs)
    return c.fail(fmt::format("the elements of mrope_section must be non-negative and sum to {}", pairs)), out;
  const bool interleaved = c.attr_int("mrope_layout", 0) != 0;
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t turn = i % 3;
    if (interleaved)
      out.push_back(turn > 0 && i < 3 * section[static_cast<size_t>(turn)] ? turn : 0);
    else
      out.push_back(i < section[0] ? 0 : i < section[0] + section[1] ? 1 : 2);
  }
  return out;
}

// Angles from positions in time, height and width, each for its pairs.
void rotary_of_images(OpCall& c) {
  const Tensor x = c.in(0), indices = c.in(1);
  if (!x || !indices) return;
  if (indices->rank() != 3 || indices.sizes()[0] != 3 || c.rank(2) != 2 || !(c.sizes(2) == c.sizes(3)))
    return c.fail(fmt::format("its position ids {} do not match the cosine table {}", to_string(indices.sizes()),
                              to_string(c.sizes(2))));
  const int64_t pairs = c.sizes(2)[1], batch = indices.sizes()[1], steps = indices.sizes()[2];
  const std::vector<int64_t> streams = streams_of_pairs(c, pairs);
  if (!c.ok()) return;
  const float scale = c.attr_float("scale", 1);
  const auto angles = [&](size_t source, const std::string& at) {
    Tensor table = c.in(source);
    if (!table) return ValuePtr();
    if (scale != 1.0F) table = c.op_with(Op::Scale, {table}, ScaleParams{scale, 0}, (at + "_scaled").c_str());
    const Tensor all =
        c.op_with(Op::Gather, {table, indices}, AxisParams{0}, (at + "_all").c_str());  // [3, B, S, pairs]
    HostArray which = HostArray::of(streams);
    which.sizes = {1, 1, 1, pairs};
    const Tensor one = c.op_with(Op::GatherElements,
                                 {all, c.expand(c.constant(std::move(which), (at + "_streams").c_str()),
                                                {1, batch, steps, pairs}, (at + "_each").c_str())},
                                 AxisParams{0}, (at + "_chosen").c_str());
    return as_source(c, c.reshape(one, {batch, steps, pairs}, at.c_str()));
  };
  const ValuePtr cosine = angles(2, ":cos"), sine = angles(3, ":sin");
  int64_t heads = c.attr_int("num_heads", 0), width = c.attr_int("rotary_embedding_dim", 0);
  if (x->rank() == 3 && heads == 0) {
    if (pairs < 1 || x.sizes()[2] % (2 * pairs) != 0)
      return c.fail(fmt::format("the last dimension is not a multiple of the head size {}", 2 * pairs));
    heads = x.sizes()[2] / (2 * pairs);
  }
  if (width == 0) width = 2 * pairs;
  if (!c.ok()) return;
  c.out(0, lower_part(c, {"RotaryEmbedding",
                          {source_of(c, 0), cosine, sine},
                          {{"interleaved", int_attribute(c.attr_int("interleaved", 0))},
                           {"num_heads", int_attribute(heads)},
                           {"rotary_embedding_dim", int_attribute(width)}}}));
}

constexpr HandlerEntry kContribAttention[] = {
    {"com.microsoft::Attention", projected_attention},
    {"com.microsoft::DecoderMaskedMultiHeadAttention", [](OpCall& c) { multi_head(c, kDecoder); }},
    {"com.microsoft::MRotaryEmbedding", rotary_of_images},
    {"com.microsoft::MultiHeadAttention", [](OpCall& c) { multi_head(c, kMultiHead); }},
    {"com.microsoft::QAttention", q_attention},
    {"com.microsoft::RotaryEmbedding", rotary_contrib},
};

}  // namespace

std::span<const HandlerEntry> contrib_attention_handlers() { return kContribAttention; }

}  // namespace arenascope::models
