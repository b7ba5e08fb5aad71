// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/attention_call.h"
#include <fmt/format.h>

#include <limits>
#include <string>

namespace arenascope::models {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr int kHeadsSecond[] = {0, 2, 1, 3};

Tensor sum_of(OpCall& c, const Tensor& a, const Tensor& b, const char* suffix) {
  return !a ? b : !b ? a : c.op(Op::Add, {a, b}, suffix);
}

// The bias of the scores, or undefined: the mask, and -infinity for keys that are masked causally, outside of the window, or padding.
Tensor bias(OpCall& c, const AttentionCall& a) {
  Tensor out = a.mask;
  const bool window = a.left >= 0 || a.right >= 0;
  const Tensor used = a.used ? c.reshape(a.used, {a.q.sizes()[0], 1, 1, 1}, ":used") : Tensor();
  if (!a.causal && !window && !used) return out;
  const Tensor keys = counted_from(c, {a.keys()}, 0, ":key");
  if (a.causal || window) {
    // The position of each query among the keys; with a cache of given length the last query is the last used key.
    Tensor queries = counted_from(c, {a.queries(), 1}, used ? -a.queries() : a.offset, ":query");
    if (used) queries = c.op(Op::Add, {queries, used}, ":query_at");
    const auto limited = [&](const Tensor& low, const Tensor& high, const char* suffix) {
      const std::string at = suffix;
      out = sum_of(c, out,
                   bias_of(c, c.op(Op::LessEqual, {low, high}, (at + "_allowed").c_str()), kMinusInfinity, suffix),
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
  if (used)
    out = sum_of(c, out, bias_of(c, c.op(Op::Less, {keys, used}, ":in_use"), kMinusInfinity, ":padding"), ":padded");
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

// Softmax with a sink: an additional score per query that has a probability but no value.
Tensor shares_of(OpCall& c, const AttentionCall& a, const Tensor& scores) {
  if (!a.sink) return c.op_with(Op::SoftMax, {scores}, SoftMaxParams{3, 1}, ":shares");
  const Dims& s = scores.sizes();
  const Tensor sink = c.op(Op::Cont, {c.expand(a.sink, {s[0], s[1], s[2], 1}, ":sink_each")}, ":sink_laid");
  const Tensor all = c.op_with(Op::Concat, {scores, sink}, AxisParams{3}, ":scores_and_sink");
  const Tensor shares = c.op_with(Op::SoftMax, {all}, SoftMaxParams{3, 1}, ":shares_and_sink");
  return c.op(Op::Cont, {c.slice(shares, 3, 0, s[3], 1, ":shares_of_keys")}, ":shares");
}

// Expanded into single ops, if scores are an output, capped, or have a sink.
Tensor expanded_node(OpCall& c, const AttentionCall& a, const Tensor& bias, Tensor& shown) {
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
  Tensor shares = shares_of(c, a, scores);
  if (bias && !a.open) shares = zero_where(c, closed_rows(c, bias), shares, ":open_shares");
  if (a.mode == 3) shown = shares;
  return v ? c.mul_mat(c.op(Op::Transpose, {v}, ":values_t"), shares, {}, 1, ":heads") : Tensor();
}

Tensor at_once(OpCall& c, const AttentionCall& a, const Tensor& bias) {
  if (!bias) return c.op_with(Op::Attention, {a.q, a.k, a.v}, AttentionParams{a.scale, false}, ":heads");
  const Tensor y =
      c.op_with(Op::Attention, {a.q, a.k, a.v, bias}, AttentionParams{a.scale, false}, a.open ? ":heads" : ":attended");
  return a.open ? y : zero_where(c, closed_rows(c, bias), y, ":heads");
}

}  // namespace

Tensor attend(OpCall& c, const AttentionCall& a, Tensor& shown) {
  const Dims &q = a.q.sizes(), &k = a.k.sizes(), &v = a.v.sizes();
  if (k[1] < 1 || q[1] % k[1] != 0 || v[1] != k[1]) {
    c.fail(fmt::format(
        "{} query heads are not a multiple of {} key heads, or keys and values have different numbers of heads", q[1],
        k[1]));
    return {};
  }
  const bool expanded = a.shows_scores || a.softcap != 0.0f || a.sink;
  // Without a mask, keys after the last query position need none either.
  const bool plain = !a.mask && !a.used && a.left < 0 && a.right < 0 && !expanded;
  if (plain && a.causal && a.keys() - a.queries() == a.offset)
    return c.op_with(Op::Attention, {a.q, a.k, a.v}, AttentionParams{a.scale, true}, ":heads");
  const Tensor added = bias(c, a);
  if (!c.ok()) return {};
  return expanded ? expanded_node(c, a, added, shown) : at_once(c, a, added);
}

Tensor by_heads(OpCall& c, const Tensor& x, int64_t heads, const char* suffix) {
  if (!x || x->rank() == 4) return x;
  if (x->rank() != 3 || heads < 1 || x.sizes()[2] % heads != 0) {
    c.fail(fmt::format("{} are not {} heads", to_string(x.sizes()), heads));
    return {};
  }
  const Tensor split =
      c.reshape(x, {x.sizes()[0], x.sizes()[1], heads, x.sizes()[2] / heads}, fmt::format("{}_split", suffix).c_str());
  return c.permute(split, kHeadsSecond, suffix);
}

Tensor counted_from(OpCall& c, const Dims& sizes, int64_t start, const char* suffix) {
  OpParams bytes;
  bytes.set(FillParams{sizes, DType::I64, static_cast<double>(start), 1});
  return c.apply(Op::Arange, std::span<const Tensor>{}, bytes, suffix);
}

Tensor bias_of(OpCall& c, const Tensor& allowed, double otherwise, const char* suffix) {
  const std::string at = suffix;
  return c.op(Op::Where,
              {allowed, c.scalar(0, DType::F32, (at + "_zero").c_str()),
               c.scalar(otherwise, DType::F32, (at + "_never").c_str())},
              suffix);
}

Tensor heads_joined(OpCall& c, const Tensor& x, const char* suffix) {
  if (!x) return {};
  const Dims s = x.sizes();
  return c.reshape(c.permute(x, kHeadsSecond, fmt::format("{}:by_place", suffix).c_str()), {s[0], s[2], s[1] * s[3]},
                   suffix);
}

Tensor of_beams(OpCall& c, const Tensor& past, const Tensor& from, const char* suffix) {
  if (!past || !from) return {};
  const Dims p = past.sizes(), f = from.sizes();
  const std::string at = suffix;
  const auto name = [&](const char* what) { return at + what; };
  const int64_t batch = p[0], used = p[2];
  if (f.rank() != 3 || f[0] * f[1] != batch || f[2] < used) {
    c.fail(fmt::format("its beam indices {} do not match the past {}", to_string(f), to_string(p)));
    return {};
  }
  if (f[1] == 1 || used == 0) return past;
  const Tensor beams = c.scalar(static_cast<double>(f[1]), DType::I64, name("_beam_count").c_str());
  const Tensor text =
      c.op(Op::Div, {counted_from(c, {batch, 1}, 0, name("_own").c_str()), beams}, name("_text").c_str());
  const Tensor first = c.op(Op::Mul, {text, beams}, name("_first_beam").c_str());
  const Tensor all =
      c.reshape(c.cast(from, DType::I64, name("_beams_i64").c_str()), {batch, f[2]}, name("_beams").c_str());
  const Tensor own = c.op_with(Op::Clamp, {c.slice(all, 1, 0, used, 1, name("_beams_used").c_str())},
                               ClampParams{0, static_cast<double>(f[1] - 1)}, name("_beams_in").c_str());
  const Tensor sequence = c.op(Op::Add, {own, first}, name("_sequence").c_str());
  const Tensor row =
      c.op(Op::Add,
           {c.op(Op::Mul, {sequence, c.scalar(static_cast<double>(used), DType::I64, name("_length").c_str())},
                 name("_sequence_row").c_str()),
            counted_from(c, {1, used}, 0, name("_place").c_str())},
           name("_row").c_str());
  const Tensor by_place =
      c.op(Op::Cont, {c.permute(past, kHeadsSecond, name("_by_place").c_str())}, name("_laid").c_str());
  const Tensor rows = c.reshape(by_place, {batch * used, p[1] * p[3]}, name("_rows").c_str());
  const Tensor chosen = c.op_with(Op::Gather, {rows, row}, AxisParams{0}, name("_chosen").c_str());
  return c.permute(c.reshape(chosen, {batch, used, p[1], p[3]}, name("_chosen_heads").c_str()), kHeadsSecond, suffix);
}

Tensor rotated(OpCall& c, const Tensor& x, const Tensor& cosine, const Tensor& sine, bool neighbours,
               const char* suffix) {
  if (!x || !cosine || !sine) return {};
  const std::string at = suffix;
  const auto name = [&](const char* what) { return at + what; };
  const Dims s = x.sizes();
  const int64_t half = cosine.sizes().back();
  if (half < 1 || half > s[3] / 2) {
    c.fail(fmt::format("rotary embedding of {} pairs exceeds heads of {} elements", half, s[3]));
    return {};
  }
  const int64_t width = 2 * half;
  const Tensor first = neighbours ? c.slice(x, 3, 0, width, 2, name(":first").c_str())
                                  : c.slice(x, 3, 0, half, 1, name(":first").c_str());
  const Tensor second = neighbours ? c.slice(x, 3, 1, width, 2, name(":second").c_str())
                                   : c.slice(x, 3, half, width, 1, name(":second").c_str());
  const auto product = [&](const Tensor& a, const Tensor& b, const char* what) {
    return c.op(Op::Mul, {a, b}, name(what).c_str());
  };
  const Tensor real =
      c.op(Op::Sub, {product(first, cosine, ":fc"), product(second, sine, ":ss")}, name(":real").c_str());
  const Tensor other =
      c.op(Op::Add, {product(first, sine, ":fs"), product(second, cosine, ":sc")}, name(":other").c_str());
  if (!real || !other) return {};
  Tensor both_rotated;
  if (neighbours) {
    const Dims each = {s[0], s[1], s[2], half, 1};
    const Tensor both = c.op_with(
        Op::Concat,
        {c.reshape(real, each, name(":real_each").c_str()), c.reshape(other, each, name(":other_each").c_str())},
        AxisParams{4}, name(":both").c_str());
    both_rotated = c.reshape(both, {s[0], s[1], s[2], width}, name(":rotated").c_str());
  } else {
    both_rotated = c.op_with(Op::Concat, {real, other}, AxisParams{3}, name(":rotated").c_str());
  }
  if (width == s[3]) return both_rotated;
  return c.op_with(Op::Concat, {both_rotated, c.slice(x, 3, width, s[3], 1, name(":rest").c_str())}, AxisParams{3},
                   name(":whole").c_str());
}

}  // namespace arenascope::models
