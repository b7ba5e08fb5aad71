// SPDX-License-Identifier: MIT
#include <arenascope/transform/partition.h>

#include <algorithm>

#include "engine/transform/graph_copier.h"
#include "engine/transform/partition_min_cut.h"

namespace arenascope {
namespace {

// Largest work (in FLOPs) that moves to the host to save a copy.
constexpr int64_t kSmallWork = 1 << 20;

// The value on each side, undefined where it has not been needed.
struct Sides {
  Tensor on[2];  // 0 main, 1 other
};

// Fixed cost of a copy: more than all bytes together.
constexpr int64_t kCopy = int64_t{1} << 44;
constexpr int64_t kMaxBytes = int64_t{1} << 32;

bool reads_aside(const PartitionOptions& options, const TensorImpl& node, size_t source) {
  return !options.follows || options.follows(node, static_cast<int>(source));
}

}  // namespace

PartitionSide side_for(const TensorImpl& node, bool must_run_on_host) {
  if (must_run_on_host) return PartitionSide::Other;
  return flops(node) > kSmallWork ? PartitionSide::Main : PartitionSide::Either;
}

std::vector<uint8_t> choose_sides(const Graph& graph, const std::function<PartitionSide(const TensorImpl&)>& place,
                                  const PartitionOptions& options) {
  const auto nodes = graph.nodes();
  const size_t values = nodes.size() + graph.leafs().size();
  std::vector<PartitionSide> sides(values, options.leafs_on_main ? PartitionSide::Main : PartitionSide::Either);
  bool all_on_main = true;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]->op != Op::None) sides[i] = place(*nodes[i]);
    all_on_main = all_on_main && sides[i] != PartitionSide::Other;
  }
  if (all_on_main) return std::vector<uint8_t>(values, 0);

  PartitionMinCut cut(graph);  // the other side is the first of the cut
  for (size_t i = 0; i < values; ++i) {
    if (sides[i] == PartitionSide::Other) cut.pin_first(i);
    if (sides[i] == PartitionSide::Main) cut.pin_second(i);
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t s = 0; s < nodes[i]->sources.size(); ++s) {
      const size_t source = cut.value_of(*nodes[i]->sources[s]);
      if (s == 0 && nodes[i]->is_view() && sides[i] != PartitionSide::Main)
        cut.keep_together(source, i);
      else if (reads_aside(options, *nodes[i], s))
        cut.read_with(source, i);
      else
        cut.read_on_second(source);
    }
  return cut.choose([](const TensorImpl& value) { return kCopy + std::min<int64_t>(value.byte_count(), kMaxBytes); });
}

namespace {

class Partitioning {
 public:
  Partitioning(GraphCopier& copier, const std::vector<uint8_t>& on_other, const PartitionOptions& options,
               PartitionedGraph& out)
      : copier_(copier), on_other_(on_other), options_(options), out_(out), values_(on_other.size()) {}

  Status run() {
    const auto nodes = copier_.given().nodes(), leafs = copier_.given().leafs();
    for (size_t v = 0; v < values_.size(); ++v) {
      TensorImpl* const tensor = v < nodes.size() ? nodes[v] : leafs[v - nodes.size()];
      if (tensor->op != Op::None) continue;
      values_[v].on[on_other_[v] != 0] = Tensor(tensor);
      if (on_other_[v] == 0) out_.main_leafs.push_back(tensor);
    }
    return copier_.for_each_node([this](NodeId id, const TensorImpl& node) { return copy(id, node); });
  }

 private:
  Status copy(NodeId id, const TensorImpl& node) {
    const Graph& given = copier_.given();
    const int mine = on_other_[id.index()] != 0;
    std::vector<Tensor> sources;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      const TensorImpl& source = *node.sources[k];
      const NodeId from = given.find_node(source);
      Sides& value = values_[from.valid() ? from.index() : given.nodes().size() + given.find_leaf(source).index()];
      auto tensor = on_side(value, source, node, reads_aside(options_, node, k) ? mine : 0);
      if (!tensor) return tensor.error();
      sources.push_back(std::move(*tensor));
    }
    auto made = copier_.copy(node, sources);
    if (!made) return made.error();
    if (mine == 1) (*made)->placement = options_.other;
    out_.other_nodes += mine == 1 && has_work(**made);
    values_[id.index()].on[mine] = *made;
    copier_.place_mapped(id, *made);
    return {};
  }

  // The value on that side; one copy is shared by all readers there.
  Result<Tensor> on_side(Sides& value, const TensorImpl& origin, const TensorImpl& reader, int side) {
    if (value.on[side]) return value.on[side];
    const Tensor from[] = {value.on[1 - side]};
    auto copy = copier_.make(reader, Op::Copy, from, OpParams(),
                             std::string(origin.name) + (side == 1 ? options_.to_other : options_.to_main));
    if (!copy) return copy;
    (*copy)->placement = side == 1                            ? options_.other
                         : origin.placement == options_.other ? Placement::Arena
                                                              : origin.placement;
    copier_.place(*copy);
    ++out_.copies;
    out_.copied += (*copy)->byte_count();
    value.on[side] = *copy;
    return copy;
  }

  GraphCopier& copier_;
  const std::vector<uint8_t>& on_other_;
  const PartitionOptions& options_;
  PartitionedGraph& out_;
  std::vector<Sides> values_;  // per node, then per leaf tensor
};

}  // namespace

Result<PartitionedGraph> partition_graph(const Graph& graph, const std::vector<uint8_t>& on_other,
                                         const PartitionOptions& options) {
  auto copier = GraphCopier::start(graph);
  if (!copier) return copier.error();
  PartitionedGraph out;
  if (auto ok = Partitioning(*copier, on_other, options, out).run(); !ok) return ok.error();
  if (auto ok = copier->finish(out); !ok) return ok.error();
  return out;
}

}  // namespace arenascope
