// SPDX-License-Identifier: MIT
#include <arenascope/schedule/quick_plan.h>

#include <algorithm>
#include <new>
#include <numeric>

#include <arenascope/base/checked.h>
#include <arenascope/memory/huge_pages.h>

namespace arenascope {
namespace {

// The free pieces of an arena that grows at its end, by offset.
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
    // At the end, over what is free there.
    Bytes offset = end_;
    if (!pieces_.empty() && pieces_.back().offset + pieces_.back().size == end_) {
      offset = pieces_.back().offset;
      pieces_.pop_back();
    }
    end_ = offset + size;
    most_ = std::max(most_, end_);
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
  Bytes most() const { return most_; }

 private:
  struct Piece {
    Bytes offset, size;
  };
  std::vector<Piece> pieces_;
  Bytes end_ = 0, most_ = 0;
};

class Pass {
 public:
  Pass(const Graph& graph, Bytes alignment, bool keep_outputs)
      : graph_(graph), nodes_(graph.nodes()), alignment_(alignment), keep_outputs_(keep_outputs) {
    state_.reserve(nodes_.size());
    ask_for_huge_pages(state_.data(), nodes_.size() * sizeof(State));
  }

  MemoryPlan run() {
    MemoryPlan plan;
    plan.planner = "quick";
    plan.order_name = "depth-first";
    plan.alignment = alignment_;
    plan.order.reserve(nodes_.size());
    plan.tensors.reserve(nodes_.size());
    ask_for_huge_pages(plan.order.data(), nodes_.size() * sizeof(NodeId));
    ask_for_huge_pages(plan.tensors.data(), nodes_.size() * sizeof(PlannedTensor));
    for (size_t i = 0; i < nodes_.size(); ++i) {
      plan.order.push_back(NodeId(i));
      step(i, plan.tensors);
    }
    for (PlannedTensor& tensor : plan.tensors)
      if (!tensor.last.valid()) tensor.last = Step(nodes_.size());
    plan.arena_bytes = pieces_.most();
    plan.lower_bound = most_live_;
    return plan;
  }

 private:
  struct State {
    int32_t owner = -1;   // the node whose bytes it is made of, or none of the arena's
    int32_t uses = 0;     // of the owner: steps that still need it
    int32_t tensor = -1;  // of the owner: its place in the plan
  };

  void step(size_t i, std::vector<PlannedTensor>& tensors) {
    const TensorImpl& node = *nodes_[i];
    State& state = state_.emplace_back();
    const int32_t uses = graph_.use_count(NodeId(i));
    if (node.is_view()) {
      const NodeId owner = graph_.find_node(*node.view_source);
      state.owner = owner.valid() ? state_[owner.index()].owner : -1;
      if (state.owner >= 0) {
        State& of = state_[static_cast<size_t>(state.owner)];
        of.uses += uses + (keep_outputs_ && node.has(kFlagOutput) ? 1 : 0);  // an output's use does not end
      }
    } else if (node.op != Op::None && node.element_count() > 0 && !node.has(kFlagSpilled)) {
      const Bytes size = node.byte_count(), padded = align_up(size, alignment_);
      const Bytes offset = pieces_.take(padded);
      state = {static_cast<int32_t>(i), uses + (keep_outputs_ && node.has(kFlagOutput) ? 1 : 0),
               static_cast<int32_t>(tensors.size())};
      tensors.push_back({NodeId(i), offset, size, Step(i), Step::none(), BlockId(), 0, NodeId::none()});
      live_ += size;
      most_live_ = std::max(most_live_, live_);
    }
    for (const TensorImpl* source : node.sources)
      if (const NodeId from = graph_.find_node(*source); from.valid()) end_use(state_[from.index()].owner, i, tensors);
    if (state.owner == static_cast<int32_t>(i) && state.uses == 0) give(state, i, tensors);  // nobody wants it
  }
  void end_use(int32_t owner, size_t i, std::vector<PlannedTensor>& tensors) {
    if (owner < 0) return;
    State& state = state_[static_cast<size_t>(owner)];
    if (--state.uses == 0) give(state, i, tensors);
  }
  void give(const State& state, size_t i, std::vector<PlannedTensor>& tensors) {
    PlannedTensor& tensor = tensors[static_cast<size_t>(state.tensor)];
    tensor.last = Step(i + 1);
    pieces_.give(tensor.offset, align_up(tensor.size, alignment_));
    live_ -= tensor.size;
  }

  const Graph& graph_;
  const std::span<TensorImpl* const> nodes_;
  const Bytes alignment_;
  const bool keep_outputs_;
  std::vector<State> state_;
  FreePieces pieces_;
  Bytes live_ = 0, most_live_ = 0;
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
