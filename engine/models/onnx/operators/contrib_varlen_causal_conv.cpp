// SPDX-License-Identifier: MIT
// ONNX Runtime's VarlenCausalConvWithState: a causal convolution over packed sequences, each preceded by its state.
#include <fmt/format.h>
#include "engine/models/onnx/operators/packed_sequences.h"

#include <algorithm>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxTaps = 256;  // each is an op of its own

// Rows that a token's taps read: those before all sequences' tokens, [count · before], and then the tokens.
int64_t row_of(const Sequences& of, int64_t sequence, int64_t token, int64_t before) {
  return token < 0 ? sequence * before + before + token : of.count() * before + of.start(sequence) + token;
}

constexpr int kChannelsLast[] = {0, 2, 1};

struct ConvInputs {
  Tensor x, rows;  // the tokens, and the rows before and at them
  Tensor weight;   // [channels, 1, taps]
};

// The tokens' rows, each tap's times its weight.
Tensor sum_of_taps(OpCall& c, const ConvInputs& in, const Sequences& of, int64_t dilation) {
  const int64_t channels = in.weight.sizes()[0], taps = in.weight.sizes()[2], tokens = in.x.sizes()[0];
  Tensor sum;
  for (int64_t j = 0; j < taps && c.ok(); ++j) {
    const std::string at = fmt::format(":tap_{}", j);
    std::vector<int64_t> indices;
    for (int64_t s = 0; s < of.count(); ++s)
      for (int64_t t = 0; t < of.length(s); ++t)
        indices.push_back(row_of(of, s, t - (taps - 1 - j) * dilation, (taps - 1) * dilation));
    const Tensor read =
        j == taps - 1
            ? in.x
            : c.op_with(Op::Gather, {in.rows, index_table(c, std::move(indices), {tokens}, (at + "_at").c_str())},
                        AxisParams{0}, (at + "_read").c_str());
    const Tensor by =
        c.reshape(c.slice(in.weight, 2, j, j + 1, 1, (at + "_slice").c_str()), {channels}, (at + "_by").c_str());
    const Tensor part = c.op(Op::Mul, {read, by}, at.c_str());
    sum = sum ? c.op(Op::Add, {sum, part}, (at + "_sum").c_str()) : part;
  }
  return sum;
}

// The last rows of each sequence, in the layout of the state.
Tensor last_state(OpCall& c, const Tensor& rows, const Tensor& state, const Sequences& of) {
  const int64_t count = of.count(), before = state.sizes()[2];
  if (before == 0) return c.op(Op::Cont, {state}, ":final");
  std::vector<int64_t> indices;
  for (int64_t s = 0; s < count; ++s)
    for (int64_t j = 0; j < before; ++j) indices.push_back(row_of(of, s, of.length(s) - before + j, before));
  const Tensor last = c.op_with(Op::Gather, {rows, index_table(c, std::move(indices), {count, before}, ":last_at")},
                                AxisParams{0}, ":last");
  return c.op(Op::Cont, {c.permute(last, kChannelsLast, ":last_state")}, ":final");
}

// The first rows of each sequence, and zeros for a sequence without captured rows.
Tensor captured_rows(OpCall& c, const Tensor& x, const Sequences& of, int64_t capacity) {
  const int64_t count = of.count();
  std::vector<int64_t> indices;
  for (int64_t s = 0; s < count; ++s)
    for (int64_t j = 0; j < capacity; ++j) indices.push_back(of.start(s) + std::min(j, of.length(s) - 1));
  const Tensor firsts = c.op_with(Op::Gather, {x, index_table(c, std::move(indices), {count, capacity}, ":firsts_at")},
                                  AxisParams{0}, ":firsts");
  const Tensor here = c.reshape(captured(c, 5, of, capacity), {count, capacity, 1}, ":here");
  return c.op(Op::Where, {here, firsts, c.scalar(0, DType::F32, ":nothing")}, ":updates");
}

void varlen_causal_conv(OpCall& c) {
  const Tensor x = c.in_f32(0), weight = c.in_f32(1), state = c.in_f32(4);
  if (!x || !weight || !state) return;
  if (c.has(6) || c.has(7)) return c.fail("a kernel per token is not supported, as in ONNX Runtime on the CPU");
  const Dims& w = weight.sizes();
  if (x->rank() != 2 || w.rank() != 3 || w[0] != x.sizes()[1] || w[1] != 1 || w[2] < 1 || w[2] > kMaxTaps)
    return c.fail(fmt::format("its weight {} does not match the input {}: expected [C, 1, 1 to {}] for [T, C]",
                              to_string(w), to_string(x.sizes()), kMaxTaps));
  const int64_t tokens = x.sizes()[0], channels = w[0], taps = w[2], dilation = c.attr_int("dilation", 1);
  if (dilation < 1 || dilation > kMaxPlaces)
    return c.fail(fmt::format("dilation is {}: expected 1 to {}", dilation, kMaxPlaces));
  const std::string activation = c.attr_string("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return c.fail(fmt::format("the activation '{}' is not supported", activation));
  if (tokens > kMaxPlaces / taps)
    return c.fail(fmt::format("{} taps over {} tokens exceed the limit of an index table", taps, tokens));
  const auto of = packed_sequences(c, 2, tokens, false);
  if (!of) return;
  const int64_t before = (taps - 1) * dilation, count = of->count();
  const Dims held{count, channels, before};
  if (!(state.sizes() == held))
    return c.fail(fmt::format("its state {} is not {}", to_string(state.sizes()), to_string(held)));
  if (before > 0 && count > kMaxPlaces / before)
    return c.fail(fmt::format("{} states of {} rows exceed the limit of an index table", count, before));
  const int64_t capacity = capture_capacity(c, 5, count);
  if (capacity < 0) return;
  if (c.has_output(2) && capacity == 0) return c.fail("it captures states, but its capacity for them is 0");

  Tensor rows = x;
  if (before > 0) {
    const Tensor past = c.reshape(c.permute(state, kChannelsLast, ":past"), {count * before, channels}, ":past_rows");
    rows = c.op_with(Op::Concat, {past, x}, AxisParams{0}, ":rows");
  }
  Tensor sum = sum_of_taps(c, {x, rows, weight}, *of, dilation);
  if (c.has(3)) {
    const Tensor bias = c.in_f32(3);
    if (!bias) return;
    if (!(bias.sizes() == Dims{channels}))
      return c.fail(fmt::format("its bias has the shape {}: expected [{}]", to_string(bias.sizes()), channels));
    sum = c.op(Op::Add, {sum, bias}, ":biased");
  }
  if (activation != "none") sum = c.op(Op::Silu, {sum}, ":activated");
  const DType type = c.value(0).dtype;
  c.out(0, c.cast(sum, type));
  if (c.has_output(1)) c.out(1, c.cast(last_state(c, rows, state, *of), type, ":final_state"));
  if (c.has_output(2)) c.out(2, c.cast(captured_rows(c, x, *of, capacity), type, ":update"));
}

constexpr HandlerEntry kContribStates[] = {
    {"com.microsoft::VarlenCausalConvWithState", varlen_causal_conv},
};

}  // namespace

std::span<const HandlerEntry> contrib_varlen_causal_conv_handlers() { return kContribStates; }

}  // namespace arenascope::models
