// SPDX-License-Identifier: MIT
#include <arenascope/graph/op.h>

#include <arenascope/base/checked.h>
#include "engine/graph/op_rules.h"

namespace arenascope {
namespace {

using namespace rules;

constexpr OpInfo kInfos[kOpCount] = {
#define X(id, text, least, most, shape, cost, traits) {text, least, most, shape, cost, traits},
    ARENASCOPE_OPS(X)
#undef X
};

}  // namespace

const OpInfo& info(Op op) { return kInfos[static_cast<int>(op)]; }

std::optional<Op> parse_op(std::string_view text) {
  for (int i = 0; i < kOpCount; ++i)
    if (text == kInfos[i].name) return static_cast<Op>(i);
  return std::nullopt;
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
