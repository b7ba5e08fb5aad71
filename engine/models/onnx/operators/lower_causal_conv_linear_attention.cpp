// SPDX-License-Identifier: MIT
// ONNX operators that carry a state along a sequence, step by step; of many steps in a loop (long_recurrence.h).
#include <fmt/format.h>
#include "engine/models/onnx/operators/long_recurrence.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace arenascope::models {
namespace {

Tensor filled(OpCall& c, const Dims& sizes, DType dtype, double value, const char* suffix) {
  OpParams bytes;
  bytes.set(FillParams{sizes, dtype, value, 0});
  return c.apply(Op::Fill, std::span<const Tensor>{}, bytes, suffix);
}

// A causal convolution along the last dimension; the state has the elements before the first one.
void causal_conv(OpCall& c) {
  const Tensor x = c.in(0), w = c.in(1);
  if (!x || !w) return;
  if (x->rank() != 3 || w->rank() != 3 || w.sizes()[0] != x.sizes()[1] || w.sizes()[1] != 1 || w.sizes()[2] < 1)
    return c.fail(fmt::format("its weight {} does not match the input {}: expected [C, 1, K] for [B, C, L]",
                              to_string(w.sizes()), to_string(x.sizes())));
  const int64_t before = w.sizes()[2] - 1, channels = x.sizes()[1];
  const Dims state{x.sizes()[0], channels, before};
  const Tensor past = c.has(3) ? c.in(3) : filled(c, state, x.dtype(), 0, ":past");
  if (!past) return;
  if (!(past.sizes() == state))
    return c.fail(fmt::format("its state {} is not {}", to_string(past.sizes()), to_string(state)));
  const Tensor all = before == 0 ? x : c.op_with(Op::Concat, {past, x}, AxisParams{2}, ":all");
  ConvParams p{1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, static_cast<int32_t>(channels)};
  const std::string activation = c.attr_string("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return c.fail(fmt::format("the activation '{}' is not supported", activation));
  Tensor y = c.has(2) ? c.op_with(Op::Conv, {all, w, c.in(2)}, p, ":conv") : c.op_with(Op::Conv, {all, w}, p, ":conv");
  if (y && y.dtype() != x.dtype()) y = c.cast(y, x.dtype(), ":rounded");
  c.out(0, activation == "none" ? c.op(Op::Copy, {y}) : c.op(Op::Silu, {y}));
  if (c.has_output(1) && all) {
    const int64_t length = all.sizes()[2];
    c.out(1, c.op(Op::Cont, {c.slice(all, 2, length - before, length, 1, ":last")}, ":present"));
  }
}

// [B, T, H·D] as [B, H, T, D] in f32.
Tensor heads_of(OpCall& c, const Tensor& x, int64_t heads, const char* suffix) {
  constexpr int kStateHeadsSecond[] = {0, 2, 1, 3};
  const std::string at = suffix;
  if (!x || x->rank() != 3 || heads < 1 || x.sizes()[2] % heads != 0) {
    c.fail(fmt::format("{} are not {} heads", x ? to_string(x.sizes()) : "", heads));
    return {};
  }
  const Tensor wide = c.cast(x, DType::F32, (at + "_f32").c_str());
  return c.permute(c.reshape(wide, {x.sizes()[0], x.sizes()[1], heads, x.sizes()[2] / heads}, (at + "_split").c_str()),
                   kStateHeadsSecond, suffix);
}

struct LinearCall {
  Tensor q, k, v, decay, beta, state;
  int64_t groups = 1;
  float scale = 1;
};

bool read_linear(OpCall& c, LinearCall& a) {
  const std::string rule = c.attr_string("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta", corrected = rule == "delta" || rule == "gated_delta";
  if (!gated && !corrected && rule != "linear") c.fail(fmt::format("the update rule '{}' is not supported", rule));
  if (gated != c.has(4) || corrected != c.has(5))
    c.fail(fmt::format("its inputs do not match the update rule '{}'", rule));
  const int64_t heads = c.attr_int("q_num_heads", 0), kv_heads = c.attr_int("kv_num_heads", 0);
  if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0)
    c.fail(fmt::format("{} query heads are not a multiple of {} key heads", heads, kv_heads));
  if (!c.ok()) return false;
  a.groups = heads / kv_heads;
  a.q = heads_of(c, c.in(0), heads, ":q"), a.k = heads_of(c, c.in(1), kv_heads, ":k");
  a.v = heads_of(c, c.in(2), kv_heads, ":v");
  if (!a.q || !a.k || !a.v) return false;
  if (gated) a.decay = heads_of(c, c.in(4), kv_heads, ":decay");
  if (corrected) a.beta = heads_of(c, c.in(5), c.sizes(5).rank() == 3 && c.sizes(5)[2] == 1 ? 1 : kv_heads, ":beta");
  const int64_t steps = a.q.sizes()[2], width = a.k.sizes()[3];
  if (steps < 1) c.fail("it has no steps");
  const auto of_all = [&](const Tensor& x) { return !x || x.sizes()[2] == steps; };
  if (a.q.sizes()[3] != width || !of_all(a.k) || !of_all(a.v) || !of_all(a.decay) || !of_all(a.beta))
    c.fail("its queries, keys, values, decay and beta must have equally many steps, queries and keys the same width");
  const Dims sizes{a.q.sizes()[0], kv_heads, width, a.v.sizes()[3]};
  a.state = c.has(3) ? c.cast(c.in(3), DType::F32, ":state_f32") : filled(c, sizes, DType::F32, 0, ":state");
  if (!c.ok() || !a.state) return false;
  if (!(a.state.sizes() == sizes))
    c.fail(fmt::format("its state {} is not {}", to_string(a.state.sizes()), to_string(sizes)));
  const float given = c.attr_float("scale", 0);
  a.scale = given == 0.0f ? 1 / std::sqrt(static_cast<float>(width)) : given;
  return c.ok();
}

// Step t: the state fades, takes up k ⊗ v, and the queries read it.
Tensor linear_step(OpCall& c, LinearCall& a, int64_t t) {
  const std::string at = fmt::format(":step_{}", t);
  const auto name = [&](const char* what) { return at + what; };
  const auto at_step = [&](const Tensor& x, const char* what) {
    return c.slice(x, 2, t, t + 1, 1, name(what).c_str());
  };
  const Tensor k = at_step(a.k, "_k");
  Tensor v = at_step(a.v, "_v");
  if (!k || !v) return {};
  if (a.decay) {
    const Tensor fade = c.op(Op::Transpose, {c.op(Op::Exp, {at_step(a.decay, "_decay")}, name("_fade").c_str())},
                             name("_fade_t").c_str());
    a.state = c.op(Op::Mul, {a.state, fade}, name("_faded").c_str());
  }
  if (a.beta) {
    const Tensor known =
        c.mul_mat(c.op(Op::Transpose, {a.state}, name("_known_t").c_str()), k, {}, 1, name("_known").c_str());
    v = c.op(Op::Mul, {at_step(a.beta, "_beta"), c.op(Op::Sub, {v, known}, name("_new").c_str())},
             name("_written").c_str());
  }
  const Tensor product = c.op(Op::Mul, {c.op(Op::Transpose, {k}, name("_k_t").c_str()), v}, name("_product").c_str());
  a.state = c.op(Op::Add, {a.state, product}, name("_state").c_str());
  const Dims& q = a.q.sizes();
  const Tensor reading =
      c.reshape(at_step(a.q, "_q"), {q[0], q[1] / a.groups, a.groups, q[3]}, name("_reading").c_str());
  if (!a.state || !reading) return {};
  const Tensor read =
      c.mul_mat(c.op(Op::Transpose, {a.state}, name("_state_t").c_str()), reading, {}, a.scale, name("_read").c_str());
  return read ? c.reshape(read, {q[0], 1, q[1] * read.sizes()[3]}, name("_out").c_str()) : Tensor();
}

void linear_loop(OpCall& c, const LinearCall& a) {
  const int64_t batch = a.q.sizes()[0], steps = a.q.sizes()[2];
  LongRecurrence all;
  all.steps = steps;
  std::vector<size_t> given;
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}, size_t{4}, size_t{5}})
    if (c.has(i)) given.push_back(i), all.sources.push_back({c.in_f32(i), 1});
  all.states.push_back(a.state);
  all.results.push_back({Dims{batch, steps, a.q.sizes()[1] * a.v.sizes()[3]}, 1});
  all.make = [&](Steps& part) {
    std::vector<std::string> sources(6);
    for (size_t i = 0; i < given.size(); ++i) sources[given[i]] = part.sources[i];
    sources[3] = part.states[0];
    part.results = {part.n.name("read")}, part.next = {part.n.name("state_after")};
    part.n.all().push_back(same_node(c, std::move(sources), {part.results[0], part.next[0]}, {}));
  };
  all.end = [&](Nodes& n, const std::vector<std::string>& results, const std::vector<std::string>& states) {
    give_result(c, n, 0, results[0], c.value(0));
    give_result(c, n, 1, states[0], c.value(c.has(3) ? 3 : 0));
  };
  leave_steps(c, all);
}

void linear_attention(OpCall& c) {
  LinearCall a;
  if (!read_linear(c, a)) return;
  if (a.q.sizes()[2] > kMaxStepsWritten) return linear_loop(c, a);
  std::vector<Tensor> steps;
  for (int64_t t = 0; t < a.q.sizes()[2] && c.ok(); ++t) steps.push_back(linear_step(c, a, t));
  if (!c.ok()) return;
  const Tensor all = c.op_list(Op::Concat, std::span<const Tensor>(steps), AxisParams{1}, ":all");
  c.out(0, c.cast(all, c.value(0).dtype));
  if (c.has_output(1))
    c.out(1, c.op_with(Op::Cast, {a.state}, CastParams{c.value(c.has(3) ? 3 : 0).dtype}, ":present"));
}

constexpr HandlerEntry kStateHandlers[] = {
    {"CausalConvWithState", causal_conv},
    {"LinearAttention", linear_attention},
};

}  // namespace

std::span<const HandlerEntry> causal_conv_linear_attention_handlers() { return kStateHandlers; }

}  // namespace arenascope::models
