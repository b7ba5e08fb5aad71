// SPDX-License-Identifier: MIT
#include <arenascope/graph/op.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/op_params.h>
#include "engine/graph/op_rules.h"

namespace arenascope {
namespace {

using namespace rules;

// The error bounds of op_list.h.
struct Bound : ErrorBound {
  constexpr Bound and_terms(double epsilons, const char* why = "") const {
    Bound out = *this;
    out.terms = epsilons;
    out.note = why;
    return out;
  }
  constexpr Bound or_least(double error, const char* why = "") const {
    Bound out = *this;
    out.least = error;
    out.note = why;
    return out;
  }
};
constexpr Bound exact{};
constexpr Bound ulps(double units) { return {{units, 0, 0, 0, ""}}; }
constexpr Bound terms(double epsilons) { return {{0, epsilons, 0, 0, ""}}; }
constexpr Bound of_largest(double epsilons, const char* note = "") { return {{0, 0, epsilons, 0, note}}; }

constexpr OpInfo kInfos[kOpCount] = {
#define X(id, text, least, most, family, shape, cost, traits, bound, gradient) \
  {text, least, most, OpFamily::family, shape, cost, traits, bound},
    ARENASCOPE_OPS(X)
#undef X
};

constexpr OpInfo kUnknown = {"UNKNOWN", 0, -1, OpFamily::Unknown, no_rule, no_flops, 0, exact};

}  // namespace

const OpInfo& info(Op op) {
  const auto at = static_cast<size_t>(op);
  return at < static_cast<size_t>(kOpCount) ? kInfos[at] : kUnknown;
}

std::optional<Op> parse_op(std::string_view text) {
  for (int i = 0; i < kOpCount; ++i)
    if (text == kInfos[i].name) return static_cast<Op>(i);
  return std::nullopt;
}

Scalars scalars_of(const TensorImpl& node) {
  const uint8_t traits = info(node.op).traits;
  if (traits & kAlpha) {
    const auto p = node.params.get<AlphaParams>();
    return {static_cast<double>(p.alpha), static_cast<double>(p.beta)};
  }
  if (traits & kLimits) {
    const auto p = node.params.get<ClampParams>();
    return {p.low, p.high};
  }
  if (traits & kAffine) {
    const auto p = node.params.get<ScaleParams>();
    return {static_cast<double>(p.scale), static_cast<double>(p.bias)};
  }
  return {};
}

bool has_work(const TensorImpl& node) {
  return node.op != Op::None && !info(node.op).is_view() && node.element_count() != 0;
}

int64_t flops(const TensorImpl& node) { return has_work(node) ? info(node.op).flops(node) : 0; }

Bytes bytes_moved(const TensorImpl& node) {
  if (!has_work(node)) return 0;
  Bytes bytes = node.byte_count();
  for (const TensorImpl* source : node.sources) {
    // A gather reads the rows that it takes, not the whole table.
    const bool table = node.op == Op::Gather && source == node.sources[0];
    bytes = saturating_add(bytes, table ? node.byte_count() : source->byte_count());
  }
  return bytes;
}

}  // namespace arenascope
