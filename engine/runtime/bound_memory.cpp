// SPDX-License-Identifier: MIT
#include "engine/runtime/bound_memory.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/quick_plan.h>

namespace arenascope {

Status BoundMemory::bind(const ExecutionPlan& plan) {
  plan_ = &plan;
  arena_ = work_ = host_work_ = Storage();
  owners_ = nullptr;
  find_views();
  find_packed();
  begins_.assign(plan.steps.size(), plan.memory.tensors, [](const PlannedTensor& t) { return t.first.index(); });
  ends_.assign(plan.steps.size(), plan.memory.tensors, [](const PlannedTensor& t) { return t.last.index() - 1; });
  if (auto ok = bind_scratch(); !ok) return ok;
  if (auto ok = bind_offloaded(); !ok) return ok;
  switch (strategy_) {
    case MemoryStrategy::Planned: return bind_planned();
    case MemoryStrategy::None: return bind_each();
    case MemoryStrategy::Eager: forget_places();
  }
  return {};
}

void BoundMemory::find_views() {
  const auto nodes = plan_->graph.nodes();
  views_of_.assign(strategy_ == MemoryStrategy::Planned ? 0 : nodes.size(), {});
  for (TensorImpl* node : nodes) {
    if (!node->is_view()) continue;
    if (node->view_source->op == Op::None)
      node->storage = node->view_source->storage;
    else if (!views_of_.empty())
      views_of_[plan_->graph.find_node(*node->view_source).index()].push_back(node);
  }
}

// Packed tensors come from the backend at each run.
void BoundMemory::find_packed() {
  packed_begins_.assign(plan_->steps.size(), {});
  packed_ends_.assign(plan_->steps.size(), {});
  any_packed_ = packed_held_ = false;
  packed_places_.assign(plan_->graph.nodes().size(), nullptr);
  for (const Lifetime& life : plan_->memory.elsewhere) {
    if (life.placement != Placement::Packed) continue;
    any_packed_ = true;
    packed_begins_[life.first.index()].push_back(life.owner);
    if (!life.kept) packed_ends_[life.last.index() - 1].push_back(life.owner);
  }
}

// With memory of its own for each tensor, a context that gave its tensors data keeps them: they need no other.
bool BoundMemory::lies_in_pool(const TensorImpl& node) const {
  return strategy_ == MemoryStrategy::None && backend_.device().is_cpu() && !plan_->graph.context().no_alloc() &&
         node.storage.allocated();
}

Status BoundMemory::bind_scratch() {
  // Whoever computes in the pool appends a work buffer as large as the graph asks for, as ggml does, of no bytes where it asks for
  // none. A full pool then goes without.
  const bool in_pool =
      strategy_ == MemoryStrategy::None && backend_.device().is_cpu() && !plan_->graph.context().no_alloc();
  if (in_pool && plan_->work_bytes == 0) (void)Context(plan_->graph.context()).new_work_buffer(0);
  auto work = in_pool && plan_->work_bytes > 0
                  ? Context(plan_->graph.context()).new_work_buffer(plan_->work_bytes)
                  : Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_->work_bytes);
  if (!work) return work.error();
  work_ = std::move(*work);
  auto host_work = Storage::allocate(*context_, {}, MemoryKind::Workspace, plan_->host_work_bytes);
  if (!host_work) return host_work.error();
  host_work_ = std::move(*host_work);
  return {};
}

// What was moved to the host lies there, whatever the strategy.
Status BoundMemory::bind_offloaded() {
  for (const Lifetime& life : plan_->memory.elsewhere) {
    if (life.placement != Placement::Host) continue;
    TensorImpl& node = plan_->graph.node(life.owner);
    auto storage = Storage::allocate(*context_, {}, MemoryKind::HostPageable, life.bytes);
    if (!storage) return Error{fmt::format("'{}' got no host memory: {}", node.name, storage.error().message)};
    node.storage = std::move(*storage);
    if (!views_of_.empty())  // else bind_plan() sees to them
      for (TensorImpl* view : views_of_[life.owner.index()]) view->storage = node.storage;
  }
  return {};
}

Status BoundMemory::bind_planned() {
  auto arena = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_->memory.arena_bytes,
                                 static_cast<size_t>(plan_->memory.alignment));
  if (!arena)
    return Error{
        fmt::format("the arena of {} bytes could not be had: {}", plan_->memory.arena_bytes, arena.error().message)};
  arena_ = std::move(*arena);
  return bind_plan(plan_->graph, plan_->memory, arena_);
}

Status BoundMemory::bind_each() {
  for (size_t step = 0; step < plan_->steps.size(); ++step)
    if (auto ok = allocate_output(step); !ok) return ok;
  return {};
}

// What comes and goes with its step lies nowhere yet, but on which device is known.
void BoundMemory::forget_places() {
  const Storage nowhere(backend_.device());
  for (const PlannedTensor& tensor : plan_->memory.tensors) {
    plan_->graph.node(tensor.node).storage = nowhere;
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = nowhere;
  }
}

Status BoundMemory::begin(size_t step) {
  if (strategy_ == MemoryStrategy::Eager)
    if (auto ok = allocate_output(step); !ok) return ok;
  return allocate_packed(step);
}

Status BoundMemory::allocate_output(size_t step) {
  for (uint32_t index : begins_[step]) {
    const PlannedTensor& tensor = plan_->memory.tensors[index];
    TensorImpl& node = plan_->graph.node(tensor.node);
    if (lies_in_pool(node)) continue;
    auto storage =
        Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, backend_.room_for(node, tensor.size));
    if (!storage)
      return Error{fmt::format("'{}' at step {} got no memory: {}", node.name, step, storage.error().message)};
    node.storage = std::move(*storage);
    report_owner(node, trace::TensorRef::node(tensor.node));
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = node.storage;
  }
  return {};
}

Status BoundMemory::allocate_packed(size_t step) {
  for (NodeId id : packed_begins_[step]) {
    TensorImpl& node = plan_->graph.node(id);
    if (strategy_ == MemoryStrategy::None && node.storage.allocated()) continue;
    auto storage = backend_.allocate_packed(node, *context_);
    if (!storage)
      return Error{fmt::format("'{}' at step {} got no memory: {}", node.name, step, storage.error().message)};
    node.storage = std::move(*storage);
    packed_places_[id.index()] = node.storage.data();
    report_owner(node, trace::TensorRef::node(id));
  }
  return {};
}

void BoundMemory::hold_packed(bool hold) {
  if (!any_packed_ || strategy_ == MemoryStrategy::Eager || hold == packed_held_) return;
  if (!hold) {
    give_packed_back();
  } else if (!take_packed_again()) {
    give_packed_back();
    std::fill(packed_places_.begin(), packed_places_.end(), nullptr);
  }
}

// Tensors that had a place one after the other share it. False: not all places were to be had.
bool BoundMemory::take_packed_again() {
  const bool known = std::all_of(packed_begins_.begin(), packed_begins_.end(), [&](const std::vector<NodeId>& begins) {
    return std::all_of(begins.begin(), begins.end(), [&](NodeId id) { return packed_places_[id.index()] != nullptr; });
  });
  packed_held_ = known;
  if (!known || strategy_ == MemoryStrategy::None) return known;  // there they have kept it
  for (const auto& begins : packed_begins_)                       // what was kept for the caller is one of them
    for (NodeId id : begins) plan_->graph.node(id).storage = Storage(backend_.device());
  std::map<const std::byte*, Storage> held;
  for (const auto& begins : packed_begins_) {
    for (NodeId id : begins) {
      const std::byte* place = packed_places_[id.index()];
      if (!held.contains(place)) {
        auto storage = backend_.reacquire_packed(place, *context_);
        if (!storage) return false;
        held[place] = std::move(*storage);
      }
      plan_->graph.node(id).storage = held[place];
    }
  }
  return true;
}

void BoundMemory::give_packed_back() {
  packed_held_ = false;
  if (strategy_ == MemoryStrategy::None) return;
  for (const auto& begins : packed_begins_)
    for (NodeId id : begins) plan_->graph.node(id).storage = Storage(backend_.device());
}

void BoundMemory::report_owners(trace::GraphId graph, std::shared_ptr<OwnerObserver> observer) {
  graph_ = graph;
  owners_ = graph.valid() ? std::move(observer) : nullptr;
  if (owners_ && arena_.block()) owners_->on_own(*arena_.block(), graph_, trace::TensorRef(), arena_.block()->bytes());
  const auto leafs = plan_->graph.leafs(), nodes = plan_->graph.nodes();
  for (size_t i = 0; i < leafs.size(); ++i) report_owner(*leafs[i], trace::TensorRef::leaf(LeafId(i)));
  for (size_t i = 0; i < nodes.size(); ++i) report_owner(*nodes[i], trace::TensorRef::node(NodeId(i)));
}

void BoundMemory::report_owner(const TensorImpl& tensor, trace::TensorRef ref) const {
  const BlockPtr& block = tensor.storage.block();
  if (!owners_ || !block || tensor.is_view() || block == arena_.block()) return;
  if (tensor.storage.bytes() != block->bytes()) return;  // one of several in it
  owners_->on_own(*block, graph_, ref, std::min(tensor.byte_count(), block->bytes()));
}

void BoundMemory::end(size_t step) {
  if (strategy_ == MemoryStrategy::None) return;
  const Storage nowhere(backend_.device());
  for (NodeId id : packed_ends_[step]) plan_->graph.node(id).storage = nowhere;
  if (strategy_ != MemoryStrategy::Eager) return;
  for (uint32_t index : ends_[step]) {
    const PlannedTensor& tensor = plan_->memory.tensors[index];
    // What lives to the last step may be an output, which the caller reads after the run.
    if (tensor.last.index() == plan_->steps.size()) continue;
    plan_->graph.node(tensor.node).storage = nowhere;
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = nowhere;
  }
}

}  // namespace arenascope
