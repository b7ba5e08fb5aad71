// SPDX-License-Identifier: MIT
#include <arenascope/transform/image_layout.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/transform/graph_copier.h"
#include "engine/transform/partition_min_cut.h"
#include "engine/transform/slices.h"

namespace arenascope {
namespace {

// Fixed cost of a layout conversion: one more node, and strided reads or writes.
constexpr int64_t kCopyNanoseconds = 3000;
constexpr double kCopyNanosecondsPerByte = 0.2;

int64_t copy_cost(const TensorImpl& image) {
  return kCopyNanoseconds + static_cast<int64_t>(kCopyNanosecondsPerByte * static_cast<double>(image.byte_count()));
}

bool may_lie_last(const TensorImpl& node) {
  return has_work(node) && !node.is_view() && node.dtype == DType::F32 && !node.has(kFlagOutput) &&
         has_two_layouts(node.sizes.span());
}

// A slice of an image's channels; of a channels-last image it must be copied, position by position.
bool is_channel_slice(const TensorImpl& node) {
  return node.dtype == DType::F32 && !node.has(kFlagOutput) && node.rank() == 4 && slice_begin(node, 1) &&
         has_two_layouts(node.sizes.span()) && has_two_layouts(node.sources[0]->sizes.span()) &&
         has_work(*node.sources[0]);
}

// Support by the backend for the node.
ChannelsLast ability(const Capabilities& backend, const TensorImpl& node, const LayoutOptions& options) {
  ChannelsLast can;
  if (is_channel_slice(node))
    can = {.computes = true, .images = 1, .gain = -copy_cost(node) / 2};
  else if (has_work(node))
    can = backend.channels_last(node);
  if ((has_work(node) && !may_lie_last(node)) || node.byte_count() > options.max_image_bytes) can.computes = false;
  return can;
}

// Layout in which a node reads an input.
enum class Reads { Plain, AsResult, Either };

Reads reads(const ChannelsLast& can, size_t source) {
  if (source >= 32 || !(can.images >> source & 1)) return Reads::Plain;
  return can.reads ? Reads::Either : Reads::AsResult;
}

class LayingOut {
 public:
  LayingOut(GraphCopier& copier, const Capabilities& backend, const std::vector<uint8_t>& last, LaidOutGraph& out)
      : copier_(copier),
        backend_(backend),
        last_(last),
        out_(out),
        other_(copier.given().nodes().size() + copier.given().leafs().size()) {}

  Status run() {
    return copier_.for_each_node([this](NodeId id, const TensorImpl& node) -> Status {
      const bool last = last_[id.index()] != 0;
      auto made = copy(node, last);
      if (!made) return made.error();
      copier_.place_mapped(id, *made);
      out_.channels_last += last && !node.is_view();
      return {};
    });
  }

 private:
  Result<Tensor> copy(const TensorImpl& node, bool last) {
    if (last && node.is_view()) return copy_slice(node);
    const ChannelsLast can = backend_.channels_last(node);
    std::vector<Tensor> sources;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      const TensorImpl& source = *node.sources[k];
      const Reads how = reads(can, k);
      auto tensor = how == Reads::Either ? Result<Tensor>(copier_.mapped(source))
                                         : in_layout(source, node, last && how == Reads::AsResult);
      if (!tensor) return tensor;
      sources.push_back(std::move(*tensor));
    }
    auto made = copier_.copy(node, sources);
    if (made.ok() && (*made)->channels_last() != last && !(*made)->is_view()) set_layout(**made, last);
    return made;
  }

  Result<Tensor> copy_slice(const TensorImpl& node) {
    auto whole = in_layout(*node.sources[0], node, true);
    if (!whole) return whole;
    OpParams params;
    params.set(ViewParams{Dims(node.sizes.span()), Dims((*whole)->strides.span()), *slice_begin(node, 1)});
    const Tensor images[] = {std::move(*whole)};
    auto view = copier_.make(node, Op::View, images, params, fmt::format("{} (channels)", std::string(node.name)));
    if (!view) return view;
    copier_.place(*view);
    const Tensor from[] = {std::move(*view)};
    auto out = copier_.make(node, Op::Cont, from, {}, node.name);
    if (out) set_layout(**out, true);
    return out;
  }

  static void set_layout(TensorImpl& image, bool last) {
    const Dims sizes(image.sizes.span());
    image.strides.set((last ? channels_last_strides(sizes) : contiguous_strides(sizes)).span());
  }

  // The value in the requested layout: itself, or a copy shared by all readers in that layout.
  Result<Tensor> in_layout(const TensorImpl& source, const TensorImpl& reader, bool last) {
    const Tensor own = copier_.mapped(source);
    if (!has_two_layouts(own->sizes.span()) || own->channels_last() == last || (own->is_view() && !last)) return own;
    const Graph& given = copier_.given();
    const NodeId id = given.find_node(source);
    Tensor& other = other_[id.valid() ? id.index() : given.nodes().size() + given.find_leaf(source).index()];
    if (other) return other;
    const Tensor from[] = {own};
    auto copy = copier_.make(reader, Op::Cont, from, {},
                             fmt::format("{} ({})", std::string(source.name), last ? "channels last" : "plain"));
    if (!copy) return copy;
    if (last) set_layout(**copy, last);
    copier_.place(*copy);
    ++out_.copies;
    other = *copy;
    return copy;
  }

  GraphCopier& copier_;
  const Capabilities& backend_;
  const std::vector<uint8_t>& last_;
  LaidOutGraph& out_;
  std::vector<Tensor> other_;  // per node, then per leaf tensor
};

// By node: 1 if its result is channels-last.
std::vector<uint8_t> choose_layouts(const Graph& graph, const Capabilities& backend, const LayoutOptions& options) {
  const auto nodes = graph.nodes();
  const auto leafs = graph.leafs();
  std::vector<uint8_t> out(nodes.size(), 0);
  std::vector<ChannelsLast> can(nodes.size());
  bool gains = false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    can[i] = ability(backend, *nodes[i], options);
    gains = gains || (can[i].computes && can[i].gain > 0);
  }
  if (!gains) return out;

  PartitionMinCut cut(graph);
  for (size_t i = 0; i < nodes.size() + leafs.size(); ++i) {
    if (i >= nodes.size() || !can[i].computes)
      cut.pin_second(i);
    else if (can[i].gain > 0)
      cut.prefer_first(i, can[i].gain);
    else if (can[i].gain < 0)
      cut.prefer_second(i, -can[i].gain);
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t s = 0; s < nodes[i]->sources.size(); ++s) {
      const TensorImpl& source = *nodes[i]->sources[s];
      const Reads how = reads(can[i], s);
      if (!has_two_layouts(source.sizes.span()) || how == Reads::Either) continue;
      // The view of a channels-last source would be one too, but views stay plain.
      if (how == Reads::AsResult && can[i].computes)
        cut.read_with(cut.value_of(source), i);
      else
        cut.read_on_second(cut.value_of(source));
    }
  out = cut.choose(copy_cost);
  out.resize(nodes.size());
  return out;
}

}  // namespace

Result<LaidOutGraph> lay_out_images(const Graph& graph, const Capabilities& backend, const LayoutOptions& options) {
  const auto last = choose_layouts(graph, backend, options);
  auto copier = GraphCopier::start(graph);
  if (!copier) return copier.error();
  LaidOutGraph out;
  if (auto ok = LayingOut(*copier, backend, last, out).run(); !ok) return ok.error();
  if (auto ok = copier->finish(out); !ok) return ok.error();
  return out;
}

}  // namespace arenascope
