// SPDX-License-Identifier: MIT
// ONNX Runtime's hyper-connection operators: parallel residual streams, their mixing, and gates of n-gram memories.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::models {
namespace {

// Streams [.., branches, width] in f32, which may be concatenated in the file, [.., branches · width].
struct Streams {
  Tensor x;
  Dims before;  // the dimensions in front
  int64_t branches = 0, width = 0;
  bool flat = false;

  Dims sizes(std::initializer_list<int64_t> after) const {
    Dims out = before;
    for (const int64_t size : after) out.push_back(size);
    return out;
  }
  int last() const { return before.rank() + 1; }
};

bool read_streams(OpCall& c, Streams& s) {
  const Tensor x = c.in_f32(0);
  if (!x) return false;
  const int64_t specified = c.attr_int("num_branches", 0);
  const Dims& sizes = x.sizes();
  s.flat = specified != 0;
  const int own = s.flat ? 1 : 2;
  if (sizes.rank() < own || sizes.rank() - own + 2 > kMaxDims || specified < 0 ||
      (s.flat && (sizes.back() < 1 || sizes.back() % specified != 0)))
    c.fail(fmt::format("{} branches do not match the input {}", specified, to_string(sizes)));
  if (!c.ok()) return false;
  s.branches = s.flat ? specified : sizes.back(1);
  s.width = s.flat ? sizes.back() / specified : sizes.back();
  if (s.branches < 1 || s.width < 1) c.fail(fmt::format("there is nothing in {}", to_string(sizes)));
  s.before = sizes;
  s.before.resize(sizes.rank() - own);
  s.x = c.reshape(x, s.sizes({s.branches, s.width}), ":streams");
  return c.ok();
}

// One number for each branch, or for each element of it, as something that broadcasts to the streams.
Tensor read_gate(OpCall& c, size_t i, const Streams& s, bool may_be_flat) {
  const Tensor x = c.in_f32(i);
  if (!x) return {};
  const Dims& sizes = x.sizes();
  const Dims all = s.sizes({s.branches, s.width}), each = s.sizes({s.branches, 1});
  if (sizes == each || sizes == s.sizes({s.branches})) return c.reshape(x, each, ":gate");
  if (sizes == all || (may_be_flat && s.flat && sizes == s.sizes({s.branches * s.width})))
    return c.reshape(x, all, ":gate");
  c.fail(fmt::format("the gate {} does not match {}", to_string(sizes), to_string(all)));
  return {};
}

void branchwise_norm(OpCall& c) {
  Streams s;
  if (!read_streams(c, s)) return;
  Tensor scale;
  if (c.has(1)) {
    scale = c.in_f32(1);
    if (!scale) return;
    const Dims row{s.width}, all{s.branches, s.width};
    if (!(scale.sizes() == row || scale.sizes() == all || scale.sizes() == Dims{s.branches * s.width}))
      return c.fail(fmt::format("the scale {} does not match {} branches of {} elements", to_string(scale.sizes()),
                                s.branches, s.width));
    scale = c.reshape(scale, scale->element_count() == s.width ? row : all, ":scale");
  }
  Tensor y = c.op_with(Op::RmsNorm, {s.x}, NormParams{s.last(), c.attr_float("epsilon", 1e-5f)}, ":normalised");
  if (scale) y = c.op(Op::Mul, {y, scale}, ":scaled");
  c.out(0, c.cast(c.reshape(y, c.sizes(0), ":shaped"), c.value(0).dtype));
}

// One stream of all.
void pre_mix(OpCall& c) {
  Streams s;
  if (!read_streams(c, s)) return;
  const Tensor gate = read_gate(c, 1, s, true);
  if (!gate) return;
  Tensor y = c.op_with(Op::ReduceSum, {c.op(Op::Mul, {s.x, gate}, ":gated")}, ReduceParams{1u << (s.last() - 1), false},
                       ":sum");
  const float scale = c.attr_float("reduction_scale", 1);
  if (scale != 1.0f) y = c.op_with(Op::Scale, {y}, ScaleParams{scale, 0}, ":scaled");
  c.out(0, c.cast(y, c.value(0).dtype));
}

// Mixes the streams, and adds the layer's result to each with its own weight.
void post_mix(OpCall& c) {
  Streams s;
  if (!read_streams(c, s)) return;
  const Tensor gate = read_gate(c, 2, s, false), made = c.in_f32(1);
  if (!gate || !made) return;
  if (!(made.sizes() == s.sizes({s.width})))
    return c.fail(fmt::format("the layer's output {} does not match the streams {}", to_string(made.sizes()),
                              to_string(s.x.sizes())));
  Tensor y = s.x;
  if (c.has(3)) {
    const Tensor mix = c.in_f32(3);
    if (!mix) return;
    if (!(mix.sizes() == s.sizes({s.branches, s.branches})))
      return c.fail(fmt::format("the mixing matrix {} does not match {} streams", to_string(mix.sizes()), s.branches));
    y = c.mul_mat(c.op(Op::Transpose, {s.x}, ":streams_t"), c.op(Op::Transpose, {mix}, ":mix_t"), {}, 1, ":mixed");
  }
  const Tensor each = c.op(Op::Mul, {gate, c.reshape(made, s.sizes({1, s.width}), ":made")}, ":gated");
  c.out(0, c.cast(c.reshape(c.op(Op::Add, {y, each}, ":sum"), c.sizes(0), ":shaped"), c.value(0).dtype));
}

// A value for all branches, times how well each branch's key meets its query.
void engram_gate(OpCall& c) {
  const Tensor key = c.in_f32(0), query = c.in_f32(1), value = c.in_f32(2), key_scale = c.in_f32(3),
               query_scale = c.in_f32(4);
  if (!key || !query || !value || !key_scale || !query_scale) return;
  const Dims& s = key.sizes();
  if (s.rank() != 4 || !(query.sizes() == s) || !(value.sizes() == Dims{s[0], s[1], s[3]}) || s[3] < 1)
    return c.fail(fmt::format("keys {}, queries {} and values {}", to_string(s), to_string(query.sizes()),
                              to_string(value.sizes())));
  const Dims row{s[2], s[3]};
  const bool again = c.has_output(1);
  const Tensor scale = again ? c.in_f32(5) : Tensor();
  if (!(key_scale.sizes() == row) || !(query_scale.sizes() == row) || (again && (!scale || !(scale.sizes() == row))))
    return c.fail(fmt::format("its scales are not all {}", to_string(row)));
  const NormParams norm{3, c.attr_float("epsilon", 1e-5f)};
  const auto normed = [&](const Tensor& x, const Tensor& by, const char* suffix) {
    const std::string at = suffix;
    return c.op(Op::Mul, {c.op_with(Op::RmsNorm, {x}, norm, (at + "_normalised").c_str()), by}, suffix);
  };
  const Tensor met = c.op(Op::Mul, {normed(key, key_scale, ":key"), normed(query, query_scale, ":query")}, ":met");
  const Tensor sum = c.op_with(Op::ReduceSum, {met}, ReduceParams{8, true}, ":met_sum");
  const Tensor dot = c.op_with(Op::Scale, {sum}, ScaleParams{1 / std::sqrt(static_cast<float>(s[3])), 0}, ":dot");
  const Tensor size = c.op(Op::Max, {c.op(Op::Abs, {dot}, ":size"), c.scalar(1e-6, DType::F32, ":least")}, ":limited");
  const Tensor root = c.op(Op::Mul, {c.op(Op::Sign, {dot}, ":sign"), c.op(Op::Sqrt, {size}, ":root")}, ":signed_root");
  const Tensor y =
      c.op(Op::Mul, {c.op(Op::Sigmoid, {root}, ":gate"), c.reshape(value, {s[0], s[1], 1, s[3]}, ":value")},
           c.value(0).dtype == DType::F32 ? "" : ":gated");
  c.out(0, c.cast(y, c.value(0).dtype));
  if (again) c.out(1, c.cast(normed(y, scale, ":gated_normed"), c.value(0).dtype, ":normed"));
}

// Which of `count` are among the indices [T, k]: [T, count].
Tensor among(OpCall& c, const Tensor& indices, int64_t count, const char* suffix) {
  if (!indices) return {};
  const std::string at = suffix;
  OpParams line;
  line.set(FillParams{{count}, DType::I64, 0, 1});
  const Tensor all = c.apply(Op::Arange, std::span<const Tensor>(), line, (at + "_all").c_str());
  const Tensor rows = c.reshape(indices, {indices.sizes()[0], indices.sizes()[1], 1}, (at + "_rows").c_str());
  const Tensor hits = c.cast(c.op(Op::Equal, {rows, all}, (at + "_equal").c_str()), DType::F32, (at + "_hits").c_str());
  const Tensor any = c.op_with(Op::ReduceMax, {hits}, ReduceParams{2, false}, (at + "_any").c_str());
  return c.op(Op::Greater, {any, c.scalar(0, DType::F32, (at + "_none").c_str())}, suffix);
}

// Scores of all experts, and what they weigh: for a consumer that chooses by itself.
void all_scores(OpCall& c, Tensor logits, const Tensor& bias) {
  if (!c.has_output(1) || !c.has_output(2) || c.has_output(0))
    return c.fail("it must have the outputs for scores and weights only");
  if (c.attr_int("n_group", 1) != 1 || c.attr_int("topk_group", 1) != 1)
    return c.fail("its scores are of several groups");
  if (c.has(2)) {
    const Tensor weight = c.in_f32(2);
    if (!weight) return;
    const Dims& w = weight.sizes();
    if (w.rank() != 2 || logits->rank() != 2 || w[1] != logits.sizes()[1] || w[1] < 1 || w[1] % 256 != 0)
      return c.fail(
          fmt::format("the projection {} does not match the input {}", to_string(w), to_string(logits.sizes())));
    logits = c.mul_mat(weight, logits, {}, 1, ":logits");
  }
  if (!logits) return;
  const int64_t experts = logits.sizes().back();
  if (!(bias.sizes() == Dims{experts}))
    return c.fail(fmt::format("its bias has the shape {}: expected [{}]", to_string(bias.sizes()), experts));
  if (c.attr_int("top_k", 0) > experts || experts > 512)
    return c.fail(fmt::format("a selection of {} out of {} experts is not supported", c.attr_int("top_k", 0), experts));
  const Dims rows{logits->element_count() / experts, experts};
  const Tensor shares = c.op(Op::Sigmoid, {c.reshape(logits, rows, ":rows")}, ":weights");
  c.out(2, shares);
  c.out(1, c.op(Op::Add, {shares, bias}, ":scores"));
}

// The best groups of experts by their best members, and the best experts of these.
void group_router(OpCall& c) {
  const Tensor logits = c.in_f32(0), bias = c.in_f32(1);
  if (!logits || !bias) return;
  const int64_t k = c.attr_int("top_k", 0), groups = c.attr_int("n_group", 1), best = c.attr_int("topk_group", 1);
  if (logits->rank() < 2 || logits.sizes().back() < 1)
    return c.fail(
        fmt::format("its logits have the shape {}: expected at least 2 dimensions", to_string(logits.sizes())));
  if (k < 1) return c.fail(fmt::format("top_k is {}: expected at least 1", k));
  if (c.has_output(1) || c.has_output(2)) return all_scores(c, logits, bias);
  const int64_t experts = logits.sizes().back(), rows = logits->element_count() / experts;
  if (c.has(2)) return c.fail("a projection requires the output of the scores of all experts");
  if (!(bias.sizes() == Dims{experts}))
    return c.fail(fmt::format("its bias has the shape {}: expected [{}]", to_string(bias.sizes()), experts));
  if (groups < 1 || experts % groups != 0 || best < 1 || best > groups || k > experts)
    return c.fail(
        fmt::format("{} of {} experts in {} of {} groups are not a valid selection", k, experts, best, groups));
  const int64_t members = experts / groups, counted = c.attr_int("group_topk", 2);
  if (counted < 1) return c.fail(fmt::format("group_topk is {}: expected at least 1", counted));
  const Tensor shares = c.op(Op::Sigmoid, {c.reshape(logits, {rows, experts}, ":rows")}, ":weights");
  Tensor scores = c.op(Op::Add, {shares, bias}, ":scores");
  if (best < groups) {
    const Tensor by_group = c.reshape(scores, {rows, groups, members}, ":by_group");
    const Tensor tops =
        c.op_with(Op::TopKValues, {by_group}, TopKParams{2, std::min(counted, members), true, true}, ":tops");
    const Tensor sums = c.op_with(Op::ReduceSum, {tops}, ReduceParams{4, false}, ":group_sums");
    const Tensor taken = among(c, c.op_with(Op::TopKIndices, {sums}, TopKParams{1, best, true, true}, ":group_indices"),
                               groups, ":groups");
    const Tensor open = c.reshape(taken, {rows, groups, 1}, ":open");
    const Tensor never = c.scalar(-std::numeric_limits<double>::infinity(), DType::F32, ":never");
    scores = c.reshape(c.op(Op::Where, {open, by_group, never}, ":open_scores"), {rows, experts}, ":candidates");
  }
  const Tensor chosen =
      among(c, c.op_with(Op::TopKIndices, {scores}, TopKParams{1, std::min(k, best * members), true, true}, ":indices"),
            experts, ":chosen");
  const Tensor logs =
      c.op(Op::Log, {c.op(Op::Max, {shares, c.scalar(1e-20, DType::F32, ":least")}, ":limited")}, ":logs");
  const Tensor rest = c.scalar(static_cast<double>(c.attr_float("router_sentinel", -10000)), DType::F32, ":sentinel");
  const DType type = c.value(0).dtype;
  c.out(0, c.cast(c.op(Op::Where, {chosen, logs, rest}, type == DType::F32 ? "" : ":routed"), type));
}

constexpr HandlerEntry kContribBranches[] = {
    {"com.microsoft::BranchwiseRMSNorm", branchwise_norm}, {"com.microsoft::EngramGate", engram_gate},
    {"com.microsoft::HyperConnectionPostMix", post_mix},   {"com.microsoft::HyperConnectionPreMix", pre_mix},
    {"com.microsoft::MoEGroupRouter", group_router},
};

}  // namespace

std::span<const HandlerEntry> contrib_hyper_connection_handlers() { return kContribBranches; }

}  // namespace arenascope::models
