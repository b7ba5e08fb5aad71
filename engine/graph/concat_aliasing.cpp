// SPDX-License-Identifier: MIT
#include "engine/graph/concat_aliasing.h"

#include <algorithm>
#include <vector>

#include <arenascope/graph/op_params.h>

namespace arenascope {
namespace {

// The node that owns exactly the tensor's bytes, or none.
NodeId whole_owner(const Graph& graph, const TensorImpl& tensor, std::span<const Lifetime> rows) {
  const NodeId id = graph.find_node(tensor);
  if (!id.valid() || !tensor.contiguous()) return NodeId::none();
  const Lifetime& life = rows[id.index()];
  if (!life.owner.valid() || !life.in_arena()) return NodeId::none();
  const TensorImpl& base = graph.node(life.owner);
  const bool whole =
      tensor.view_offset == 0 && tensor.offset == base.offset && tensor.byte_count() == base.byte_count();
  return whole ? life.owner : NodeId::none();
}

}  // namespace

void find_joins(const Graph& graph, std::span<const NodeId> order, Bytes alignment, std::span<Lifetime> rows) {
  struct Part {
    NodeId node;
    Bytes offset;
  };
  std::vector<Part> parts;
  for (NodeId id : order) {
    const TensorImpl& node = graph.node(id);
    if (node.op != Op::Concat || !rows[id.index()].in_arena() || !node.contiguous()) continue;
    const int axis = node.params.get<AxisParams>().axis;
    bool fits = true;
    for (int i = 0; i < axis; ++i) fits = fits && node.sizes[i] == 1;
    Bytes offset = 0;
    parts.clear();
    for (const TensorImpl* source : node.sources) {
      if (!fits) break;
      if (source->element_count() == 0) continue;
      const NodeId part = whole_owner(graph, *source, rows);
      fits = part.valid() && !rows[part.index()].part_of.valid() && offset % alignment == 0 &&
             std::none_of(parts.begin(), parts.end(), [&](const Part& p) { return p.node == part; });
      parts.push_back({part, offset});
      offset += source->byte_count();
    }
    if (!fits || offset != node.byte_count()) continue;
    for (const Part& part : parts) {
      rows[part.node.index()].part_of = id;
      rows[part.node.index()].part_offset = part.offset;
    }
  }
}

}  // namespace arenascope
