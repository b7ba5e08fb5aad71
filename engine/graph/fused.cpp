// SPDX-License-Identifier: MIT
#include <arenascope/graph/fused.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/graph/opaque.h>
#include "engine/graph/op_rules.h"

namespace arenascope {
namespace {

static_assert(sizeof(ConvParams) <= FusedParams::kAnchorBytes && sizeof(FusedParams) <= OpParams::kCapacity);

constexpr std::string_view kBetween = " + ";

}  // namespace

bool is_fused_step(Op op) { return info(op).is_fusable() || op == Op::Cast; }

int step_operands(Op op) { return info(op).family == OpFamily::Unary || op == Op::Cast ? 1 : 2; }

FusedStep make_fused_step(const TensorImpl& node) {
  FusedStep step;
  step.op = static_cast<uint16_t>(node.op);
  const Scalars scalars = scalars_of(node);
  step.p = static_cast<float>(scalars.a), step.q = static_cast<float>(scalars.b);
  if (node.op == Op::Cast) step.p = static_cast<float>(static_cast<int>(node.dtype));
  if (node.op == Op::BatchNorm) step.p = node.params.get<BatchNormParams>().epsilon;
  return step;
}

bool ends_with_cast(const FusedParams& p) {
  return p.steps > 0 && p.steps <= FusedParams::kMaxSteps && FusedParams::op(p.step[p.steps - 1]) == Op::Cast;
}

Op anchor_of(const TensorImpl& node) {
  if (node.op != Op::Fused) return node.op;
  const Op anchor = node.params.get<FusedParams>().anchor_op();
  return anchor == Op::None ? Op::Fused : anchor;
}

size_t anchor_sources(const TensorImpl& node) {
  return node.op == Op::Fused ? node.params.get<FusedParams>().anchor_sources : node.sources.size();
}

std::vector<Op> held_ops(const TensorImpl& node) {
  if (node.op != Op::Fused) return {node.op};
  const auto p = node.params.get<FusedParams>();
  std::vector<Op> out;
  if (p.anchor_op() != Op::None) out.push_back(p.anchor_op());
  for (int i = 0; i < p.steps; ++i) out.push_back(FusedParams::op(p.step[i]));
  return out;
}

std::string ops_text(const TensorImpl& node) {
  std::string out = opaque_op(node);
  if (!out.empty()) return out;
  for (const Op op : held_ops(node)) out += fmt::format("{}{}", out.empty() ? "" : "+", name(op));
  return out;
}

std::vector<std::string> held_names(const TensorImpl& node) {
  const std::string_view name = node.name;
  if (node.op != Op::Fused) return {std::string(name)};
  const auto p = node.params.get<FusedParams>();
  const size_t parts = static_cast<size_t>(p.steps) + (p.anchor_op() == Op::None ? 0 : 1);
  std::vector<std::string> out;
  size_t cursor = 0;
  for (size_t i = 0; i < parts; ++i) {
    if (cursor > name.size()) return {};
    out.emplace_back(name.substr(cursor, p.name_size[i]));
    cursor += p.name_size[i] + kBetween.size();
  }
  if (cursor != name.size() + kBetween.size()) return {};
  return out;
}

std::string join_names(const std::vector<std::string>& names, FusedParams& params) {
  for (size_t i = 0; i < names.size() && i < std::size(params.name_size); ++i)
    params.name_size[i] = static_cast<uint16_t>(std::min<size_t>(names[i].size(), UINT16_MAX));
  return fmt::format("{}", fmt::join(names, kBetween));
}

std::string held_text(const TensorImpl& node) {
  if (node.op != Op::Fused) return {};
  const auto ops = held_ops(node);
  const auto names = held_names(node);
  std::string out;
  for (size_t i = 0; i < ops.size(); ++i)
    out += fmt::format("{}{}{}", i == 0 ? "" : ", ", name(ops[i]), names.size() == ops.size() ? " " + names[i] : "");
  return out;
}

namespace rules {
namespace {

// Checks that an input is f32 and broadcasts to the sizes of the result.
Status fits(const TensorImpl& source, const Dims& sizes) {
  if (source.dtype != DType::F32)
    return refuse(Op::Fused, fmt::format("an operand of a step is {}, not f32", name(source.dtype)));
  auto both = broadcast(source.sizes, sizes);
  if (both.ok() && *both == sizes) return {};
  return refuse(Op::Fused, fmt::format("an operand {} of a step is not broadcast to {}", to_string(source.sizes),
                                       to_string(sizes)));
}

Status check_step(const FusedStep& step, int made, Sources sources, const Dims& sizes) {
  const Op op = FusedParams::op(step);
  if (step.op >= kOpCount || !is_fused_step(op))
    return refuse(Op::Fused, fmt::format("op {} cannot be a step", step.op));
  const int count = static_cast<int>(sources.size());
  const int8_t operands[] = {step.left, step.right};
  for (int i = 0; i < step_operands(op); ++i) {
    const int operand = operands[i];
    if (operand >= count || -1 - operand >= made)
      return refuse(Op::Fused, fmt::format("{} has no operand {}", name(op), operand));
    if (op == Op::BatchNorm && i == 1) break;
    if (operand >= 0)
      if (auto ok = fits(*sources[static_cast<size_t>(operand)], sizes); !ok) return ok;
  }
  if (op != Op::BatchNorm) return {};
  if (sizes.rank() < 2 || step.right < 0 || step.right + 4 > count)
    return refuse(Op::Fused, "BATCH_NORM lacks channels or statistics");
  for (int i = 0; i < 4; ++i) {
    const TensorImpl& source = *sources[static_cast<size_t>(step.right + i)];
    if (source.dtype != DType::F32 || !(source.sizes == Dims{sizes[1]}))
      return refuse(Op::Fused, fmt::format("{} {} is not one f32 for each of {} channels", name(source.dtype),
                                           to_string(source.sizes), sizes[1]));
  }
  return {};
}

}  // namespace

Result<Inferred> fused_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<FusedParams>();
  if (p.steps < 1 || p.steps > FusedParams::kMaxSteps) return refuse(op, fmt::format("it has {} steps", p.steps));
  Inferred made;
  if (p.anchor_op() != Op::None) {
    if (p.anchor >= kOpCount || p.anchor_op() == Op::Fused || info(p.anchor_op()).is_view())
      return refuse(op, "its anchor is not an op that can be fused");
    const OpInfo& anchor = info(p.anchor_op());
    if (p.anchor_sources > sources.size() || p.anchor_sources < anchor.min_sources ||
        (anchor.max_sources >= 0 && p.anchor_sources > anchor.max_sources))
      return refuse(op, fmt::format("{} got {} inputs", anchor.name, p.anchor_sources));
    auto inferred = anchor.shape_rule(p.anchor_op(), sources.first(p.anchor_sources), params);
    if (!inferred) return inferred;
    made = *inferred;
  } else {
    made.dtype = DType::F32;
    for (int i = 0; i < p.steps; ++i) {
      const Op step = FusedParams::op(p.step[i]);
      const int8_t operands[] = {p.step[i].left, p.step[i].right};
      for (int k = 0; k < (step == Op::BatchNorm ? 1 : step_operands(step)); ++k) {
        if (operands[k] == -1) return refuse(op, "a step reads the result of an anchor, but the node has none");
        if (operands[k] < 0 || operands[k] >= static_cast<int>(sources.size())) continue;
        auto both = broadcast(made.sizes, sources[static_cast<size_t>(operands[k])]->sizes);
        if (!both) return refuse(op, both.error().message);
        made.sizes = *both;
      }
    }
  }
  if (made.dtype != DType::F32) return refuse(op, fmt::format("its result is {}, not f32", name(made.dtype)));
  uint64_t read[2] = {};
  for (int i = 0; i < p.steps; ++i) {
    if (auto ok = check_step(p.step[i], i + 1, sources, made.sizes); !ok) return ok.error();
    if (p.step[i].left >= 0) read[p.step[i].left / 64] |= uint64_t{1} << p.step[i].left % 64;
    if (step_operands(FusedParams::op(p.step[i])) == 2 && p.step[i].right >= 0)
      read[p.step[i].right / 64] |= uint64_t{1} << p.step[i].right % 64;
  }
  if (std::popcount(read[0]) + std::popcount(read[1]) > FusedParams::kMaxOperands)
    return refuse(op, fmt::format("its steps read more than {} operands", FusedParams::kMaxOperands));
  for (int i = 0; i < p.steps; ++i) {
    if (FusedParams::op(p.step[i]) != Op::Cast) continue;
    const float type = p.step[i].p;
    if (i + 1 != p.steps || p.anchor_op() != Op::None || !(type >= 0 && type < static_cast<float>(kDTypeCount)) ||
        info(static_cast<DType>(type)).quantised)
      return refuse(op, "only its last step may be a CAST, and only without an anchor");
    made.dtype = static_cast<DType>(type);
  }
  return made;
}

int64_t fused_flops(const TensorImpl& node) {
  const auto p = node.params.get<FusedParams>();
  int64_t flops = saturating_mul(node.element_count(), int64_t{p.steps});
  if (p.anchor_op() != Op::None) flops = saturating_add(flops, info(p.anchor_op()).flops(node));
  return flops;
}

}  // namespace rules
}  // namespace arenascope
