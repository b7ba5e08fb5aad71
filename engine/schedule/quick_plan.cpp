// SPDX-License-Identifier: MIT
#include <arenascope/schedule/quick_plan.h>

#include <algorithm>
#include <new>
#include <numeric>

#include <arenascope/base/checked.h>
#include <arenascope/graph/lifetime.h>
#include <arenascope/memory/huge_pages.h>

namespace arenascope {
namespace {

// The free ranges of an arena that grows at its end, by offset.
class FreePieces {
 public:
  Bytes take(Bytes size) {
    size_t best = pieces_.size();
    for (size_t i = 0; i < pieces_.size(); ++i)
      if (pieces_[i].size >= size && (best == pieces_.size() || pieces_[i].size < pieces_[best].size)) best = i;
    if (best < pieces_.size()) {
      Piece& piece = pieces_[best];
      const Bytes offset = piece.offset;
      piece.offset += size;
      piece.size -= size;
      if (piece.size == 0) pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(best));
      return offset;
    }
    // At the end of the arena, starting in the free range there, if any.
    Bytes offset = end_;
    if (!pieces_.empty() && pieces_.back().offset + pieces_.back().size == end_) {
      offset = pieces_.back().offset;
      pieces_.pop_back();
    }
    end_ = offset + size;
    max_end_ = std::max(max_end_, end_);
    return offset;
  }
  void give(Bytes offset, Bytes size) {
    const auto next = std::lower_bound(pieces_.begin(), pieces_.end(), offset,
                                       [](const Piece& piece, Bytes at) { return piece.offset < at; });
    const bool joins_next = next != pieces_.end() && next->offset == offset + size;
    if (next != pieces_.begin() && (next - 1)->offset + (next - 1)->size == offset) {
      (next - 1)->size += size;
      if (!joins_next) return;
      (next - 1)->size += next->size;
      pieces_.erase(next);
    } else if (joins_next) {
      next->offset = offset;
      next->size += size;
    } else {
      pieces_.insert(next, {offset, size});
    }
  }
  Bytes max_end() const { return max_end_; }

 private:
  struct Piece {
    Bytes offset, size;
  };
  std::vector<Piece> pieces_;
  Bytes end_ = 0, max_end_ = 0;
};

class Pass {
 public:
  Pass(const Graph& graph, Bytes alignment, bool keep_outputs)
      : graph_(graph), alignment_(alignment), stream_(graph, keep_outputs) {}

  MemoryPlan run() {
    const size_t nodes = graph_.nodes().size();
    plan_.planner = "quick";
    plan_.order_name = "depth-first";
    plan_.alignment = alignment_;
    plan_.order.reserve(nodes);
    plan_.tensors.reserve(nodes);
    ask_for_huge_pages(plan_.order.data(), nodes * sizeof(NodeId));
    ask_for_huge_pages(plan_.tensors.data(), nodes * sizeof(PlannedTensor));
    for (size_t i = 0; i < nodes; ++i) {
      plan_.order.push_back(NodeId(i));
      stream_.step(
          i, [&](const TensorImpl& node, Placement placement) { return begin(i, node, placement); },
          [&](int32_t number) { end(i, number); });
    }
    for (PlannedTensor& tensor : plan_.tensors)
      if (!tensor.last.valid()) tensor.last = Step(nodes);
    for (Lifetime& life : plan_.elsewhere)
      if (!life.last.valid()) life.last = Step(nodes), life.kept = true;
    plan_.arena_bytes = pieces_.max_end();
    plan_.lower_bound = max_live_;
    return std::move(plan_);
  }

 private:
  // Numbers >= 0 are planned tensors; negative numbers are tensors outside the arena.
  int32_t begin(size_t i, const TensorImpl& node, Placement placement) {
    const Bytes size = node.byte_count();
    if (placement != Placement::Arena) {
      plan_.elsewhere.push_back({NodeId(i), Step(i), Step::none(), size, placement});
      return -static_cast<int32_t>(plan_.elsewhere.size());
    }
    const Bytes offset = pieces_.take(align_up(size, alignment_));
    plan_.tensors.push_back({NodeId(i), offset, size, Step(i), Step::none(), BlockId(), 0, NodeId::none()});
    live_ += size;
    max_live_ = std::max(max_live_, live_);
    return static_cast<int32_t>(plan_.tensors.size() - 1);
  }
  void end(size_t i, int32_t number) {
    if (number < 0) {
      plan_.elsewhere[static_cast<size_t>(-number - 1)].last = Step(i + 1);
      return;
    }
    PlannedTensor& tensor = plan_.tensors[static_cast<size_t>(number)];
    tensor.last = Step(i + 1);
    pieces_.give(tensor.offset, align_up(tensor.size, alignment_));
    live_ -= tensor.size;
  }

  const Graph& graph_;
  const Bytes alignment_;
  LifetimeStream stream_;
  MemoryPlan plan_;
  FreePieces pieces_;
  Bytes live_ = 0, max_live_ = 0;
};

}  // namespace

Result<MemoryPlan> quick_plan(const Graph& graph, Bytes alignment, bool keep_outputs) {
  try {
    return Pass(graph, std::max<Bytes>(alignment, 1), keep_outputs).run();
  } catch (const std::bad_alloc&) {
    return Error{"no memory is left to plan"};
  }
}

Status bind_plan(const Graph& graph, const MemoryPlan& plan, const Storage& arena) {
  for (const PlannedTensor& tensor : plan.tensors) {
    auto slice = arena.sub_storage(tensor.offset, tensor.size);
    if (!slice) return slice.error();
    graph.node(tensor.node).storage = std::move(*slice);
  }
  for (TensorImpl* node : graph.nodes())
    if (node->is_view()) node->storage = node->view_source->storage;
  return {};
}

}  // namespace arenascope
