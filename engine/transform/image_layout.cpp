// SPDX-License-Identifier: MIT
#include <arenascope/transform/image_layout.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/transform/min_cut.h"

namespace arenascope {
namespace {

// A copy from one layout to the other: a node more, and reading and writing across lines.
constexpr int64_t kCopyNanoseconds = 3000;
constexpr double kCopyNanosecondsPerByte = 0.2;

int64_t copy_cost(const TensorImpl& image) {
  return kCopyNanoseconds + static_cast<int64_t>(kCopyNanosecondsPerByte * static_cast<double>(image.byte_count()));
}

bool may_lie_last(const TensorImpl& node) {
  return has_work(node) && !node.is_view() && node.dtype == DType::F32 && !node.has(kFlagOutput) &&
         has_two_layouts(node.sizes.span());
}

// How a node reads a source whose layout matters.
enum class Reads { Plain, AsResult, Either };

Reads reads(const ChannelsLast& can, size_t source) {
  if (source >= 32 || !(can.images >> source & 1)) return Reads::Plain;
  return can.reads ? Reads::Either : Reads::AsResult;
}

class LayingOut {
 public:
  LayingOut(const Graph& graph, const Capabilities& backend, const std::vector<uint8_t>& last, Context context,
            LaidOutGraph& out)
      : given_(graph),
        backend_(backend),
        last_(last),
        context_(std::move(context)),
        out_(out),
        other_(graph.nodes().size()),
        other_of_leaf_(graph.leafs().size()) {}

  Status run() {
    const auto nodes = given_.nodes();
    const auto layers = given_.context().layer_names();
    out_.twins.resize(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const TensorImpl& node = *nodes[i];
      if (node.op == Op::None) {
        out_.twins[i] = Tensor(nodes[i]);
      } else {
        const bool layered = node.layer >= 0 && node.layer < static_cast<int32_t>(layers.size());
        context_.set_layer(layered ? layers[static_cast<size_t>(node.layer)] : std::string_view());
        auto made = again(node, last_[i] != 0);
        if (!made) return made.error();
        out_.twins[i] = std::move(*made);
      }
      if (auto ok = out_.graph.expand(out_.twins[i]); !ok) return ok;
      out_.channels_last += last_[i];
    }
    return {};
  }

 private:
  Result<Tensor> again(const TensorImpl& node, bool last) {
    const ChannelsLast can = backend_.channels_last(node);
    std::vector<Tensor> sources;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      TensorImpl* const source = node.sources[k];
      const Reads how = reads(can, k);
      auto tensor =
          how == Reads::Either ? Result<Tensor>(twin(source)) : in_layout(source, last && how == Reads::AsResult);
      if (!tensor) return tensor;
      sources.push_back(std::move(*tensor));
    }
    auto made = context_.apply(node.op, sources, node.params, node.name);
    if (!made) return made;
    (*made)->flags = node.flags;
    if (last) (*made)->strides.set(channels_last_strides(node.sizes).span());
    return made;
  }

  Tensor twin(TensorImpl* tensor) const {
    const NodeId id = given_.find_node(*tensor);
    return id.valid() ? out_.twins[id.index()] : Tensor(tensor);
  }

  // The value as it is wanted: itself, or a copy that all who want it so share.
  Result<Tensor> in_layout(TensorImpl* source, bool last) {
    const Tensor own = twin(source);
    if (!has_two_layouts(own->sizes.span()) || own->channels_last() == last || (own->is_view() && !last)) return own;
    const NodeId id = given_.find_node(*source);
    Tensor& other = id.valid() ? other_[id.index()] : other_of_leaf_[given_.find_leaf(*source).index()];
    if (other) return other;
    const Tensor from[] = {own};
    auto copy = context_.apply(Op::Cont, from, {},
                               fmt::format("{} ({})", std::string(source->name), last ? "channels last" : "plain"));
    if (!copy) return copy;
    if (last) (*copy)->strides.set(channels_last_strides(own->sizes).span());
    if (auto ok = out_.graph.expand(*copy); !ok) return ok.error();
    ++out_.copies;
    other = *copy;
    return copy;
  }

  const Graph& given_;
  const Capabilities& backend_;
  const std::vector<uint8_t>& last_;
  Context context_;
  LaidOutGraph& out_;
  std::vector<Tensor> other_, other_of_leaf_;
};

// Which nodes' results lie with their channels last, by node.
std::vector<uint8_t> choose_layouts(const Graph& graph, const Capabilities& backend) {
  const auto nodes = graph.nodes();
  const auto leafs = graph.leafs();
  std::vector<uint8_t> out(nodes.size(), 0);
  std::vector<ChannelsLast> can(nodes.size());
  bool gains = false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!has_work(*nodes[i])) continue;
    can[i] = backend.channels_last(*nodes[i]);
    if (!may_lie_last(*nodes[i])) can[i].computes = false;
    gains = gains || (can[i].computes && can[i].gain > 0);
  }
  if (!gains) return out;

  MinCut cut;  // values (nodes, then leafs), then what copies need
  for (size_t i = 0; i < nodes.size() + leafs.size(); ++i) cut.add_vertex();
  const int last = cut.add_vertex(), plain = cut.add_vertex();
  std::vector<std::vector<int>> users(nodes.size() + leafs.size());
  for (size_t i = 0; i < nodes.size() + leafs.size(); ++i) {
    const auto vertex = static_cast<int>(i);
    if (i >= nodes.size() || !can[i].computes)
      cut.add_edge(vertex, plain, MinCut::kForbidden);
    else if (can[i].gain > 0)
      cut.add_edge(last, vertex, can[i].gain);
    else if (can[i].gain < 0)
      cut.add_edge(vertex, plain, -can[i].gain);
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t s = 0; s < nodes[i]->sources.size(); ++s) {
      const TensorImpl& source = *nodes[i]->sources[s];
      const Reads how = reads(can[i], s);
      if (!has_two_layouts(source.sizes.span()) || how == Reads::Either) continue;
      const NodeId node = graph.find_node(source);
      const auto from = node.valid() ? node.index() : nodes.size() + graph.find_leaf(source).index();
      // A view's result has the layout of what it looks at, which stays plain.
      users[from].push_back(how == Reads::AsResult && can[i].computes ? static_cast<int>(i) : plain);
    }
  for (size_t v = 0; v < users.size(); ++v) {
    if (users[v].empty()) continue;
    const int64_t cost = copy_cost(v < nodes.size() ? *nodes[v] : *leafs[v - nodes.size()]);
    // One copy serves all users of the other layout.
    const int to_plain = cut.add_vertex(), to_last = cut.add_vertex();
    cut.add_edge(static_cast<int>(v), to_plain, cost);
    cut.add_edge(to_last, static_cast<int>(v), cost);
    for (int user : users[v]) {
      cut.add_edge(to_plain, user, MinCut::kForbidden);
      cut.add_edge(user, to_last, MinCut::kForbidden);
    }
  }
  const auto found = cut.side_of(last, plain);
  std::copy_n(found.begin(), out.size(), out.begin());
  return out;
}

}  // namespace

Result<LaidOutGraph> lay_out_images(const Graph& graph, const Capabilities& backend) {
  LaidOutGraph out;
  const auto last = choose_layouts(graph, backend);
  const auto nodes = graph.nodes();
  const size_t most = 2 * nodes.size() + graph.leafs().size() + 1;  // each value once more
  size_t pool = Context::graph_overhead(most) + (size_t{1} << 12) + (most - nodes.size()) * Context::tensor_overhead(1);
  for (const TensorImpl* node : nodes) pool += Context::tensor_overhead(std::max<size_t>(node->sources.size(), 1));
  auto context = Context::create({.mem_size = pool, .no_alloc = true});
  if (!context) return context.error();
  auto made = context->new_graph(most);
  if (!made) return made.error();
  out.graph = *made;
  if (auto ok = LayingOut(graph, backend, last, *context, out).run(); !ok) return ok.error();
  return out;
}

}  // namespace arenascope
