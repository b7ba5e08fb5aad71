// SPDX-License-Identifier: MIT
#include "engine/runtime/bound_memory.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <arenascope/base/step_number.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/quick_plan.h>

namespace arenascope {

Status BoundMemory::bind(const ExecutionPlan& plan) {
  plan_ = &plan;
  arena_ = work_ = host_work_ = Storage();
  binding_observer_ = nullptr;
  find_views();
  find_images();
  begins_.assign(plan.steps.size(), plan.memory.tensors, [](const PlannedTensor& t) { return t.first.index(); });
  ends_.assign(plan.steps.size(), plan.memory.tensors, [](const PlannedTensor& t) { return t.last.index() - 1; });
  if (auto ok = bind_scratch(); !ok) return ok;
  if (auto ok = bind_offloaded(); !ok) return ok;
  switch (strategy_) {
    case MemoryStrategy::Planned: return bind_planned();
    case MemoryStrategy::None: return bind_each();
    case MemoryStrategy::Eager: unbind_all();
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

// The backend allocates images in each run.
void BoundMemory::find_images() {
  image_begins_.assign(plan_->steps.size(), {});
  image_ends_.assign(plan_->steps.size(), {});
  any_image_ = images_pinned_ = false;
  image_addresses_.assign(plan_->graph.nodes().size(), nullptr);
  for (const Lifetime& life : plan_->memory.elsewhere) {
    if (life.placement != Placement::Packed) continue;
    any_image_ = true;
    image_begins_[life.first.index()].push_back(life.owner);
    if (!life.kept) image_ends_[life.last.index() - 1].push_back(life.owner);
  }
}

// Under MemoryStrategy::None, tensors that the context has allocated already keep that memory.
bool BoundMemory::is_in_pool(const TensorImpl& node) const {
  return strategy_ == MemoryStrategy::None && backend_.device().is_cpu() && !plan_->graph.context().no_alloc() &&
         node.storage.allocated();
}

Status BoundMemory::bind_scratch() {
  // As in ggml, the work buffer is appended to the context's pool if the tensors are there. A graph without work gets a buffer
  // of 0 bytes, which is skipped if the pool is full.
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

// Offloaded tensors are in host memory under every strategy.
Status BoundMemory::bind_offloaded() {
  for (const Lifetime& life : plan_->memory.elsewhere) {
    if (life.placement != Placement::Host) continue;
    TensorImpl& node = plan_->graph.node(life.owner);
    auto storage = Storage::allocate(*context_, {}, MemoryKind::HostPageable, life.bytes);
    if (!storage)
      return Error{fmt::format("cannot allocate {} bytes of host memory for '{}': {}", life.bytes, node.name,
                               storage.error().message)};
    node.storage = std::move(*storage);
    if (!views_of_.empty())  // otherwise bind_plan() binds the views
      for (TensorImpl* view : views_of_[life.owner.index()]) view->storage = node.storage;
  }
  return {};
}

Status BoundMemory::bind_planned() {
  auto arena = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_->memory.arena_bytes,
                                 static_cast<size_t>(plan_->memory.alignment));
  if (!arena)
    return Error{
        fmt::format("cannot allocate the arena of {} bytes: {}", plan_->memory.arena_bytes, arena.error().message)};
  arena_ = std::move(*arena);
  return bind_plan(plan_->graph, plan_->memory, arena_);
}

Status BoundMemory::bind_each() {
  for (size_t step = 0; step < plan_->steps.size(); ++step)
    if (auto ok = allocate_output(step); !ok) return ok;
  return {};
}

// Tensors that are allocated step by step have no memory yet, but their device is set.
void BoundMemory::unbind_all() {
  const Storage nowhere(backend_.device());
  for (const PlannedTensor& tensor : plan_->memory.tensors) {
    plan_->graph.node(tensor.node).storage = nowhere;
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = nowhere;
  }
}

Status BoundMemory::begin(size_t step) {
  if (strategy_ == MemoryStrategy::Eager)
    if (auto ok = allocate_output(step); !ok) return ok;
  return allocate_image(step);
}

Status BoundMemory::allocate_output(size_t step) {
  for (uint32_t index : begins_[step]) {
    const PlannedTensor& tensor = plan_->memory.tensors[index];
    TensorImpl& node = plan_->graph.node(tensor.node);
    if (is_in_pool(node)) continue;
    auto storage =
        Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, backend_.padded_size(node, tensor.size));
    if (!storage)
      return Error{fmt::format("cannot allocate '{}' at step {}: {}", node.name, step_number(Step(step)),
                               storage.error().message)};
    node.storage = std::move(*storage);
    report_binding(node, trace::TensorRef::node(tensor.node));
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = node.storage;
  }
  return {};
}

Status BoundMemory::allocate_image(size_t step) {
  if (images_pinned_) return {};
  for (NodeId id : image_begins_[step]) {
    TensorImpl& node = plan_->graph.node(id);
    if (strategy_ == MemoryStrategy::None && node.storage.allocated()) continue;
    auto storage = backend_.allocate_image(node, *context_);
    if (!storage)
      return Error{fmt::format("cannot allocate '{}' at step {}: {}", node.name, step_number(Step(step)),
                               storage.error().message)};
    node.storage = std::move(*storage);
    image_addresses_[id.index()] = node.storage.data();
    report_binding(node, trace::TensorRef::node(id));
  }
  return {};
}

void BoundMemory::pin_images(bool hold) {
  if (!any_image_ || strategy_ == MemoryStrategy::Eager || hold == images_pinned_) return;
  if (!hold) {
    release_images();
  } else if (!reacquire_images()) {
    release_images();
    std::fill(image_addresses_.begin(), image_addresses_.end(), nullptr);
  }
}

// Tensors that used the same address in sequence share it again. Returns false if an address is not available.
bool BoundMemory::reacquire_images() {
  const bool known = std::all_of(image_begins_.begin(), image_begins_.end(), [&](const std::vector<NodeId>& begins) {
    return std::all_of(begins.begin(), begins.end(),
                       [&](NodeId id) { return image_addresses_[id.index()] != nullptr; });
  });
  images_pinned_ = known;
  if (!known || strategy_ == MemoryStrategy::None) return known;  // under that strategy they have kept their memory
  for (const auto& begins : image_begins_)                        // also the images kept as outputs
    for (NodeId id : begins) plan_->graph.node(id).storage = Storage(backend_.device());
  std::map<const std::byte*, Storage> held;
  for (const auto& begins : image_begins_) {
    for (NodeId id : begins) {
      const std::byte* place = image_addresses_[id.index()];
      if (!held.contains(place)) {
        auto storage = backend_.reacquire_image(place, *context_);
        if (!storage) return false;
        held[place] = std::move(*storage);
      }
      plan_->graph.node(id).storage = held[place];
    }
  }
  // An image that one tensor uses alone is bound to it.
  for (const auto& begins : image_begins_)
    for (NodeId id : begins)
      if (std::count(image_addresses_.begin(), image_addresses_.end(), image_addresses_[id.index()]) == 1)
        report_binding(plan_->graph.node(id), trace::TensorRef::node(id));
  return true;
}

void BoundMemory::release_images() {
  images_pinned_ = false;
  if (strategy_ == MemoryStrategy::None) return;
  for (const auto& begins : image_begins_)
    for (NodeId id : begins) plan_->graph.node(id).storage = Storage(backend_.device());
}

void BoundMemory::report_bindings(trace::GraphId graph, std::shared_ptr<BindingObserver> observer) {
  graph_ = graph;
  binding_observer_ = graph.valid() ? std::move(observer) : nullptr;
  if (binding_observer_ && arena_.block())
    binding_observer_->on_bind_tensor(*arena_.block(), graph_, trace::TensorRef(), arena_.block()->bytes());
  const auto leafs = plan_->graph.leafs(), nodes = plan_->graph.nodes();
  for (size_t i = 0; i < leafs.size(); ++i) report_binding(*leafs[i], trace::TensorRef::leaf(LeafId(i)));
  for (size_t i = 0; i < nodes.size(); ++i) report_binding(*nodes[i], trace::TensorRef::node(NodeId(i)));
}

void BoundMemory::report_binding(const TensorImpl& tensor, trace::TensorRef ref) const {
  const BlockPtr& block = tensor.storage.block();
  if (!binding_observer_ || !block || tensor.is_view() || block == arena_.block()) return;
  if (tensor.storage.bytes() != block->bytes()) return;  // the block holds several tensors
  if (!block->resident()) return;                        // a released weight has no memory
  binding_observer_->on_bind_tensor(*block, graph_, ref, std::min(tensor.byte_count(), block->bytes()));
}

void BoundMemory::end(size_t step) {
  if (strategy_ == MemoryStrategy::None) return;
  const Storage nowhere(backend_.device());
  if (!images_pinned_)
    for (NodeId id : image_ends_[step]) plan_->graph.node(id).storage = nowhere;
  if (strategy_ != MemoryStrategy::Eager) return;
  for (uint32_t index : ends_[step]) {
    const PlannedTensor& tensor = plan_->memory.tensors[index];
    // A tensor that is live after the last step may be an output, which the caller reads after the run.
    if (tensor.last.index() == plan_->steps.size()) continue;
    plan_->graph.node(tensor.node).storage = nowhere;
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = nowhere;
  }
}

}  // namespace arenascope
