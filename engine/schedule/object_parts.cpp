// SPDX-License-Identifier: MIT
#include "engine/schedule/object_parts.h"

#include <algorithm>

#include <arenascope/graph/graph.h>

namespace arenascope {
namespace {

using Kind = trace::ObjectPartKind;

// Pieces of an object in any order; bytes outside all pieces are padding.
class Pieces {
 public:
  explicit Pieces(const ObjectHeader& object)
      : begin_(reinterpret_cast<const std::byte*>(&object + 1)), bytes_(static_cast<Bytes>(object.size)) {}

  // Ranges outside the object are clipped.
  void add(Kind kind, const void* first, size_t bytes, size_t used = 0) {
    const auto* at = static_cast<const std::byte*>(first);
    if (bytes == 0 || at < begin_ || at + bytes > begin_ + bytes_) return;
    parts_.push_back({kind, at - begin_, static_cast<Bytes>(bytes), static_cast<Bytes>(used)});
  }
  template <class T>
  void add(Kind kind, const T& member) {
    add(kind, &member, sizeof(T));
  }

  std::vector<trace::ObjectPart> finish() && {
    std::sort(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    std::vector<trace::ObjectPart> out;
    Bytes reached = 0;
    const auto put = [&](const trace::ObjectPart& part) {
      if (part.bytes <= 0) return;
      if (!out.empty() && out.back().kind == part.kind && part.kind != Kind::Padding && part.used == 0)
        out.back().bytes += part.bytes;
      else
        out.push_back(part);
      reached = part.offset + part.bytes;
    };
    for (const trace::ObjectPart& part : parts_) {
      if (part.offset < reached) continue;
      put({Kind::Padding, reached, part.offset - reached, 0});
      put(part);
    }
    put({Kind::Padding, reached, bytes_ - reached, 0});
    return out;
  }

 private:
  const std::byte* begin_;
  const Bytes bytes_;
  std::vector<trace::ObjectPart> parts_;
};

void add_tensor(Pieces& pieces, const TensorImpl& t) {
  pieces.add(Kind::Type, t.dtype);
  pieces.add(Kind::Storage, t.placement);
  pieces.add(Kind::Op, t.op);
  pieces.add(Kind::Flags, t.flags);
  pieces.add(Kind::Sizes, t.sizes);
  pieces.add(Kind::Strides, t.strides);
  pieces.add(Kind::OpParams, t.params);
  pieces.add(Kind::Other, t.layer);
  pieces.add(Kind::Sources, t.sources);
  pieces.add(Kind::Name, t.name);
  pieces.add(Kind::Storage, t.offset);
  pieces.add(Kind::View, t.view_source);
  pieces.add(Kind::View, t.view_offset);
  pieces.add(Kind::References, t.owner);
  pieces.add(Kind::Storage, t.storage);
  pieces.add(Kind::References, t.references);
  pieces.add(Kind::Sizes, t.sizes.begin(), t.sizes.span().size_bytes());
  pieces.add(Kind::Strides, t.strides.begin(), t.strides.span().size_bytes());
  pieces.add(Kind::OpParams, t.params.bytes().data(), t.params.bytes().size());
  pieces.add(Kind::Sources, t.sources.begin(), t.sources.size() * sizeof(TensorImpl*));
  if (!t.is_view()) pieces.add(Kind::Data, t.storage.data(), static_cast<size_t>(t.storage.bytes()));
}

Kind kind_of(Graph::Array::Of of) {
  switch (of) {
    case Graph::Array::Of::Nodes: return Kind::Nodes;
    case Graph::Array::Of::Leafs: return Kind::Leafs;
    case Graph::Array::Of::Gradients: return Kind::Gradients;
    case Graph::Array::Of::Accumulators: return Kind::Accumulators;
    case Graph::Array::Of::UseCounts: return Kind::UseCounts;
    case Graph::Array::Of::HashSet: return Kind::HashSet;
  }
  return Kind::Other;
}

// Arrays of this graph, or of one that grew into this object.
void add_graph(Pieces& pieces, const Context& context, const ObjectHeader& object) {
  if (object.continued == 0) pieces.add(Kind::Counts, &object + 1, Graph::head_bytes());
  for (const ObjectHeader* other = context.first_object(); other; other = other->next) {
    for (const Graph::Array& array : Graph::arrays_of(*other))
      pieces.add(kind_of(array.of), array.begin, array.bytes, array.used);
    if (other == &object) break;  // a graph continues in later objects only
  }
}

}  // namespace

std::vector<trace::ObjectPart> parts_of_object(const Context& context, const ObjectHeader& object) {
  Pieces pieces(object);
  if (const TensorImpl* tensor = context.tensor_of(object)) add_tensor(pieces, *tensor);
  if (object.type == ObjectType::Graph) add_graph(pieces, context, object);
  if (object.type == ObjectType::WorkBuffer) pieces.add(Kind::Data, &object + 1, object.size);
  return std::move(pieces).finish();
}

}  // namespace arenascope
