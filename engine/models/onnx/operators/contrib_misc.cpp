// SPDX-License-Identifier: MIT
// ONNX Runtime contrib operators that resemble no other: a spectrum, unique elements, repeated n-grams.
#include <fmt/format.h>
#include "engine/models/onnx/operators/decompose.h"

#include <algorithm>
#include <limits>

namespace arenascope::models {
namespace {

// Slice of ONNX's own domain, from before it was standardised.
void dynamic_slice(OpCall& c) {
  c.out(0,
        lower_part(c, {"Slice", {source_of(c, 0), source_of(c, 1), source_of(c, 2), source_of(c, 3)}, {}, {}, 1, 10}));
}

void expand_dims(OpCall& c) {
  c.out(0, lower_part(c, {"Unsqueeze", {source_of(c, 0), source_of(c, 1)}, {}, {}, 1, 13}));
}

// Distinct entries in order of first occurrence, the index of each, and counts.
void unique_in_order(OpCall& c) {
  const auto made = lower_parts(c, {"Unique", {source_of(c, 0)}, {{"sorted", int_attribute(0)}}, {}, 4, 11});
  if (made.size() == 4) c.out(0, made[0]), c.out(1, made[2]), c.out(2, made[3]);
}

// Tokens that would complete an n-gram of the sequence again get a score of minus infinity.
void block_repeats(OpCall& c) {
  const Tensor ids = c.in(0), scores = c.in(1);
  const int64_t size = c.attr_int("ngram_size", 0);
  if (!ids || !scores) return;
  if (ids->rank() != 2 || scores->rank() != 2 || ids.sizes()[0] != scores.sizes()[0] || size < 1)
    return c.fail(
        fmt::format("runs of {} in {} for scores {}", size, to_string(ids.sizes()), to_string(scores.sizes())));
  const int64_t length = ids.sizes()[1], runs = length - size + 1;
  if (runs < 1) return c.out(0, c.op(Op::Copy, {scores}));
  if (size > 64) return c.fail(fmt::format("an ngram_size of {} is not supported: at most 64", size));
  Tensor alike;
  for (int64_t i = 0; i + 1 < size; ++i) {
    const std::string at = fmt::format(":word_{}", i);
    const Tensor before = c.slice(ids, 1, i, i + runs, 1, (at + "_before").c_str());
    const int64_t last = length - size + 1 + i;
    const Tensor same =
        c.op(Op::Equal, {before, c.slice(ids, 1, last, last + 1, 1, (at + "_last").c_str())}, at.c_str());
    alike = alike ? c.op(Op::And, {alike, same}, (at + "_all").c_str()) : same;
  }
  // How often each token of each row would end one.
  const int64_t batch = ids.sizes()[0], tokens = scores.sizes()[1];
  if (tokens < 1 || tokens > (int64_t{1} << 40) / std::max<int64_t>(batch, 1))
    return c.fail(fmt::format("a text of {} tokens is not supported", tokens));
  const Tensor ends = c.cast(c.slice(ids, 1, size - 1, length, 1, ":ends"), DType::I64, ":ends_i64");
  OpParams rows, ones;
  rows.set(FillParams{{batch, 1}, DType::I64, 0, static_cast<double>(tokens)});
  const Tensor row = c.apply(Op::Arange, std::span<const Tensor>(), rows, ":rows");
  const Tensor indices = c.reshape(c.op(Op::Add, {ends, row}, ":places"), {batch * runs}, ":places_line");
  ones.set(FillParams{{batch, runs}, DType::F32, 1, 0});
  const Tensor hits =
      alike ? c.cast(alike, DType::F32, ":hits") : c.apply(Op::Fill, std::span<const Tensor>(), ones, ":hits");
  const Tensor counts = c.op_with(Op::GatherBack, {c.reshape(hits, {batch * runs, 1}, ":hits_line"), indices},
                                  GatherBackParams{batch * tokens}, ":counts");
  const Tensor said = c.op(
      Op::Greater, {c.reshape(counts, {batch, tokens}, ":counts_rows"), c.scalar(0, DType::F32, ":none")}, ":said");
  const double never = -std::numeric_limits<double>::infinity();
  c.out(0, c.op(Op::Where, {said, c.scalar(never, scores.dtype(), ":never"), scores}));
}

// One-sided spectrum of real numbers along the last dimension.
void rfft(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  if (c.attr_int("signal_ndim", 1) != 1 || c.attr_int("onesided", 1) != 1 || c.attr_int("normalized", 0) != 0)
    return c.fail("only one-dimensional, one-sided spectra without normalisation are supported");
  if (x->rank() < 1 || x->rank() >= kMaxDims)
    return c.fail(
        fmt::format("its input has the shape {}: expected 1 to {} dimensions", to_string(x.sizes()), kMaxDims - 1));
  Dims sizes = x.sizes();
  sizes.push_back(1);
  const Tensor real = c.reshape(x, sizes, ":real");
  c.out(0, lower_part(c, {"DFT",
                          {as_source(c, real)},
                          {{"axis", int_attribute(x->rank() - 1)}, {"onesided", int_attribute(1)}},
                          {},
                          1,
                          17}));
}

constexpr HandlerEntry kContribMisc[] = {
    {"DynamicSlice", dynamic_slice},
    {"com.microsoft::ExpandDims", expand_dims},
    {"com.microsoft::NGramRepeatBlock", block_repeats},
    {"com.microsoft::Rfft", rfft},
    {"com.microsoft::Unique", unique_in_order},
};

}  // namespace

std::span<const HandlerEntry> contrib_misc_handlers() { return kContribMisc; }

}  // namespace arenascope::models
