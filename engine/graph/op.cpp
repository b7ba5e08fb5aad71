// SPDX-License-Identifier: MIT
#include <arenascope/graph/op.h>

#include <array>

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

constexpr uint32_t number_of(std::string_view text) {
  uint32_t hash = 0x811c9dc5;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x01000193;
  return hash;
}

constexpr auto kNumbers = [] {
  std::array<uint32_t, kOpCount> out{};
  for (int i = 0; i < kOpCount; ++i) out[static_cast<size_t>(i)] = number_of(kInfos[i].name);
  return out;
}();

constexpr bool all_different() {
  for (size_t i = 0; i < kNumbers.size(); ++i)
    for (size_t k = 0; k <= i; ++k)
      if (kNumbers[i] == (k < i ? kNumbers[k] : 0)) return false;
  return true;
}
static_assert(all_different(), "two ops have the same number: give one of them another name");

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
  const uint16_t traits = info(node.op).traits;
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

uint32_t number(Op op) { return static_cast<size_t>(op) < kNumbers.size() ? kNumbers[static_cast<size_t>(op)] : 0; }

std::optional<Op> op_of_number(uint32_t number) {
  for (size_t i = 0; i < kNumbers.size(); ++i)
    if (kNumbers[i] == number) return static_cast<Op>(i);
  return std::nullopt;
}

bool has_work(const TensorImpl& node) {
  return node.op != Op::None && !info(node.op).is_view() && node.element_count() != 0;
}

int64_t flops(const TensorImpl& node) { return has_work(node) ? info(node.op).flops(node) : 0; }

Bytes bytes_moved(const TensorImpl& node) {
  if (!has_work(node)) return 0;
  if (info(node.op).writes_source())
    return saturating_add(node.sources[1]->byte_count(), node.sources[1]->byte_count());
  Bytes bytes = node.byte_count();
  for (const TensorImpl* source : node.sources) {
    // GATHER reads only the selected rows, not the whole table.
    const bool table = node.op == Op::Gather && source == node.sources[0];
    bytes = saturating_add(bytes, table ? node.byte_count() : source->byte_count());
  }
  return bytes;
}

}  // namespace arenascope
