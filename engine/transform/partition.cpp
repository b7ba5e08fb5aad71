// SPDX-License-Identifier: MIT
#include <arenascope/transform/partition.h>

#include <algorithm>

#include "engine/transform/min_cut.h"

namespace arenascope {
namespace {

// Work that is moved to the host to save a copy is at most this much.
constexpr int64_t kSmallWork = 1 << 20;

// A value once on each side, at most.
struct Sides {
  Tensor on[2];  // 0 main, 1 other
};

// What a copy costs beside its bytes: more than all bytes together.
constexpr int64_t kCopy = int64_t{1} << 44;
constexpr int64_t kMostBytes = int64_t{1} << 32;

bool reads_aside(const PartitionOptions& options, const TensorImpl& node, size_t source) {
  return !options.follows || options.follows(node, static_cast<int>(source));
}

}  // namespace

Side side_for(const TensorImpl& node, bool must_run_on_host) {
  if (must_run_on_host) return Side::Other;
  return flops(node) > kSmallWork ? Side::Main : Side::Either;
}

std::vector<uint8_t> choose_sides(const Graph& graph, const std::function<Side(const TensorImpl&)>& place,
                                  const PartitionOptions& options) {
  const auto nodes = graph.nodes();
  const auto leafs = graph.leafs();
  std::vector<uint8_t> out(nodes.size() + leafs.size(), 0);
  std::vector<Side> sides(nodes.size(), Side::Either);
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i]->op == Op::None)
      sides[i] = Side::Main;
    else
      sides[i] = place(*nodes[i]);
  if (std::find(sides.begin(), sides.end(), Side::Other) == sides.end()) return out;

  MinCut cut;  // nodes, then leafs, then what copies need
  for (size_t i = 0; i < nodes.size() + leafs.size(); ++i) cut.add_vertex();
  const int other = cut.add_vertex(), main = cut.add_vertex();
  std::vector<std::vector<int>> users(nodes.size() + leafs.size());
  const auto pin = [&](int vertex, Side side) {
    if (side == Side::Other) cut.add_edge(other, vertex, MinCut::kForbidden);
    if (side == Side::Main) cut.add_edge(vertex, main, MinCut::kForbidden);
  };
  const auto together = [&](int a, int b) {
    cut.add_edge(a, b, MinCut::kForbidden);
    cut.add_edge(b, a, MinCut::kForbidden);
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto vertex = static_cast<int>(i);
    pin(vertex, sides[i]);
    for (size_t s = 0; s < nodes[i]->sources.size(); ++s) {
      const TensorImpl& source = *nodes[i]->sources[s];
      const NodeId node = graph.find_node(source);
      const int from = node.valid() ? node.value : static_cast<int>(nodes.size()) + graph.find_leaf(source).value;
      if (nodes[i]->is_view() && sides[i] != Side::Main)
        together(from, vertex);
      else
        users[static_cast<size_t>(from)].push_back(reads_aside(options, *nodes[i], s) ? vertex : main);
    }
  }
  if (options.leafs_on_main)
    for (size_t i = 0; i < leafs.size(); ++i) pin(static_cast<int>(nodes.size() + i), Side::Main);
  for (size_t v = 0; v < users.size(); ++v) {
    const auto value = static_cast<int>(v);
    const Bytes bytes = v < nodes.size() ? nodes[v]->byte_count() : leafs[v - nodes.size()]->byte_count();
    const int64_t cost = kCopy + std::min<int64_t>(bytes, kMostBytes);
    if (users[v].empty()) continue;
    // One copy serves all users on the side where the value is not.
    const int to_main = cut.add_vertex(), to_other = cut.add_vertex();
    cut.add_edge(value, to_main, cost);
    cut.add_edge(to_other, value, cost);
    for (int user : users[v]) {
      cut.add_edge(to_main, user, MinCut::kForbidden);
      cut.add_edge(user, to_other, MinCut::kForbidden);
    }
  }
  const auto found = cut.side_of(other, main);
  std::copy_n(found.begin(), out.size(), out.begin());
  return out;
}

Result<PartitionedGraph> partition_graph(const Graph& graph, const std::vector<uint8_t>& on_other,
                                         const PartitionOptions& options) {
  const auto nodes = graph.nodes();
  const auto leafs = graph.leafs();
  PartitionedGraph out;
  size_t sources = 1;
  for (const TensorImpl* node : nodes) sources = std::max(sources, node->sources.size());
  const size_t capacity = 3 * nodes.size() + 2 * leafs.size() + 8;
  const size_t pool =
      Context::graph_overhead(capacity) + capacity * Context::tensor_overhead(sources) + (size_t{1} << 16);
  auto context = Context::create({.mem_size = pool, .no_alloc = true});
  if (!context) return context.error();
  auto made_graph = context->new_graph(capacity);
  if (!made_graph) return made_graph.error();
  out.graph = *made_graph;
  std::vector<Sides> values(nodes.size()), given(leafs.size());
  for (size_t i = 0; i < leafs.size(); ++i) {
    const bool other = on_other[nodes.size() + i] != 0;
    given[i].on[other ? 1 : 0] = Tensor(leafs[i]);
    if (!other) out.main_leafs.push_back(leafs[i]);
  }
  const auto layers = graph.context().layer_names();
  const auto on_side = [&](Sides& value, const TensorImpl& origin, int side) -> Result<Tensor> {
    if (value.on[side]) return value.on[side];
    const std::string name = std::string(origin.name) + (side == 1 ? options.to_other : options.to_main);
    const Tensor from[] = {value.on[1 - side]};
    auto copy = context->apply(Op::Copy, from, OpParams(), name);
    if (!copy) return copy.error();
    (*copy)->flags |= (origin.flags & (kFlagSpilled | kFlagPacked)) | (side == 1 ? options.flag : 0);
    if (side == 0) (*copy)->flags &= ~options.flag;
    if (auto ok = out.graph.expand(*copy); !ok) return ok.error();
    ++out.copies;
    out.copied += (*copy)->byte_count();
    value.on[side] = *copy;
    return *copy;
  };
  out.twins.resize(nodes.size());
  std::vector<Tensor> from;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TensorImpl& node = *nodes[i];
    const int mine = on_other[i] ? 1 : 0;
    if (node.op == Op::None) {  // a parameter
      values[i].on[0] = out.twins[i] = Tensor(nodes[i]);
      out.main_leafs.push_back(nodes[i]);
      if (auto ok = out.graph.expand(out.twins[i]); !ok) return ok.error();
      continue;
    }
    context->set_layer(node.layer >= 0 && node.layer < static_cast<int32_t>(layers.size())
                           ? layers[static_cast<size_t>(node.layer)]
                           : std::string_view());
    from.clear();
    for (size_t k = 0; k < node.sources.size(); ++k) {
      const TensorImpl* source = node.sources[k];
      const int read_on = reads_aside(options, node, k) ? mine : 0;
      const NodeId at = graph.find_node(*source);
      const LeafId leaf = at.valid() ? LeafId() : graph.find_leaf(*source);
      auto tensor =
          at.valid() ? on_side(values[at.index()], *source, read_on) : on_side(given[leaf.index()], *source, read_on);
      if (!tensor) return tensor.error();
      from.push_back(*tensor);
    }
    auto tensor = context->apply(node.op, from, node.params, node.name);
    if (!tensor) return tensor.error();
    (*tensor)->flags = node.flags;
    if (mine == 1) (*tensor)->flags |= options.flag;
    out.other_nodes += mine == 1 && has_work(**tensor);
    values[i].on[mine] = out.twins[i] = *tensor;
    if (auto ok = out.graph.expand(*tensor); !ok) return ok.error();
  }
  return out;
}

}  // namespace arenascope
