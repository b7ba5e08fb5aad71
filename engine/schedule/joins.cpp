// SPDX-License-Identifier: MIT
#include "engine/schedule/joins.h"

#include <algorithm>

#include <arenascope/graph/op_params.h>

namespace arenascope {
namespace {

// The node that owns all of the tensor's bytes and no others, or none.
NodeId whole_owner(const Graph& graph, const TensorImpl& tensor) {
  if (!tensor.contiguous()) return NodeId::none();
  const TensorImpl& base = tensor.view_source ? *tensor.view_source : tensor;
  if (base.op == Op::None || tensor.view_offset != 0 || tensor.offset != base.offset ||
      tensor.byte_count() != base.byte_count())
    return NodeId::none();
  return graph.find_node(base);
}

}  // namespace

Joins find_joins(const Graph& graph, std::span<const NodeId> order, std::span<const int64_t> interval_of,
                 Bytes alignment) {
  Joins out;
  std::vector<uint8_t> taken(interval_of.size(), 0);
  std::vector<NodeId> parts;
  for (NodeId id : order) {
    const TensorImpl& node = graph.node(id);
    if (node.op != Op::Concat || interval_of[id.index()] < 0 || !node.contiguous()) continue;
    const int axis = node.params.get<AxisParams>().axis;
    bool fits = true;
    for (int i = 0; i < axis; ++i) fits = fits && node.sizes[i] == 1;
    Bytes shift = 0;
    parts.clear();
    const size_t before = out.attachments.size();
    for (const TensorImpl* source : node.sources) {
      if (!fits) break;
      if (source->element_count() == 0) continue;
      const NodeId part = whole_owner(graph, *source);
      fits = part.valid() && interval_of[part.index()] >= 0 && !taken[part.index()] && shift % alignment == 0 &&
             std::find(parts.begin(), parts.end(), part) == parts.end();
      if (!fits) break;
      out.attachments.push_back(
          {static_cast<int32_t>(interval_of[part.index()]), static_cast<int32_t>(interval_of[id.index()]), shift});
      parts.push_back(part);
      shift += source->byte_count();
    }
    if (!fits || parts.empty() || shift != node.byte_count()) {
      out.attachments.resize(before);
      continue;
    }
    for (NodeId part : parts) taken[part.index()] = 1;
    out.nodes.push_back(id);
  }
  return out;
}

}  // namespace arenascope
