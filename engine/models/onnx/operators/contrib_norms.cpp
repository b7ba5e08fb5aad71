// SPDX-License-Identifier: MIT
// ONNX Runtime's own normalisations: of sums, of embeddings, by groups with an activation after them.
#include <fmt/format.h>
#include "engine/models/onnx/operators/decompose.h"

namespace arenascope::models {
namespace {

// input + skip (+ bias), normalised; the sum is another result.
void skip_norm(OpCall& c, bool simplified) {
  const Tensor x = c.in(0), skip = c.in(1);
  if (!x || !skip) return;
  if (skip->rank() > x->rank() || x->rank() < 1)
    return c.fail(
        fmt::format("its skip input {} does not broadcast to {}", to_string(skip.sizes()), to_string(x.sizes())));
  const size_t bias = simplified ? 3 : 4;
  Tensor sum = c.op(Op::Add, {x, skip}, c.has(bias) ? ":skipped" : ":sum");
  if (c.has(bias)) sum = c.op(Op::Add, {sum, c.in(bias)}, ":sum");
  if (sum && !(sum.sizes() == x.sizes()))
    return c.fail(fmt::format("its sum has the shape {}: expected {}", to_string(sum.sizes()), to_string(x.sizes())));
  const size_t statistics = c.has_output(2) ? 3 : c.has_output(1) ? 2 : 1;
  const PartAttributes attributes{{"epsilon", float_attribute(c.attr_float("epsilon", 1e-12f))},
                                  {"axis", int_attribute(-1)}};
  const auto made = simplified ? lower_parts(c, {"RMSNormalization", {as_source(c, sum), source_of(c, 2)}, attributes})
                               : lower_parts(c, {"LayerNormalization",
                                                 {as_source(c, sum), source_of(c, 2), source_of(c, 3)},
                                                 attributes,
                                                 {},
                                                 statistics});
  for (size_t i = 0; i < made.size(); ++i) c.out(i, made[i]);
  if (c.has_output(3)) c.out(3, sum);
}

struct Embedding {
  ValuePtr word, position, segment, scale, shift;
};

// word[ids] + position[place] (+ segment[kind]), normalised; the number of ones in the mask is another result.
void embed(OpCall& c, const Embedding& e, size_t mask, size_t indices) {
  const Tensor ids = c.in(0);
  if (!ids || !e.word || !e.position) return;
  if (ids->rank() != 2)
    return c.fail(fmt::format("its token ids have the shape {}: expected [B, S]", to_string(ids.sizes())));
  const int64_t batch = ids.sizes()[0], steps = ids.sizes()[1];
  const auto row = [&](const ValuePtr& table, const ValuePtr& at, const char* suffix) {
    return lower_part(c, {"Gather", {table, at}, {{"axis", int_attribute(0)}}, suffix});
  };
  OpParams count;
  count.set(FillParams{{1, steps}, DType::I64, 0, 1});
  const ValuePtr at = c.has(indices) ? source_of(c, indices)
                                     : as_source(c, c.apply(Op::Arange, std::span<const Tensor>(), count, ":places"));
  Tensor sum = c.op(Op::Add, {row(e.word, source_of(c, 0), ":words"), row(e.position, at, ":positions")}, ":placed");
  if (e.segment && c.has(1)) sum = c.op(Op::Add, {sum, row(e.segment, source_of(c, 1), ":segments")}, ":sum");
  c.out(0, lower_part(c, {"LayerNormalization",
                          {as_source(c, sum), e.scale, e.shift},
                          {{"epsilon", float_attribute(c.attr_float("epsilon", 1e-12f))}}}));
  if (c.has_output(2)) c.out(2, sum);
  if (!c.has_output(1)) return;
  OpParams none;
  none.set(FillParams{{batch}, DType::I32, 0, 0});
  if (!c.has(mask)) return c.out(1, c.apply(Op::Fill, std::span<const Tensor>(), none, ":no_mask"));
  const Tensor given = c.in(mask);
  if (!given || given->rank() != 2) return c.fail("its mask has not two dimensions");
  const Tensor ones = c.op(Op::Equal, {given, c.scalar(1, given.dtype(), ":one")}, ":ones");
  c.out(1, c.op_with(Op::ReduceSum, {c.cast(ones, DType::I32, ":ones_i32")}, ReduceParams{2, false}, ":mask_index"));
}

void embed_layer_norm(OpCall& c) {
  embed(c, {source_of(c, 2), source_of(c, 3), source_of(c, 4), source_of(c, 5), source_of(c, 6)}, 7, 8);
}

// The same, each table with a scale and a zero point.
void q_embed_layer_norm(OpCall& c) {
  const auto plain = [&](size_t i, size_t scale, size_t zero, const char* suffix) -> ValuePtr {
    if (!c.has(i)) return nullptr;
    return as_source(
        c, lower_part(c, {"DequantizeLinear", {source_of(c, i), source_of(c, scale), source_of(c, zero)}, {}, suffix}));
  };
  embed(c,
        {plain(2, 8, 13, ":word_table"), plain(3, 9, 14, ":position_table"), plain(4, 10, 15, ":segment_table"),
         plain(5, 11, 16, ":scale"), plain(6, 12, 17, ":shift")},
        7, 99);
}

// Group normalisation, channels-last by default; a skip connection is added before it, SiLU applied after it.
void group_norm_contrib(OpCall& c) {
  const bool skips = c.node().op == "SkipGroupNorm", last = c.attr_int("channels_last", 1) != 0;
  Tensor x = c.in(0);
  if (!x) return;
  if (x->rank() != 4) return c.fail(fmt::format("its input is {}: expected 4 dimensions", to_string(x.sizes())));
  const int64_t channels = x.sizes()[last ? 3 : 1];
  const Dims row = last ? Dims{channels} : Dims{channels, 1, 1};
  if (skips) {
    Tensor skip = c.in(3);
    if (!skip) return;
    if (skip->rank() == 2)
      skip = c.reshape(
          skip, last ? Dims{skip.sizes()[0], 1, 1, skip.sizes()[1]} : Dims{skip.sizes()[0], skip.sizes()[1], 1, 1},
          ":skip");
    x = c.op(Op::Add, {x, skip}, ":skipped");
    if (c.has(4)) x = c.op(Op::Add, {x, c.reshape(c.in(4), row, ":bias")}, ":sum");
    if (c.has_output(1)) c.out(1, x);
  }
  const int64_t activation = c.attr_int("activation", 0);
  if (activation != 0 && activation != 1)
    return c.fail(fmt::format("the activation {} is not supported: expected 0 or 1", activation));
  const Tensor planes = last ? channels_second(c, x, ":channels_second") : x;
  const DType type = c.value(0).dtype;
  Tensor y = lower_part(c, {"GroupNormalization",
                            {as_source(c, planes), as_source(c, c.cast(c.in(1), type, ":scale")),
                             as_source(c, c.cast(c.in(2), type, ":shift"))},
                            {{"epsilon", float_attribute(c.attr_float("epsilon", 1e-5f))},
                             {"num_groups", int_attribute(c.attr_int("groups", 0))}},
                            ":normalised"});
  if (activation == 1 && y) y = c.op(Op::Silu, {y}, ":activated");
  c.out(0, last ? channels_last(c, y, "") : y);
}

// Runs of as many numbers as there are scales, each by its mean square; times a gate.
void gated_rms_norm(OpCall& c) {
  const Tensor x = c.in_f32(0), scale = c.in_f32(1), gate = c.in_f32(2);
  if (!x || !scale || !gate) return;
  const int64_t run = scale->element_count();
  if (run < 1 || x->rank() < 1 || x.sizes().back() % run != 0 || !(x.sizes() == gate.sizes()))
    return c.fail(fmt::format("{} scales do not match the input {} and its gate", run, to_string(x.sizes())));
  const std::string activation = c.attr_string("activation", "silu");
  if (activation != "silu" && activation != "swish" && activation != "sigmoid")
    return c.fail(fmt::format("the activation '{}' is not supported", activation));
  const Tensor rows = c.reshape(x, {x->element_count() / run, run}, ":rows");
  const Tensor y = c.op_with(Op::RmsNorm, {rows, c.reshape(scale, {run}, ":scale_row")},
                             NormParams{1, c.attr_float("epsilon", 1e-5f)}, ":normalised");
  const Tensor open = c.op(activation == "sigmoid" ? Op::Sigmoid : Op::Silu, {gate}, ":gate");
  c.out(0, c.cast(c.op(Op::Mul, {c.reshape(y, x.sizes(), ":shaped"), open}, ":gated"), c.value(0).dtype));
}

constexpr HandlerEntry kContribNorms[] = {
    {"com.microsoft::EmbedLayerNormalization", embed_layer_norm},
    {"com.microsoft::GatedRMSNorm", gated_rms_norm},
    {"com.microsoft::GroupNorm", group_norm_contrib},
    {"com.microsoft::QEmbedLayerNormalization", q_embed_layer_norm},
    {"com.microsoft::SkipGroupNorm", group_norm_contrib},
    {"com.microsoft::SkipLayerNormalization", [](OpCall& c) { skip_norm(c, false); }},
    {"com.microsoft::SkipSimplifiedLayerNormalization", [](OpCall& c) { skip_norm(c, true); }},
};

}  // namespace

std::span<const HandlerEntry> contrib_norm_handlers() { return kContribNorms; }

}  // namespace arenascope::models
