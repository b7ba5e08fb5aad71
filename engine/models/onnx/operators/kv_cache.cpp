// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/kv_cache.h"
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"

#include <algorithm>

namespace arenascope::models {
namespace {

bool refused(OpCall& c, std::string why) {
  c.fail(std::move(why));
  return false;
}

// Gathers the rows of each sequence if the sequences have different past lengths.
Tensor placed(OpCall& c, const CacheUse& use, const Tensor& cache, const Tensor& x, size_t result,
              const std::string& at) {
  const auto name = [&](const char* what) { return at + what; };
  const auto number = [&](int64_t v, const char* what) {
    return c.scalar(static_cast<double>(v), DType::I64, name(what).c_str());
  };
  const int64_t length = std::max(use.room, use.total);
  const Tensor place = counted_from(c, {1, length}, 0, name("_place").c_str());
  const Tensor from = begins_of(c, use, name("_from").c_str());
  const Tensor ahead = c.op(Op::Sub, {place, from}, name("_ahead").c_str());  // below 0: past
  const Tensor is_new = c.op(Op::And,
                             {c.op(Op::GreaterEqual, {ahead, number(0, "_zero")}, name("_after").c_str()),
                              c.op(Op::Less, {ahead, number(use.steps, "_count")}, name("_before").c_str())},
                             name("_is_new").c_str());
  const Tensor old =
      c.op_with(Op::Clamp, {place}, ClampParams{0, static_cast<double>(use.room - 1)}, name("_old").c_str());
  const Tensor added = c.op(Op::Add, {ahead, number(use.room, "_room")}, name("_added").c_str());
  const Tensor rows = c.op(Op::Where, {is_new, added, old}, name("_rows").c_str());
  const Tensor both = c.op_with(Op::Concat, {cache, x}, AxisParams{2}, name("_both").c_str());
  const Tensor all = rows_of_each(c, both, rows, at, "_present");
  if (!c.ok()) return {};
  if (c.has_output(result)) c.out(result, all);
  return length == use.total ? all : c.slice(all, 2, 0, use.total, 1, name("_used").c_str());
}

}  // namespace

bool read_headed(OpCall& c, Headed& out, CacheUse& use) {
  const int64_t heads = c.attr_int("num_heads", 0), kv_heads = c.attr_int("kv_num_heads", 0);
  if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0 || heads > (1 << 20))
    return refused(c, fmt::format("{} heads over {}", heads, kv_heads));
  if (c.has(3) != c.has(4) || c.has(1) != c.has(2))
    return refused(c, "keys and values must both be given or both be absent");
  const Tensor x = c.in(0);
  if (!x) return false;
  if (x->rank() != 3)
    return refused(c, fmt::format("its queries have the shape {}: expected [B, S, H·D]", to_string(x.sizes())));
  use.batch = x.sizes()[0], use.steps = x.sizes()[1];
  if (use.batch < 1 || use.steps < 1) return refused(c, "it has no queries");
  if (c.has(1)) {
    out = {by_heads(c, x, heads, ":q"), by_heads(c, c.in(1), kv_heads, ":k"), by_heads(c, c.in(2), kv_heads, ":v")};
  } else {
    const int64_t each = x.sizes()[2] / (heads + 2 * kv_heads);
    if (each < 1 || each * (heads + 2 * kv_heads) != x.sizes()[2])
      return refused(c, fmt::format("{} are not {} heads and {} of keys and values", x.sizes()[2], heads, kv_heads));
    const auto part = [&](int64_t from, int64_t count, const char* suffix) {
      const std::string at = suffix;
      const Tensor slice = c.slice(x, 2, from * each, (from + count) * each, 1, (at + "_part").c_str());
      return by_heads(c, c.op(Op::Cont, {slice}, (at + "_laid").c_str()), count, suffix);
    };
    out = {part(0, heads, ":q"), part(heads, kv_heads, ":k"), part(heads + kv_heads, kv_heads, ":v")};
  }
  if (!c.ok() || !out.q || !out.k || !out.v) return false;
  const Dims &q = out.q.sizes(), &k = out.k.sizes();
  if (out.k->rank() != 4 || out.v->rank() != 4 || k[0] != use.batch || k[2] != use.steps || k[3] != q[3] ||
      !(out.v.sizes() == k))
    return refused(
        c, fmt::format("keys {} and values {} for queries {}", to_string(k), to_string(out.v.sizes()), to_string(q)));
  use.room = c.has(3) && c.rank(3) == 4 ? c.sizes(3)[2] : 0;
  return true;
}

// A first prompt begins at 0 however long it is.
Tensor begins_of(OpCall& c, const CacheUse& use, const char* suffix) {
  if (!use.staged() && use.past == 0) return c.reshape(counted_from(c, {1}, 0, ":none"), {1, 1}, suffix);
  const Tensor steps = use.fresh ? use.fresh : c.scalar(static_cast<double>(use.steps), DType::I64, ":queries");
  return c.reshape(c.op(Op::Sub, {use.used, steps}, ":begins_at"), {use.batch, 1}, suffix);
}

void rotate_headed(OpCall& c, const CacheUse& use, size_t source, Tensor indices, Headed& x) {
  const Tensor cosine = c.in(source), sine = c.in(source + 1);
  if (!cosine || !sine) return c.fail("cos_cache and sin_cache are missing");
  if (cosine->rank() != 2 || !(cosine.sizes() == sine.sizes()))
    return c.fail(fmt::format("cos_cache {} and sin_cache {} must have the same two dimensions",
                              to_string(cosine.sizes()), to_string(sine.sizes())));
  const int64_t half = cosine.sizes()[1], steps = use.steps;
  if (!indices && (use.dynamic || use.staged())) {
    indices = c.op(Op::Add, {begins_of(c, use, ":begins"), counted_from(c, {1, steps}, 0, ":steps")}, ":places");
    // Padding tokens have no position.
    if (use.fresh)
      indices =
          c.op_with(Op::Clamp, {indices}, ClampParams{0, static_cast<double>(cosine.sizes()[0] - 1)}, ":places_in");
  } else if (!indices && use.past + steps > cosine.sizes()[0]) {
    return c.fail(
        fmt::format("the cosine table has {} rows, but {} positions are needed", cosine.sizes()[0], use.past + steps));
  }
  const auto angles = [&](const Tensor& table, const char* suffix) {
    const std::string at = suffix;
    if (!indices)
      return c.reshape(c.slice(table, 0, use.past, use.past + steps, 1, (at + "_rows").c_str()), {1, 1, steps, half},
                       suffix);
    const Tensor rows = c.op_with(Op::Gather, {table, indices}, AxisParams{0}, (at + "_rows").c_str());
    return c.reshape(rows, {rows ? rows->element_count() / std::max<int64_t>(steps * half, 1) : 1, 1, steps, half},
                     suffix);
  };
  const bool neighbours = c.attr_int("rotary_interleaved", 0) != 0;
  const Tensor cos = angles(cosine, ":cos"), sin = angles(sine, ":sin");
  x.q = rotated(c, x.q, cos, sin, neighbours, ":q_turned"), x.k = rotated(c, x.k, cos, sin, neighbours, ":k_turned");
}

Tensor rows_of_each(OpCall& c, const Tensor& x, const Tensor& rows, const std::string& at, const char* suffix) {
  if (!c.ok() || !x || !rows) return {};
  const int64_t batch = x.sizes()[0], length = rows.sizes()[1];
  std::vector<Tensor> each;
  for (int64_t b = 0; b < batch && c.ok(); ++b) {
    const std::string one = fmt::format("{}_{}", at, b);
    const Tensor row =
        c.reshape(c.slice(rows, 0, b, b + 1, 1, (one + "_row").c_str()), {length}, (one + "_line").c_str());
    each.push_back(
        c.op_with(Op::Gather, {c.slice(x, 0, b, b + 1, 1, (one + "_both").c_str()), row}, AxisParams{2}, one.c_str()));
  }
  if (!c.ok()) return {};
  return each.size() == 1 ? each[0]
                          : c.op_list(Op::Concat, std::span<const Tensor>(each), AxisParams{0}, (at + suffix).c_str());
}

Tensor cached(OpCall& c, const CacheUse& use, const Tensor& cache, const Tensor& x, size_t result, const char* suffix) {
  if (!c.ok() || !x) return {};
  const std::string at = suffix;
  const auto name = [&](const char* what) { return at + what; };
  if (cache && (cache->rank() != 4 || cache.sizes()[0] != use.batch || cache.sizes()[1] != x.sizes()[1] ||
                cache.sizes()[2] != use.room || cache.sizes()[3] != x.sizes()[3])) {
    c.fail(fmt::format("its past has the shape {}: expected [{}, {}, {}, {}]", to_string(cache.sizes()), use.batch,
                       x.sizes()[1], use.room, x.sizes()[3]));
    return {};
  }
  if (cache && cache.dtype() != x.dtype()) {
    c.fail(fmt::format("the past has type {}, but keys and values have {}", arenascope::name(cache.dtype()),
                       arenascope::name(x.dtype())));
    return {};
  }
  if (use.staged()) return staged(c, use, cache, x, result, suffix);
  if (use.past > 0 && use.dynamic) return placed(c, use, cache, x, result, at);
  Tensor all =
      use.past == 0
          ? x
          : c.op_with(Op::Concat,
                      {use.past == use.room ? cache : c.slice(cache, 2, 0, use.past, 1, name("_past").c_str()), x},
                      AxisParams{2}, name("_all").c_str());
  if (c.has_output(result))
    c.out(result, use.room <= use.total
                      ? all
                      : c.op_with(Op::Concat, {all, c.slice(cache, 2, use.total, use.room, 1, name("_room").c_str())},
                                  AxisParams{2}, name("_present").c_str()));
  return all;
}

}  // namespace arenascope::models
